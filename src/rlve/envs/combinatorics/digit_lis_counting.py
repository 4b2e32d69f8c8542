from functools import cache
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.rewards import closeness

DIGITS = range(10)


class DigitLISCounting(Environment[int]):
    """Count the integers in a range whose longest increasing subsequence of digits has length K.

    The number 0 has one digit and power 1.
    """

    N: int
    R: int
    L: int
    K: int
    reference_answer: int

    max_difficulty = 250  # at 320, generating a problem takes too long

    template = """
        The power of a non-negative integer is defined by its digits in decimal notation, without
        leading zeros: it is the largest number of digits that one can keep, deleting the others,
        so that the kept digits strictly increase from left to right. (For example, 1213 has the
        power 3, because 1, 2 and 3 can be kept, and 0 has the power 1.)

        Count the integers n with {L} <= n <= {R} whose power is exactly {K}.

        Output format: one integer, the exact number of such n; it can be 0.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 2 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        R = rng.randint(10 ** (N - 1), 10**N - 1)
        L = rng.randint(0, R)
        K = rng.randint(1, min(N, 10))
        return cls(N=N, R=R, L=L, K=K, reference_answer=between(L, R, K))

    def parse(self, text: str) -> int:
        return integer(text, low=0)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10


def between(L: int, R: int, K: int) -> int:
    """The number of integers from L to R with the power K, for 0 <= L <= R."""
    ways = completions(len(str(R)), K)
    return below(R + 1, ways) - below(L, ways)


def completions(length: int, K: int) -> list[list[int]]:
    """For each number of further digits and each state: how many choices of them give power K.

    The state is a bit mask: the set of the smallest last digits of the increasing subsequences of
    each length. It has as many elements as the longest one.
    """
    steps = transitions()
    ways = [[int(state.bit_count() == K) for state in range(1024)]]
    for _ in range(length):
        shorter = ways[-1]
        ways.append([sum(map(shorter.__getitem__, row)) for row in steps])
    return ways


@cache
def transitions() -> list[list[int]]:
    """What each state becomes with each digit."""
    return [[extended(state, digit) for digit in DIGITS] for state in range(1024)]


def extended(state: int, digit: int) -> int:
    """The digit replaces the smallest element that is not smaller, if there is one."""
    larger = state >> digit << digit
    return state & ~(larger & -larger) | 1 << digit


def below(n: int, ways: list[list[int]]) -> int:
    """The number of non-negative integers below n that lead to the power of `ways`."""
    if n == 0:
        return 0
    steps, text = transitions(), str(n)
    count = sum(  # integers with fewer digits
        ways[length - 1][1 << digit]
        for length in range(1, len(text))
        for digit in range(int(length > 1), 10)
    )
    state = 0
    for position, digit in enumerate(map(int, text)):
        left = len(text) - position - 1
        lowest = int(position == 0 and len(text) > 1)
        count += sum(ways[left][steps[state][smaller]] for smaller in range(lowest, digit))
        state = steps[state][digit]
    return count
