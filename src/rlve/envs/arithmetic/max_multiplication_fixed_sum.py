from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import exact
from rlve.text import counted
from rlve.work import Work, divide, multiply, power


class MaxMultiplicationFixedSum(Environment[int]):
    """Find the largest product of positive integers with a given sum."""

    MAX_N: int
    N: int
    reference_answer: int

    max_difficulty = 19  # answers have up to 3,353 digits, and 5,029 at the next level

    template = """
        Some positive integers, not necessarily different and any number of them, add up to exactly
        {N}. What is the largest possible value of their product?

        Output format: one integer, the product in decimal digits, all of them written out, without
        thousands separators.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N": grow(10, d, by=1.5, plus=0)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N: int) -> Self:
        N = rng.randint(4, MAX_N)
        return cls(MAX_N=MAX_N, N=N, reference_answer=largest_product(N))

    def parse(self, text: str) -> int:
        return integer(text, max_digits=4000)

    def score(self, answer: int) -> float:
        return exact(answer == self.reference_answer)

    def work(self) -> Work[str]:
        N = self.N
        yield "A 1 is wasted: add it to another integer. Above 3, splitting off a 2 loses nothing,"
        yield (
            "as 2 * (n - 2) >= n. And 2 * 2 * 2 = 8 < 3 * 3 = 9: "
            "so take threes, and at most two twos."
        )
        threes, rest = yield from divide(N, 3)
        twos = -rest % 3
        if twos == 2:
            less = f"take one three fewer, {threes} - 1 = {threes - 1}"
            yield f"The rest is 1: {less}, and 2 twos, 2 * 2 = 4"
        else:
            ways = f"{counted(threes, 'three')} and {counted(twos, 'two')}"
            yield f"The rest is {rest}: {ways}"
        threes -= twos == 2
        product = yield from power(3, threes)
        if twos:
            product = yield from multiply(product, 2**twos)
        yield f"So the largest product is {product}"
        return str(product)


def largest_product(N: int) -> int:
    """For N >= 2: as many threes as possible, and one or two twos for the rest."""
    twos = -N % 3
    return 2**twos * 3 ** ((N - 2 * twos) // 3)
