from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.modular import Matrix, matrix_power, matrix_product
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import exact_residue

MAX_MOD = 10_000

RULE = """F[n] be the sum of the {M} terms before it, or of all
terms before it if there are fewer: F[n] = F[n-1] + F[n-2] + ... + F[n-k] with
k = min(n, {M})."""


class ConcatenationPartitionCountingSum(Environment[int]):
    """Sum a recurrence's terms at the sums of the pieces, for all ways to cut a string of digits.

    For M = 1, a fifth of the problems, all terms are 1 and the answer is 2^(N-1) modulo MOD.
    """

    N: int
    M: int
    S: str
    MOD: int
    reference_answer: int

    max_difficulty = 30  # at 40, generating a problem takes too long

    template = """
        Let F[0] = 1, and for every n >= 1 let {rule}

        Here is a string of {N} digits:

        {S}

        It can be cut into one or more consecutive non-empty pieces in {ways}. Each piece
        is read as a decimal integer; leading zeros are allowed and change nothing. The value of a
        way to cut is F[s], where s is the sum of its pieces. (For example, 1|02 has the value
        F[3].)

        Give the sum of the values of all ways, modulo {MOD}.

        Output format: one integer from 0 to {last}.
        """

    def prompt(self) -> str:
        return self.fill(
            rule="F[n] = F[n-1]." if self.M == 1 else RULE.format(M=self.M),
            ways="1 way" if self.N == 1 else f"2^{self.N - 1} ways",
            last=self.MOD - 1,
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(2, d), "M": M} for M in range(1, 6)]

    @classmethod
    def sample(cls, rng: Random, N: int, M: int) -> Self:
        S = "".join(rng.choice("0123456789") for _ in range(N))
        MOD = rng.randint(2, MAX_MOD)
        return cls(N=N, M=M, S=S, MOD=MOD, reference_answer=value_sum(S, M, MOD))

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact_residue(answer, self.reference_answer, self.MOD)


def value_sum(S: str, M: int, MOD: int) -> int:
    """The sum of F[s] modulo MOD over all ways to cut S.

    A step of the recurrence is a matrix Q that takes F[n-1], ..., F[n-M] to F[n], ..., F[n-M+1].
    Each way to cut is Q^s times the start. From the right, s can be built up piece by piece, and
    each piece digit by digit: for each end of a first piece, `pieces` holds the sum over all ways
    to cut what is right of it, already multiplied by Q to the power of the piece so far.
    """
    step = [[1] * M, *([int(i == j) for j in range(M)] for i in range(M - 1))]
    scales = powers_of_ten(step, len(S), MOD)
    whole = [1] + [0] * (M - 1)  # F[0] and the zeros before it
    pieces: list[list[int]] = []
    for digit in map(int, reversed(S)):
        pieces.insert(0, whole)
        if digit:
            pieces = [
                transformed(scale[digit], v, MOD) for scale, v in zip(scales, pieces, strict=False)
            ]
        whole = [sum(entries) % MOD for entries in zip(*pieces, strict=True)]
    return whole[0] % MOD


def powers_of_ten(step: Matrix, count: int, MOD: int) -> list[list[Matrix]]:
    """For each t below the count, the powers of the matrix with exponents 0, 10^t, ..., 9*10^t."""
    scales: list[list[Matrix]] = []
    for _ in range(count):
        multiples = [matrix_power(step, 0, MOD)]
        for _ in range(9):
            multiples.append(matrix_product(multiples[-1], step, MOD))
        scales.append(multiples)
        step = matrix_product(multiples[-1], step, MOD)
    return scales


def transformed(matrix: Matrix, vector: list[int], MOD: int) -> list[int]:
    return [sum(x * y for x, y in zip(row, vector, strict=True)) % MOD for row in matrix]
