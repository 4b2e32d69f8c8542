from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.bits import xor_ranges
from rlve.algorithms.floor_sums import divisor_counts_to
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import closeness
from rlve.text import spaced
from rlve.work import Work, add_cases, show_sum, state


class SumXorDivisorNum(Environment[int]):
    """Sum the numbers of divisors of i XOR j XOR X over all pairs i, j up to two bounds."""

    MAX_N_M: int
    N: int
    M: int
    X: int
    reference_answer: int

    max_difficulty = 40  # at 47, generating a problem takes too long

    template = """
        Let d(n) be the number of positive divisors of n for n >= 1 (1 and n included), and let
        d(0) = 0.

        Compute the sum of d(i XOR j XOR {X}) over all pairs of integers (i, j) with 0 <= i <= {N}
        and 0 <= j <= {M}, where XOR is bitwise.

        Output format: one integer, the exact sum.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N_M": grow(5, d, by=1.5, plus=0)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N_M: int) -> Self:
        N, M = rng.randint(3, MAX_N_M), rng.randint(3, MAX_N_M)
        X = rng.randint(0, MAX_N_M)
        return cls(MAX_N_M=MAX_N_M, N=N, M=M, X=X, reference_answer=divisor_sum(N, M, X))

    def parse(self, text: str) -> int:
        return integer(text, low=0)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10

    def work(self) -> Work[str | None]:
        if max(self.N, self.M, self.X) > 15:
            return None  # larger numbers are too many, and their XORs not for the head
        values = range(
            1 + max(i ^ j ^ self.X for i in range(self.N + 1) for j in range(self.M + 1))
        )
        divisors = [[n for n in range(1, v + 1) if v % n == 0] for v in values]
        yield "Divisors: " + "; ".join(f"{v} has {spaced(divisors[v])}" for v in values[1:])
        yield state(f"d(0) to d({values[-1]})", map(len, divisors))
        yield f"For each i, take c = i XOR {self.X}, then c XOR j for j = 0 to {self.M}, and add up"
        yield "their numbers of divisors."
        cases: list[tuple[str, int]] = []
        for i in range(self.N + 1):
            c = i ^ self.X
            xors = [c ^ j for j in range(self.M + 1)]
            counts = [len(divisors[v]) for v in xors]
            text = f"c = {i} XOR {self.X} = {c}: {spaced(xors)}; {show_sum(counts)}"
            cases.append((text, sum(counts)))
        return str((yield from add_cases(cases)))


def divisor_sum(N: int, M: int, X: int) -> int:
    return sum(
        times * (divisor_counts_to(first + size - 1) - divisor_counts_to(max(0, first - 1)))
        for first, size, times in xor_ranges(N + 1, M + 1, X)
    )
