from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integers
from rlve.rewards import WRONG, ratio
from rlve.sampling.rejection import redraw
from rlve.text import spaced
from rlve.work import Work, divide, is_easy, modulo, subtract


class NegativeBase(Environment[list[int]]):
    """Write an integer in a negative base."""

    MAX_N: int
    MAX_R: int
    N: int  # not 0
    R: int  # the base is -R
    gold_answer: list[int]  # the digits, most significant first
    reference_answer: str

    max_difficulty = 1_000  # the highest difficulty measured

    template = """
        In base -R, for an integer R >= 2, the digits d_k, ..., d_1, d_0 stand for the sum of
        d_i * (-R)^i over all i from 0 to k. Each digit is an integer from 0 to R - 1, and the
        first digit d_k is not 0. Every integer except 0 is written in base -R in exactly one way.
        For example, -28 is written 2 12 in base -20, because 2 * (-20) + 12 = -28.

        Write the decimal number {N} in base -{R}.

        Output format: the digits on one line, from the most significant one to the least
        significant one, each as a decimal number from 0 to {largest}, separated by spaces, even
        if every digit is below 10, without leading zeros.
        """

    def prompt(self) -> str:
        return self.fill(largest=self.R - 1)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        MAX_N = 4 * 2**d
        return [{"MAX_N": MAX_N, "MAX_R": min(MAX_N, 16)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N: int, MAX_R: int) -> Self:
        N = redraw(lambda: rng.randint(-MAX_N, MAX_N), until=lambda n: n != 0)
        R = rng.randint(2, MAX_R)
        gold = digits(N, R)
        return cls(
            MAX_N=MAX_N, MAX_R=MAX_R, N=N, R=R, gold_answer=gold, reference_answer=spaced(gold)
        )

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if len(answer) != len(self.gold_answer):
            return WRONG
        right = sum(x == gold for x, gold in zip(answer, self.gold_answer, strict=True))
        return ratio(right, len(answer))

    def work(self) -> Work[str]:
        R = self.R
        yield f"The last digit is the remainder modulo {R}. Take it away, divide by -{R}, and go on"
        yield "until 0 is left."
        found: list[int] = []
        n = self.N
        while n:
            digit = yield from modulo(n, R)
            found.append(digit)
            rest = (yield from subtract(n, digit)) if digit else n
            if not is_easy("/", rest, R):
                yield from divide(abs(rest), R)
            n = rest // -R
            yield f"{'' if is_easy('/', rest, R) else 'So '}{rest} / -{R} = {n}, digit {digit}"
        yield f"Digits from the last to the first: {spaced(found)}"
        yield f"So the digits are {spaced(found[::-1])}"
        return spaced(found[::-1])


def digits(n: int, R: int) -> list[int]:
    """The digits of n in base -R, most significant first."""
    reverse: list[int] = []
    while n:
        digit = n % R
        reverse.append(digit)
        n = (n - digit) // -R
    return reverse[::-1]
