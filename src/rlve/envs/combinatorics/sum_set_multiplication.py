from math import comb, factorial
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import exact_residue

MODULI = (666623333, 998244353, 1000000007)


class SumSetMultiplication(Environment[int]):
    """Add up the products of all sequences of distinct integers.

    At d = 0, N is 3 and K is from 4 to 8, so there are five answers.
    """

    MAX_N: int
    MAX_K: int
    N: int
    K: int
    MOD: int
    reference_answer: int

    max_difficulty = 250  # at 340, generating a problem takes too long

    template = """
        Consider all sequences of {N} pairwise distinct integers from 1 to {K}. Sequences that
        consist of the same integers in a different order are different sequences. The value of a
        sequence is the product of its {N} integers.

        Compute the sum of the values of all these sequences, modulo {MOD}.

        Output format: one integer from 0 to {largest}.
        """

    def prompt(self) -> str:
        return self.fill(largest=self.MOD - 1)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N": 3 + d, "MAX_K": grow(8, d, by=1.5, plus=0)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N: int, MAX_K: int) -> Self:
        N = rng.randint(3, MAX_N)
        K = rng.randint(N + 1, MAX_K)
        MOD = rng.choice(MODULI)
        return cls(
            MAX_N=MAX_N,
            MAX_K=MAX_K,
            N=N,
            K=K,
            MOD=MOD,
            reference_answer=sum_of_products(N, K) % MOD,
        )

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact_residue(answer, self.reference_answer, self.MOD)


def sum_of_products(N: int, K: int) -> int:
    """The sum over all sequences of N distinct integers from 1 to K, in O(N^2) steps.

    It is N! times the sum over sets, which is the number of permutations of K + 1 elements with N
    fewer cycles than elements. Such a permutation moves N + j elements in some number j of cycles.
    """
    moving = [1]  # permutations of n + j elements in j cycles, none of which is a fixed point
    for n in range(1, N + 1):
        moving = [
            (n + j - 1) * (with_j + with_fewer)
            for j, (with_j, with_fewer) in enumerate(zip([*moving, 0], [0, *moving], strict=True))
        ]
    return factorial(N) * sum(number * comb(K + 1, N + j) for j, number in enumerate(moving))
