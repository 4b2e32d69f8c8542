from itertools import accumulate
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.rewards import exact
from rlve.text import indexed
from rlve.work import Work, add_cases, show_sum


class SubarrayXorSum(Environment[int]):
    """Compute the sum of the XORs of all subarrays."""

    N: int
    A: list[int]
    reference_answer: int

    max_difficulty = 1_000  # the highest difficulty measured

    template = """
        Here is an array A of {N} integers:

        {A}

        For each of the {count} pairs (i, j) with 1 <= i <= j <= {N}, take the bitwise XOR
        A[i] XOR ... XOR A[j] (for i = j that is A[i]). Compute the sum of all these {count} values.

        Output format: one integer, the sum.
        """

    def prompt(self) -> str:
        return self.fill(A=indexed("A", self.A, start=1), count=self.N * (self.N + 1) // 2)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": d + 3}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        A = [rng.randint(0, N) for _ in range(N)]
        return cls(N=N, A=A, reference_answer=sum_of_xors(A))

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact(answer == self.reference_answer)

    def work(self) -> Work[str | None]:
        if self.N > 15:
            return None  # their XORs are not for the head
        yield "From each start, take in one element after the other."
        cases: list[tuple[str, int]] = []
        for i in range(self.N):
            xors = list(accumulate(self.A[i:], int.__xor__))
            steps = [str(xors[0])]
            for before, value in zip(xors, self.A[i + 1 :], strict=False):
                steps.append(f"{before} XOR {value} = {before ^ value}")
            cases.append((f"From A[{i + 1}]: {', '.join(steps)}; {show_sum(xors)}", sum(xors)))
        return str((yield from add_cases(cases)))


def sum_of_xors(A: list[int]) -> int:
    """A subarray's XOR has a bit if and only if the prefixes before it and with it differ there."""
    prefixes = list(accumulate(A, int.__xor__, initial=0))
    total = 0
    for bit in range(max(prefixes).bit_length()):
        ones = sum(prefix >> bit & 1 for prefix in prefixes)
        total += ones * (len(prefixes) - ones) << bit
    return total
