"""Sums over rounded-down quotients, and the prefix sums they need."""

from collections.abc import Callable, Iterator
from itertools import accumulate
from math import isqrt

from rlve.algorithms.number_theory import moebius


def quotient_blocks(limit: int, *numerators: int, start: int = 1) -> Iterator[tuple[int, int]]:
    """The maximal ranges (first, last) of start .. limit on which every n // i is constant.

    There are at most 2 * sqrt(n) of them for each numerator n >= 0.
    """
    first = start
    while first <= limit:
        ends = [n // (n // first) for n in numerators if n >= first]
        last = min([limit, *ends])
        yield first, last
        first = last + 1


def mertens(high: int) -> Callable[[int], int]:
    """The function n -> mu(1) + ... + mu(n) for 0 <= n <= high, in about high^(2/3) steps.

    Small values come from a sieve, the others from the fact that mu(1) + ... + mu(n // i), summed
    over all i up to n, is 1.
    """
    known = dict(enumerate(accumulate(moebius(max(1, round(high ** (2 / 3)))))))

    def prefix(n: int) -> int:
        if n not in known:
            blocks = quotient_blocks(n, n, start=2)
            known[n] = 1 - sum((last - first + 1) * prefix(n // first) for first, last in blocks)
        return known[n]

    return prefix


def coprime_pairs(n: int, m: int, moebius_sum: Callable[[int], int]) -> int:
    """The number of pairs 1 <= x <= n, 1 <= y <= m with gcd 1, from the function of mertens()."""
    return sum(
        (moebius_sum(last) - moebius_sum(first - 1)) * (n // first) * (m // first)
        for first, last in quotient_blocks(min(n, m), n, m)
    )


def sum_to(n: int) -> int:
    """1 + 2 + ... + n."""
    return n * (n + 1) // 2


def squares_to(n: int) -> int:
    """1^2 + 2^2 + ... + n^2."""
    return n * (n + 1) * (2 * n + 1) // 6


def divisor_counts_to(n: int) -> int:
    """The number of divisors of 1, of 2, ..., of n, summed, in about sqrt(n) steps.

    That is the number of pairs x, y with x * y <= n; one of the two is at most sqrt(n).
    """
    root = isqrt(n)
    return 2 * sum(n // x for x in range(1, root + 1)) - root * root
