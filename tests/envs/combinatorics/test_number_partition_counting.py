from functools import cache

from rlve.envs.combinatorics.number_partition_counting import (
    NumberPartitionCounting,
    count_partitions,
)

# 2 + 2 + 2, 3 + 2 + 1 and 4 + 1 + 1
PROBLEM = NumberPartitionCounting(MAX_N=10, N=6, K=3, reference_answer=3)
SCHEDULE = {d: {"MAX_N": n} for d, n in ((0, 10), (1, 15), (2, 22), (3, 33), (4, 49), (20, 31618))}
REWARDS = {1.0: ["3"], (2 / 3) ** 10: ["2"], (1 / 2) ** 10: ["6"], -1.0: ["0", "-3", "3 ways", ""]}
SAMPLES = {150: {"difficulty": range(4)}}


def test_gold_counts_the_partitions(problem):
    assert 1 < problem.K < problem.N - 1 < problem.MAX_N
    assert problem.reference_answer == len(partitions(problem.N, problem.K, problem.N))


@cache
def partitions(n, k, largest):
    """All partitions of n into k parts of at most `largest`."""
    if k == 0:
        return [()] if n == 0 else []
    return [
        (part, *rest)
        for part in range(1, min(n, largest) + 1)
        for rest in partitions(n - part, k - 1, part)
    ]


def test_partitions_of_larger_numbers():
    row = [1] + [0] * 300  # partitions of each n into parts of at most `most`
    for most in range(1, 301):
        for n in range(most, 301):
            row[n] += row[n - most]
        for n in (0, 1, 2, 150, 299, 300):
            assert count_partitions(n, most) == row[n]
    assert count_partitions(100, 100) == 190_569_292
