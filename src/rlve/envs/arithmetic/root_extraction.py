from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import decimal
from rlve.levels import grow

PLACES = 5


class RootExtraction(Environment[float]):
    """Compute the K-th root of an integer to five decimal places.

    N = 1 and K = 1, which need no calculation, are never drawn.
    """

    MAX_N: int
    MAX_K: int
    N: int
    K: int
    reference_answer: float

    guessable = "At difficulty 0, only the square roots of 2 and 3 are left."

    max_difficulty = 500  # at 620, generating a problem takes too long
    unique_up_to = None  # several answers can be right

    template = """
        Compute the K-th root of N for K = {K} and N = {N}, that is, the positive real number x with
        x^{K} = {N}, rounded to {places} decimal places. An answer that differs from this by at most
        0.0001 is right.

        Output format: one decimal number, such as 12.34567. Zeros at its end may be left out.
        """

    def prompt(self) -> str:
        return self.fill(places=PLACES)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N": grow(3, d, by=1.5, plus=0), "MAX_K": 2 + d}]

    @classmethod
    def sample(cls, rng: Random, MAX_N: int, MAX_K: int) -> Self:
        N, K = rng.randint(2, MAX_N), rng.randint(2, MAX_K)
        return cls(MAX_N=MAX_N, MAX_K=MAX_K, N=N, K=K, reference_answer=rounded_root(N, K))

    @property
    def passing(self) -> float:
        return (1 / 1.0001) ** 2

    def parse(self, text: str) -> float:
        return decimal(text)

    def score(self, answer: float) -> float:
        # Without the rounding, 2.0001 would be more than 0.0001 away from 2.
        distance = round(abs(answer - self.reference_answer), 12)
        return (1 / (1 + distance)) ** 2


def rounded_root(N: int, K: int) -> float:
    """The float nearest the rounded root, by bisection on integers."""
    unit = 10**PLACES
    low, high = 0, N * unit + 1  # the rounded root is low / unit or more, and below high / unit
    while high - low > 1:
        middle = (low + high) // 2
        if (2 * middle - 1) ** K <= N * (2 * unit) ** K:  # middle - 1/2 <= root * unit
            low = middle
        else:
            high = middle
    return low / unit
