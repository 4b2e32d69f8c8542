from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import exact_residue
from rlve.work import Work, multiply_mod, power_mod, subtract


class SameAdjacencyCounting(Environment[int]):
    """Count the sequences in which some two neighbours are equal.

    M divides the count, so MOD is never M, which would make the answer 0. It is drawn from M + 1 to
    10 * M; up to 2 * M, as published, would leave only two answers at d = 0.
    """

    MAX_N: int
    MAX_M: int
    N: int
    M: int
    MOD: int
    reference_answer: int

    max_difficulty = 1_000  # the highest difficulty measured

    template = """
        Count the sequences of {N} integers, each from 1 to {M}, in which there is at least one pair
        of neighbouring elements that are equal. Give the count modulo {MOD}.

        Output format: one integer from 0 to {largest}.
        """

    def prompt(self) -> str:
        return self.fill(largest=self.MOD - 1)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N": grow(7, d, by=1.5), "MAX_M": grow(2, d, by=1.5)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N: int, MAX_M: int) -> Self:
        N, M = rng.randint(2, MAX_N), rng.randint(2, MAX_M)
        MOD = rng.randint(M + 1, 10 * M)
        different = M * pow(M - 1, N - 1, MOD)  # all neighbours differ
        return cls(
            MAX_N=MAX_N,
            MAX_M=MAX_M,
            N=N,
            M=M,
            MOD=MOD,
            reference_answer=(pow(M, N, MOD) - different) % MOD,
        )

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact_residue(answer, self.reference_answer, self.MOD)

    def work(self) -> Work[str]:
        N, M, MOD = self.N, self.M, self.MOD
        yield (
            f"All sequences: {M}^{N}. Without equal neighbours: {M} choices for the first element,"
        )
        yield f"{M} - 1 = {M - 1} for each of the other {N} - 1 = {N - 1}. Take these away."
        yield "For each binary digit of an exponent after the first, square, and if it is 1,"
        yield "multiply by the base."
        every = yield from power_mod(M, N, MOD)
        if M == 2:
            yield f"1^{N - 1} = 1"
        rest = 1 if M == 2 else (yield from power_mod(M - 1, N - 1, MOD))
        different = yield from multiply_mod(M, rest, MOD)
        result = yield from subtract(every, different)
        if result < 0:
            yield f"{result} + {MOD} = {result + MOD}"
        yield f"So the count is {result % MOD}"
        return str(result % MOD)
