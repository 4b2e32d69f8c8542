from fractions import Fraction
from random import Random

import numpy as np
import pytest

from rlve.envs.combinatorics.royal_lock_counting import (
    TABULATED,
    RoyalLockCounting,
    count_placements,
    placements,
)

PROBLEM = RoyalLockCounting(N=3, K=2, reference_answer=16)
LARGEST = 3 + RoyalLockCounting.max_difficulty
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 20: {"N": 23}}
REWARDS = {1.0: ["16"], (1 / 2) ** 10: ["8", "32"], 0.0: ["0"], -1.0: ["-16", "16.0", ""]}


def test_gold_counts_the_placements():
    counts = {N: by_brute_force(N) for N in range(1, 6)}
    assert counts[3] == [1, 9, 16, 8, 1]
    for N, expected in counts.items():
        assert count_placements(N) == expected
    for seed in range(100):
        p = RoyalLockCounting.sample(Random(seed), N=3 + seed % 3)
        assert 1 <= p.K <= p.N**2 // 4
        assert p.reference_answer == counts[p.N][p.K]


def by_brute_force(N):
    """King by king, each on a later cell than those before."""
    cells = [(x, y) for x in range(N) for y in range(N)]
    counts, placed = [], [((), cells)]
    while placed:
        counts.append(len(placed))
        placed = [
            ((*kings, (x, y)), [(a, b) for a, b in free if (a, b) > (x, y) and apart(a - x, b - y)])
            for kings, free in placed
            for x, y in free
        ]
    return counts


def apart(dx, dy):
    return max(abs(dx), abs(dy)) > 1


def test_all_levels_have_their_counts():
    for d in range(RoyalLockCounting.max_difficulty + 1):
        N = RoyalLockCounting.level(d)[0]["N"]
        counts = placements(N)
        assert len(counts) == ((N + 1) // 2) ** 2 + 1
        assert all(counts)
    assert placements(TABULATED) == count_placements(TABULATED)


def test_few_kings_on_a_large_board():
    """From N = K - 1 on the count is a polynomial in N of degree 2K."""
    for K in range(6):
        sizes = range(5, 5 + 2 * K + 1)
        for N in range(TABULATED, LARGEST + 1):
            total = Fraction(0)
            for n in sizes:
                weight = Fraction(placements(n)[K])
                for m in sizes:
                    weight *= Fraction(N - m, n - m) if m != n else 1
                total += weight
            assert placements(N)[K] == total


@pytest.mark.parametrize("N", [10, TABULATED, TABULATED + 1])
def test_sum_over_all_placements(N):
    """The sum of z^K over all placements, row by row and modulo a prime."""
    prime, z = 2**31 - 1, 123_456_789
    rows = np.array([row for row in range(1 << N) if not row & row << 1])
    weights = np.array([pow(z, int(row).bit_count(), prime) for row in rows])
    free = (1 << N) - 1 & ~(rows | rows << 1 | rows >> 1)
    ending_in = weights
    for _ in range(N - 1):
        sums = np.zeros(1 << N, dtype=np.int64)
        sums[rows] = ending_in
        for bit in range(N):  # of the sums over subsets
            pairs = sums.reshape(-1, 2, 1 << bit)
            pairs[:, 1] += pairs[:, 0]
        ending_in = sums[free] % prime * weights % prime
    expected = sum(count * pow(z, K, prime) for K, count in enumerate(placements(N)))
    assert int(ending_in.sum()) % prime == expected % prime
