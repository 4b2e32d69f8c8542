from math import factorial, prod
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.primes import primes_up_to
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import INVALID, exact


class HeapCounting(Environment[int]):
    """Count the permutations that are heaps, modulo a prime.

    The prime is greater than N, as smaller ones usually divide the number of heaps.
    """

    MAX_N: int
    N: int
    P: int  # the modulus
    reference_answer: int

    max_difficulty = 70  # at 90, generating a problem takes too long

    template = """
        Count the permutations A[1] to A[{N}] of the integers 1 to {N} such that
        A[i] > A[floor(i / 2)] for every i from 2 to {N}. Here floor(i / 2) is i / 2, rounded down.

        Give the number of permutations modulo the prime {P}.

        Output format: one integer from 0 to {last}.
        """

    def prompt(self) -> str:
        return self.fill(last=self.P - 1)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N": grow(10, d)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N: int) -> Self:
        N = rng.randint(3, MAX_N)
        P = rng.choice([prime for prime in primes_up_to(5 * N) if prime > N])
        return cls(MAX_N=MAX_N, N=N, P=P, reference_answer=heaps(N) % P)

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        if not 0 <= answer < self.P:
            return INVALID
        return exact(answer == self.reference_answer)


def heaps(N: int) -> int:
    """The number of heaps: N! divided by the size of each subtree, whose root is its minimum."""
    sizes = [1] * (N + 1)
    for i in range(N, 1, -1):
        sizes[i // 2] += sizes[i]
    return factorial(N) // prod(sizes[1:])
