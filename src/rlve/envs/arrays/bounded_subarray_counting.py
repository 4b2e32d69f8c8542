from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.foundation.pictures import Bars
from rlve.levels import grow
from rlve.rewards import closeness
from rlve.text import spaced
from rlve.work import Work


class BoundedSubarrayCounting(Environment[int]):
    """Count the subarrays of a repeated array whose sum is at most a bound."""

    N: int
    M: int  # how often A is repeated
    A: list[int]
    K: int
    reference_answer: int

    max_difficulty = 45  # at 55, generating a problem takes too long
    picture = Bars()

    template = """
        Here is an array A of {N} positive integers:

        {A}

        The array B consists of {M} copies of A, one after the other; it has {length} elements.

        How many non-empty contiguous subarrays of B have a sum of at most {K}?
        Subarrays at different positions count separately, even if their elements are equal.

        Output format: one integer, the number of subarrays.
        """

    def prompt(self) -> str:
        return self.fill(A=spaced(self.A), length=self.N * self.M)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(3, d), "M": grow(2, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int, M: int) -> Self:
        A = [rng.randint(1, N) for _ in range(N)]
        K = rng.randint(max(A), M * sum(A))
        return cls(N=N, M=M, A=A, K=K, reference_answer=count_subarrays(A * M, K))

    def parse(self, text: str) -> int:
        return integer(text, low=0)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10

    def work(self) -> Work[str]:
        B = self.A * self.M
        yield f"B: {spaced(B)}"
        yield f"For each last position, keep the longest window with a sum of at most {self.K}."
        yield "As all of B is positive, a subarray can start anywhere in the window."
        count = start = total = 0
        for end, value in enumerate(B):
            steps = [f"{total} + {value} = {total + value}"]
            total += value
            while total > self.K:
                steps[-1] += f" > {self.K}"
                steps.append(f"{total} - {B[start]} = {total - B[start]}")
                total -= B[start]
                start += 1
            starts = end - start + 1
            yield (
                f"{end + 1}: {', '.join(steps)}, from {start + 1}, "
                f"count {count} + {starts} = {count + starts}"
            )
            count += starts
        yield f"So there are {count} subarrays"
        return str(count)


def count_subarrays(B: list[int], K: int) -> int:
    """For each end, count the starts in the longest window within the bound."""
    count = start = total = 0
    for end, value in enumerate(B):
        total += value
        while total > K:
            total -= B[start]
            start += 1
        count += end - start + 1
    return count
