from random import Random

from rlve.envs.combinatorics.almost_complete_graph_cycle_counting import (
    AlmostCompleteGraphCycleCounting,
    count_cycles,
)

PROBLEM = AlmostCompleteGraphCycleCounting(MAX_N=5, N=5, MOD=7, reference_answer=1)
SCHEDULE = {d: {"MAX_N": n} for d, n in ((0, 5), (1, 7), (2, 10), (3, 15), (10, 244))}
REWARDS = {1.0: ["1"], 0.0: ["0", "6"], -0.5: ["7", "-1"], -1.0: ["1.0", ""]}


def test_number_of_cycles():
    counts = {N: enumerated(N) for N in range(4, 8)}
    assert [counts[N] for N in (4, 5, 6)] == [3, 22, 133]
    for seed in range(100):
        problem = AlmostCompleteGraphCycleCounting.sample(Random(seed), MAX_N=7)
        assert problem.MOD % 2
        assert problem.reference_answer == counts[problem.N] % problem.MOD
    for N, count in counts.items():
        for MOD in range(3, 50, 2):
            assert count_cycles(N, MOD) == count % MOD


def enumerated(N):
    """Walks from the smallest vertex of the cycle; each cycle is found in both directions."""

    def joined(u, v):
        return {u, v} != {1, N}

    def closing(path):
        found = len(path) >= 3 and joined(path[-1], path[0])
        for v in range(path[0] + 1, N + 1):
            if v not in path and joined(path[-1], v):
                found += closing([*path, v])
        return found

    return sum(closing([start]) for start in range(1, N + 1)) // 2
