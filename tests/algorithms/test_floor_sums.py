from math import cos, gcd, pi
from random import Random

from rlve.algorithms.floor_sums import (
    coprime_pairs,
    divisor_counts_to,
    mertens,
    quotient_blocks,
    squares_to,
    sum_to,
)


def test_quotient_blocks_are_the_runs_of_equal_quotients():
    rng = Random(0)
    for _ in range(200):
        limit, start = rng.randint(0, 60), rng.randint(1, 10)
        numerators = [rng.randint(0, 60) for _ in range(rng.randint(0, 3))]
        runs: list[tuple[int, int]] = []
        for i in range(start, limit + 1):
            same = runs and all(n // i == n // (i - 1) for n in numerators)
            runs[-1:] = [(runs[-1][0], i)] if same else [*runs[-1:], (i, i)]
        assert list(quotient_blocks(limit, *numerators, start=start)) == runs


def test_quotient_blocks_are_few():
    assert sum(1 for _ in quotient_blocks(10**6, 10**6)) < 2000


def test_mertens():
    sums = [0]
    for n in range(1, 300):
        # The Moebius function of n is the sum of the primitive n-th roots of unity.
        sums.append(sums[-1] + round(sum(cos(2 * pi * k / n) for k in range(n) if gcd(k, n) == 1)))
    prefix = mertens(299)
    assert [prefix(n) for n in range(300)] == sums
    assert [mertens(n)(n) for n in range(1, 300)] == sums[1:]
    assert mertens(10**6)(10**6) == 212
    assert mertens(10**6)(10**5) == -48


def test_coprime_pairs():
    prefix = mertens(25)
    for n in range(26):
        for m in range(26):
            pairs = sum(gcd(x, y) == 1 for x in range(1, n + 1) for y in range(1, m + 1))
            assert coprime_pairs(n, m, prefix) == pairs


def test_sums_up_to():
    for n in range(200):
        assert sum_to(n) == sum(range(n + 1))
        assert squares_to(n) == sum(i * i for i in range(n + 1))
        assert divisor_counts_to(n) == sum(n // i for i in range(1, n + 1))
