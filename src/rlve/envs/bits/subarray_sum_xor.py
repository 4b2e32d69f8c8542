from itertools import accumulate, combinations
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.rewards import exact
from rlve.sampling.rejection import spread
from rlve.text import indexed, spaced
from rlve.work import Work, show_sum, split_powers, state


class SubarraySumXor(Environment[int]):
    """Compute the XOR of the sums of all subarrays.

    The answers of several draws are made equally likely, as 0 would be frequent at low levels.
    """

    N: int
    A: list[int]
    reference_answer: int

    max_difficulty = 800  # at 1000, generating a problem takes too long

    template = """
        Here is an array A of {N} integers:

        {A}

        For each of the {count} pairs (i, j) with 1 <= i <= j <= {N}, take the sum
        A[i] + ... + A[j]. Compute the bitwise XOR of all these {count} sums; a sum that occurs for
        several pairs goes in once for each of them.

        Output format: one integer, the XOR.
        """

    def prompt(self) -> str:
        return self.fill(A=indexed("A", self.A, start=1), count=self.N * (self.N + 1) // 2)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": d + 3}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        A = spread(rng, lambda: [rng.randint(0, N) for _ in range(N)], by=xor_of_sums)
        return cls(N=N, A=A, reference_answer=xor_of_sums(A))

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact(answer == self.reference_answer)

    def work(self) -> Work[str]:
        yield "From each start, add up the elements, and note which sums are left so far: equal"
        yield "ones cancel out in pairs, and 0 changes nothing."
        left = set[int]()
        for i in range(self.N):
            sums = list(accumulate(self.A[i:]))
            steps = [str(sums[0])]
            for before, value in zip(sums, self.A[i + 1 :], strict=False):
                steps.append(f"{before} + {value} = {before + value}")
            for total in filter(None, sums):
                left ^= {total}
            yield f"From A[{i + 1}]: {', '.join(steps)}; {state('left', sorted(left))}"
        if not left:
            yield "XOR: 0"
            return "0"
        parts = yield from split_powers(sorted(left))
        yield "The XOR has each power of 2 that is in an odd number of them."
        result: list[int] = []
        for power in dict.fromkeys(power for total in parts for power in parts[total]):
            inside = [total for total in parts if power in parts[total]]
            parity = "odd" if len(inside) % 2 else "even"
            yield f"{power} is in {spaced(inside)}, so in {len(inside)} of them, {parity}"
            if len(inside) % 2:
                result.append(power)
        yield f"XOR: {show_sum(result)}"
        return str(sum(result))


def xor_of_sums(A: list[int]) -> int:
    result = 0
    for before, until in combinations(accumulate(A, initial=0), 2):
        result ^= until - before
    return result
