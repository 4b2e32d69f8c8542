from math import gcd
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.rewards import INVALID, exact
from rlve.sampling.rejection import prefer, redraw
from rlve.work import Work, inverse_mod


class CongruentEquation(Environment[int]):
    """Find the inverse of an integer modulo another.

    The inverse of A is 1 if A leaves remainder 1, which happens in half of the draws at low levels.
    Such a pair is redrawn once.
    """

    MAX_A_B: int
    A: int
    B: int
    reference_answer: int

    max_difficulty = 1_000  # the highest difficulty measured

    template = """
        Find the smallest positive integer x such that {A} * x leaves remainder 1 when it is divided
        by {B}.

        Output format: one positive integer, x.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_A_B": 5 * 2**d}]

    @classmethod
    def sample(cls, rng: Random, MAX_A_B: int) -> Self:
        A, B = prefer(
            lambda: coprime_pair(rng, MAX_A_B), lambda pair: pair[0] % pair[1] != 1, tries=2
        )
        return cls(MAX_A_B=MAX_A_B, A=A, B=B, reference_answer=pow(A, -1, B))

    def parse(self, text: str) -> int:
        return integer(text, low=1)

    def score(self, answer: int) -> float:
        if self.A * answer % self.B != 1:
            return INVALID
        return exact(answer == self.reference_answer)

    def work(self) -> Work[str]:
        A, B = self.A, self.B
        if A % B != 1:
            yield f"Write numbers as {A} times a factor, up to multiples of {B}."
            yield f"{B} itself has the factor 0. Divide until the remainder is 1: the factor of a"
            yield "remainder is the one before the last, less the quotient times the last."
        x = yield from inverse_mod(A, B)
        yield f"So x = {x}"
        return str(x)


def coprime_pair(rng: Random, high: int) -> tuple[int, int]:
    return redraw(
        lambda: (rng.randint(1, high), rng.randint(2, high)), lambda pair: gcd(*pair) == 1
    )
