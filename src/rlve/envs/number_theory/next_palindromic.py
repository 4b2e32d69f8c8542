from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.text import spaced
from rlve.work import Work, add

MAX_DIGITS = 4000


class NextPalindromic(Environment[int]):
    """Find the smallest palindrome that is larger than a given number."""

    digit_num: int  # N has at most this many digits
    N: int
    reference_answer: str  # the decimal digits of the palindrome

    max_difficulty = 65  # 3,669 digits; the next level exceeds the limit for answers

    template = """
        A positive integer is a palindrome if its decimal notation, without leading zeros, reads the
        same from left to right as from right to left.

        Find the smallest palindrome that is strictly greater than {N}.

        Output format: one integer, the palindrome.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"digit_num": grow(2, d)}]

    @classmethod
    def sample(cls, rng: Random, digit_num: int) -> Self:
        N = rng.randint(1, 10**digit_num - 1)
        return cls(digit_num=digit_num, N=N, reference_answer=next_palindrome(N))

    def parse(self, text: str) -> int:
        return integer(text, max_digits=MAX_DIGITS)

    def score(self, answer: int) -> float:
        if answer <= self.N or str(answer) != str(answer)[::-1]:
            return INVALID
        return ratio(int(self.reference_answer), answer) ** 5

    def work(self) -> Work[str]:
        least = yield from add(self.N, 1)
        digits = str(least)
        half = digits[: (len(digits) + 1) // 2]
        yield f"Look for the first palindrome from {least} on."
        middle = ", middle included," if len(digits) % 2 else ""
        yield f"The first half of {least}{middle} is {half}"
        found = mirrored(half, len(digits))
        yield f"Digits {spaced(found)}, mirrored: {found}"
        if int(found) < least:
            yield f"{found} < {least}, so the first half must be one more"
            larger = str((yield from add(int(half), 1)))
            found = mirrored(larger, len(digits))
            yield f"Digits {spaced(found)}, mirrored: {found}"
        yield f"{found} >= {least}, so it is {found}"
        return found


def next_palindrome(n: int) -> str:
    """The digits of the smallest palindrome above n.

    The first half of n + 1, mirrored, is a palindrome but may be too small. Then the first half
    must be one more; in that case it has a digit below 9, so its length stays the same.
    """
    least = str(n + 1)
    half = least[: (len(least) + 1) // 2]
    palindrome = mirrored(half, len(least))
    return palindrome if palindrome >= least else mirrored(str(int(half) + 1), len(least))


def mirrored(half: str, length: int) -> str:
    """The palindrome of the given length whose first half, with any middle digit, is `half`."""
    return half + half[: length // 2][::-1]
