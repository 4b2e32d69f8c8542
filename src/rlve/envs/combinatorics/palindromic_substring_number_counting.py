from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import closeness
from rlve.sampling.rejection import spread
from rlve.text import spaced
from rlve.work import Work, add_to


class PalindromicSubstringNumberCounting(Environment[int]):
    """Count the integers in a range that contain a palindrome of at least two digits.

    Small ranges hold few such integers, so each count among several draws is equally likely. At d =
    0, R is 20 and the count is 0 or 1.
    """

    MAX_R: int
    R: int
    L: int
    reference_answer: int

    max_difficulty = 1_000  # the highest difficulty measured

    template = """
        Call a positive integer good if its decimal notation, without leading zeros, has a
        contiguous part of at least two digits that is a palindrome, that is, reads the same
        forwards and backwards. For example, 5227 is good because of 22 and 1636 because of 636, but
        1231 and 7 are not good.

        Count the good integers x with {L} <= x <= {R}.

        Output format: one integer, the exact count; it can be 0.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_R": grow(20, d, by=1.5, plus=0)}]

    @classmethod
    def sample(cls, rng: Random, MAX_R: int) -> Self:
        def draw() -> tuple[int, int]:
            R = rng.randint(20, MAX_R)
            return rng.randint(1, R - 1), R

        L, R = spread(rng, draw, by=lambda drawn: count_good(*drawn))
        return cls(MAX_R=MAX_R, R=R, L=L, reference_answer=count_good(L, R))

    def parse(self, text: str) -> int:
        return integer(text, low=0)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10

    def work(self) -> Work[str]:
        yield "Every longer palindrome has one of two or three digits at its centre."
        yield "So a number is good if and only if a digit equals one of the two digits before it."
        total = 0
        for tens in range(self.L // 10, self.R // 10 + 1):
            before = str(tens) if tens else ""
            low, high = max(self.L - 10 * tens, 0), min(self.R - 10 * tens, 9)
            every = any(digit in before[max(0, i - 2) : i] for i, digit in enumerate(before))
            good = [x for x in range(low, high + 1) if every or str(x) in before[-2:]]
            found = f"{spaced(good) or 'none'}, so {len(good)}"
            total = yield from add_to(
                total, len(good), f"Tens {tens}, last digit {low} to {high}: good with {found}"
            )
        yield f"So the number of good integers is {total}"
        return str(total)


def count_good(low: int, high: int) -> int:
    """The number of good integers from low to high."""
    return (high - low + 1) - (count_others(high) - count_others(low - 1))


def count_others(n: int) -> int:
    """The number of integers in 1..n that are not good.

    A longer palindrome has one of two or three digits at its centre, so in these integers each
    digit differs from the two before it.
    """
    digits = [int(digit) for digit in str(n)]
    length = len(digits)
    count = sum(9 * completions(1, shorter) for shorter in range(1, length))
    for i, digit in enumerate(digits):
        before = digits[max(0, i - 2) : i]
        smaller = sum(choice not in before for choice in range(i == 0, digit))
        count += smaller * completions(i + 1, length)
        if digit in before:
            return count
    return count + (n > 0)


def completions(placed: int, length: int) -> int:
    """How many ways there are to complete an integer of this length from its first digits."""
    count = 1
    for i in range(placed, length):
        count *= 9 if i == 1 else 8
    return count
