from random import Random

import pytest

from rlve.envs.number_theory.next_palindromic import NextPalindromic

PROBLEM = NextPalindromic(digit_num=3, N=191, reference_answer="202")
SCHEDULE = {d: {"digit_num": n} for d, n in enumerate([2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16])}
REWARDS = {
    1.0: ["202", "0202"],
    (202 / 212) ** 5: ["212"],
    (202 / 2002) ** 5: ["2002"],
    0.0: ["9" * 1000],
    -0.5: ["191", "181", "203", "-202"],
    -1.0: ["9" * 4002, "202.0", ""],
}
SAMPLES = {300: {"digit_num": range(1, 6)}}


def test_answer_is_the_next_palindrome(problem):
    assert int(problem.reference_answer) == count_up(problem.N)


@pytest.mark.parametrize("N", [1, 8, 9, 10, 11, 88, 98, 99, 100, 101, 899, 989, 998, 999, 1991])
def test_answer_where_digits_carry(N):
    problem = NextPalindromic.sample(Fixed(N), digit_num=4)
    assert problem.reference_answer == str(count_up(N))


class Fixed(Random):
    """Draws one and the same number."""

    def __init__(self, value):
        super().__init__(0)
        self.value = value

    def randint(self, a, b):
        return self.value


def count_up(n):
    n += 1
    while list(str(n)) != list(reversed(str(n))):
        n += 1
    return n
