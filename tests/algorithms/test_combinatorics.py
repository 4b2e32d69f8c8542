from itertools import product
from math import comb
from random import Random

from rlve.algorithms.combinatorics import (
    binomial_modulo_prime_power,
    fillings_with_maxima,
    partitions,
)


def test_fillings_with_maxima():
    rng = Random(1)
    for _ in range(150):
        cells, top = rng.randint(1, 5), rng.randint(1, 3)
        maxima = [
            (rng.randrange(1, 1 << cells), rng.randint(1, top)) for _ in range(rng.randint(0, 5))
        ]
        modulus = rng.choice([1, 7, 1000])
        count = 0
        for values in product(range(1, top + 1), repeat=cells):
            count += all(
                max(values[i] for i in range(cells) if region >> i & 1) == maximum
                for region, maximum in maxima
            )
        assert fillings_with_maxima(cells, top, maxima, modulus) == count % modulus


def test_many_overlapping_regions_are_counted_quickly():
    n = 200
    regions = [((1 << 20) - 1) << i for i in range(n - 19)]
    gap_free = [1]  # of the sequences that end in the maximum, by length; at most 19 others between
    for length in range(1, n + 2):
        gap_free.append(sum(2**gap * gap_free[length - 1 - gap] for gap in range(min(length, 20))))
    pairs = [(region, 3) for region in regions]
    assert fillings_with_maxima(n, 3, pairs, 10**9 + 7) == gap_free[n + 1] % (10**9 + 7)


def test_partitions():
    def descending(n, largest):
        if n == 0:
            return [[]]
        return [
            [part, *rest]
            for part in range(min(n, largest), 0, -1)
            for rest in descending(n - part, part)
        ]

    for n in range(15):
        assert list(partitions(n)) == descending(n, n)


def test_binomial_modulo_prime_power():
    for p, e in ((2, 1), (2, 6), (3, 2), (5, 3), (7, 1)):
        for n in range(70):
            for k in range(n + 1):
                assert binomial_modulo_prime_power(n, k, p, e) == comb(n, k) % p**e
    for n, k in ((4000, 1999), (3125, 625), (5000, 2500)):
        assert binomial_modulo_prime_power(n, k, 5, 5) == comb(n, k) % 5**5
