from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.modular import discrete_logarithm
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import RIGHT, WRONG, ratio
from rlve.sampling.rejection import prefer, spread
from rlve.work import Work, multiply_mod

LARGE = 1_000


class DiscreteLogarithm(Environment[int]):
    """Find the smallest exponent for which a power has a given remainder.

    At low levels, half of the draws have the answer 1, and K = 1 has the answer 0. So these are
    redrawn, and of several draws each answer is equally likely.
    """

    MAX_Z: int
    Z: int
    X: int
    Y: int  # the exponent K was made with, not necessarily the smallest
    K: int
    reference_answer: int

    max_difficulty = 100  # at 130, generating a problem takes too long

    template = """
        Find the smallest integer y >= 0 such that

        {X}^y mod {Z} = {K}

        where a mod b is the remainder of a divided by b, and {X}^0 = 1. Such a y exists.

        Output format: one non-negative integer, y.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_Z": grow(10, d, by=1.2)}]

    @classmethod
    def sample(cls, rng: Random, MAX_Z: int) -> Self:
        def draw() -> Self:
            return prefer(lambda: cls.draw(rng, MAX_Z), lambda p: p.reference_answer > 1, tries=2)

        draws = 4 if MAX_Z < LARGE else 1
        return spread(rng, draw, by=lambda p: p.reference_answer, draws=draws)

    @classmethod
    def draw(cls, rng: Random, MAX_Z: int) -> Self:
        Z = rng.randint(2, MAX_Z)
        X, Y = rng.randint(2, Z), rng.randint(2, Z)
        K = pow(X, Y, Z)
        return cls(MAX_Z=MAX_Z, Z=Z, X=X, Y=Y, K=K, reference_answer=discrete_logarithm(X, K, Z))

    def parse(self, text: str) -> int:
        return integer(text, low=0)

    def score(self, answer: int) -> float:
        if answer == self.reference_answer:
            return RIGHT
        if pow(self.X, answer, self.Z) != self.K:
            return WRONG
        return ratio(self.reference_answer, answer) ** 2

    def work(self) -> Work[str]:
        y, value = 0, 1 % self.Z
        yield f"y = 0 gives {value}. For the next y, multiply by {self.X} modulo {self.Z}."
        while value != self.K:
            value = yield from multiply_mod(value, self.X, self.Z)
            y += 1
            yield f"So y = {y} gives {value}"
        yield f"This is the first y that gives {self.K}, so the answer is {y}"
        return str(y)
