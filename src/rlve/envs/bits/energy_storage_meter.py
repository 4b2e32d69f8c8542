from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.bits import xor_ranges
from rlve.algorithms.floor_sums import sum_to
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import closeness
from rlve.sampling.rejection import spread
from rlve.work import Work, add_cases, show_sum, state


class EnergyStorageMeter(Environment[int]):
    """Sum the amounts by which the XORs of all pairs below two bounds exceed a number.

    The answers of several draws are made equally likely, as a quarter or more would be 0.
    """

    MAX_N_M: int
    N: int
    M: int
    K: int
    reference_answer: int

    max_difficulty = 350  # at 440, generating a problem takes too long

    template = """
        Compute the sum of max(0, (i XOR j) - {K}) over all pairs of integers (i, j) with
        0 <= i < {N} and 0 <= j < {M}, where XOR is bitwise.

        Output format: one non-negative integer, the exact sum.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N_M": grow(4, d, by=1.5, plus=0)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N_M: int) -> Self:
        def draw() -> Self:
            N, M = rng.randint(2, MAX_N_M), rng.randint(2, MAX_N_M)
            K = rng.randint(0, MAX_N_M)
            return cls(MAX_N_M=MAX_N_M, N=N, M=M, K=K, reference_answer=excess_sum(N, M, K))

        return spread(rng, draw, by=lambda problem: problem.reference_answer)

    def parse(self, text: str) -> int:
        return integer(text, low=0)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10

    def work(self) -> Work[str | None]:
        if max(self.N, self.M) > 16:
            return None  # larger numbers are too many, and their XORs not for the head
        yield f"{state('i', range(self.N))}, {state('j', range(self.M))}"
        yield f"For each i, take i XOR j for all j, and what it has above {self.K}."
        cases: list[tuple[str, int]] = []
        for i in range(self.N):
            xors = [i ^ j for j in range(self.M)]
            above = [xor - self.K for xor in xors if xor > self.K]
            text = ", ".join(f"{i} XOR {j} = {xor}" for j, xor in enumerate(xors))
            if above and self.K:
                text += "; " + ", ".join(f"{x + self.K} - {self.K} = {x}" for x in above)
            if len(above) > 1:
                text += f"; {show_sum(above)}"
            cases.append((text if above else f"{text}; none", sum(above)))
        return str((yield from add_cases(cases)))


def excess_sum(N: int, M: int, K: int) -> int:
    return sum(
        times * (sum_to(max(0, first + size - 1 - K)) - sum_to(max(0, first - 1 - K)))
        for first, size, times in xor_ranges(N, M)
    )
