from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.arrays import is_permutation
from rlve.algorithms.primes import primes_up_to
from rlve.answers import integers
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.text import spaced
from rlve.work import Work, divide, is_easy, state


class PrefixProductMODDistinctPermutation(Environment[list[int]]):
    """Find a permutation of 1 to N whose prefix products are distinct modulo N.

    N alone determines the problem, so a level has few of them: four at d = 0.
    """

    MAX_N: int
    N: int
    reference_answer: str

    max_difficulty = 12  # answers have up to 3,000 digits, and over 4,000 at the next level
    unique_up_to = None  # several answers can be right

    template = """
        Find a permutation of the integers 1 to {N} whose {N} prefix products are pairwise different
        modulo {N}. The prefix products are the products of the first k elements, for k = 1 to {N}.
        There is at least one, and any is accepted.

        Output format: one line with the {N} integers of the permutation, separated by spaces.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N": grow(8, d, by=1.5, plus=0)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N: int) -> Self:
        N = rng.choice([4, *primes_up_to(MAX_N)[1:]])
        return cls(MAX_N=MAX_N, N=N, reference_answer=spaced(with_distinct_products(N)))

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if not is_permutation(answer, self.N, first=1):
            return INVALID
        residues: set[int] = set()
        product = 1
        for value in answer:
            product = product * value % self.N
            residues.add(product)
        return ratio(len(residues), self.N) ** 10

    def work(self) -> Work[str]:
        n = self.N
        if n == 4:
            yield "4 must be last, as all products from it on are 0, modulo 4. 1 must be first:"
            yield "elsewhere it repeats a product."
            yield "1 2 3 4: 1, 2, 2 * 3 mod 4 = 2, no"
            yield "1 3 2 4: 1, 3, 3 * 2 mod 4 = 2, 2 * 4 mod 4 = 0, yes"
            return "1 3 2 4"
        yield f"{n} must be last, as all products from it on are 0, modulo {n}. Begin with 1, and"
        yield f"let the products be 1, 2, 3 and so on, modulo {n}. So after i, look for x with"
        yield f"i * x equal to i + 1, modulo {n}: add {n} to i + 1 until i divides it."
        yield f"As i * (x - 1) is 1, modulo {n}, no x is 1, and none comes twice."
        order = [1]
        for i in range(1, n - 1):
            product = i + 1
            steps: list[str] = []
            while product % i:
                steps.append(f"{product} + {n} = {product + n}")
                product += n
            if is_easy("/", product, i):
                steps.append(f"{product} / {i} = {product // i}")
            yield f"i = {i}: {', '.join(steps)}"
            if not is_easy("/", product, i):
                yield from divide(product, i)
            order.append(product // i)
        order.append(n)
        yield state("Permutation", order)
        return spaced(order)


def with_distinct_products(n: int) -> list[int]:
    """A permutation for n = 4 or a prime n > 2, with the prefix products 1, 2, ..., n - 1, 0."""
    if n == 4:
        return [1, 3, 2, 4]
    return [1, *((i + 1) * pow(i, -1, n) % n for i in range(1, n - 1)), n]
