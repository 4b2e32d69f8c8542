from operator import mul
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import exact_residue

MAX_MOD = 1_000_000


class FixedModK_Selection_Counting(Environment[int]):
    """Count the subsets whose size has a given remainder, modulo a number."""

    MAX_N: int
    MAX_K: int
    N: int
    K: int
    R: int
    MOD: int
    reference_answer: int

    max_difficulty = 30  # at 40, generating a problem takes too long

    template = """
        Let C(a, b) be the number of ways to choose b of a objects, and 0 for b > a. Compute the sum
        of C(n*k, i*k + r) over all integers i >= 0, that is, the number of subsets of n*k objects
        whose size has the remainder r when divided by k. Here n = {N}, k = {K} and r = {R}, so
        n*k = {objects}.

        Give the sum modulo {MOD}.

        Output format: one integer from 0 to {last}.
        """

    def prompt(self) -> str:
        return self.fill(objects=self.N * self.K, last=self.MOD - 1)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N": 8 * 2**d, "MAX_K": grow(5, d)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N: int, MAX_K: int) -> Self:
        N, K = rng.randint(1, MAX_N), rng.randint(2, MAX_K)
        R, MOD = rng.randrange(K), rng.randint(2, MAX_MOD)
        gold = selections(N * K, K, MOD)[R]
        return cls(MAX_N=MAX_N, MAX_K=MAX_K, N=N, K=K, R=R, MOD=MOD, reference_answer=gold)

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact_residue(answer, self.reference_answer, self.MOD)


def selections(objects: int, K: int, MOD: int) -> list[int]:
    """For each remainder, the number of subsets whose size has it modulo K, modulo MOD.

    These are the coefficients of (1 + x)^objects modulo x^K - 1.
    """
    counts = [1 % MOD] + [0] * (K - 1)
    for bit in f"{objects:b}":
        counts = [x % MOD for x in cyclic_square(counts)]
        if bit == "1":
            counts = [(counts[r] + counts[r - 1]) % MOD for r in range(K)]
    return counts


def cyclic_square(a: list[int]) -> list[int]:
    size = len(a)
    backwards = a[::-1] * 2
    return [sum(map(mul, a, backwards[size - 1 - i :])) for i in range(size)]
