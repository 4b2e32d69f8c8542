from math import floor, log2
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.rewards import exact_residue
from rlve.text import listed
from rlve.work import Work, divide, modulo, multiply, power, subtract

MAX_MOD = 1_000_000_000


class IndividualSumBounded_SequenceCounting(Environment[int]):
    """Count the integer sequences with bounded elements and a bounded sum, modulo a number."""

    MAX_N: int
    N: int
    K: int
    M: int
    MOD: int
    reference_answer: int

    max_difficulty = 1_000  # the highest difficulty measured

    template = """
        Count the sequences of {K} integers X[1] to X[{K}] for which all of the following hold:
        - X[1] >= 1;
        - 1 <= X[i] <= {M} for every i > 1;
        - {total} <= {N}.

        Give the number of sequences modulo {MOD}.

        Output format: one integer from 0 to {last}.
        """

    def prompt(self) -> str:
        return self.fill(total=listed("X[{}]", 1, self.K, " + "), last=self.MOD - 1)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N": 4 * 2**d}]

    @classmethod
    def sample(cls, rng: Random, MAX_N: int) -> Self:
        N = rng.randint(2, MAX_N)
        K = min(max(2, floor(2 ** rng.uniform(1, log2(N)))), N)
        M = rng.randint(1, (N - 1) // (K - 1))
        MOD = rng.randint(2, MAX_MOD)
        return cls(MAX_N=MAX_N, N=N, K=K, M=M, MOD=MOD, reference_answer=sequences(N, K, M, MOD))

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact_residue(answer, self.reference_answer, self.MOD)

    def work(self) -> Work[str]:
        N, K, M = self.N, self.K, self.M
        yield (
            f"All X but X[1] can be chosen in {M}^({K} - 1) ways, "
            f"and each is ({M} + 1) / 2 on average."
        )
        yield (
            f"Their sum is at most ({K} - 1) * {M} < {N}, so {N} minus it is "
            "the number of choices for X[1]."
        )
        yield f"So the number is {M}^({K} - 1) * (2 * {N} - ({K} - 1) * ({M} + 1)) / 2"
        yield f"{K} - 1 = {K - 1}, {M} + 1 = {M + 1}"
        ways = yield from power(M, K - 1)
        twice = yield from subtract(
            (yield from multiply(2, N)), (yield from multiply(K - 1, M + 1))
        )
        product = yield from multiply(ways, twice)
        half, _ = yield from divide(product, 2)
        answer = yield from modulo(half, self.MOD)
        yield f"So the answer is {answer}"
        return str(answer)


def sequences(N: int, K: int, M: int, MOD: int) -> int:
    """The number of sequences modulo MOD, for K >= 2 and 1 + M * (K - 1) <= N.

    However X[2], ..., X[K] are chosen, N minus their sum is the number of choices for X[1]. For
    each v from 1 to M, each of them is v in M^(K-2) of the choices.
    """
    choices = pow(M, K - 2, MOD)
    return (N * M - (K - 1) * (M * (M + 1) // 2)) * choices % MOD
