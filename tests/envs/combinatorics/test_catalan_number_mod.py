from itertools import permutations
from random import Random

from rlve.envs.combinatorics.catalan_number_mod import CatalanNumberMod, catalan

PROBLEM = CatalanNumberMod(MAX_N=3, N=3, MOD=4, reference_answer=1)
SCHEDULE = {0: {"MAX_N": 3}, 1: {"MAX_N": 4}, 2: {"MAX_N": 5}, 8: {"MAX_N": 12}, 20: {"MAX_N": 50}}
REWARDS = {1.0: ["1"], 0.0: ["2"], -0.5: ["4", "5", "-3"], -1.0: ["C(3)", ""]}


def test_number_of_permutations():
    counts = {N: enumerated(N) for N in (2, 3)} | {N: dealt(N) for N in range(4, 13)}
    assert counts[2] == dealt(2) == 2
    assert counts[3] == dealt(3) == 5
    assert all(catalan(N) == count for N, count in counts.items())
    for seed in range(100):
        problem = CatalanNumberMod.sample(Random(seed), MAX_N=3 + seed % 10)
        assert problem.reference_answer == counts[problem.N] % problem.MOD


def enumerated(N):
    def fits(A):
        odd, even = A[::2], A[1::2]
        return (
            sorted(odd) == list(odd)
            and sorted(even) == list(even)
            and all(x < y for x, y in zip(odd, even, strict=True))
        )

    return sum(fits(A) for A in permutations(range(1, 2 * N + 1)))


def dealt(N):
    """1, 2, ... are given to the next odd or the next even place, and no even place is ahead."""
    ways = {0: 1}
    for _ in range(2 * N):
        ways = {
            lead: ways.get(lead - 1, 0) + ways.get(lead + 1, 0) for lead in range(max(ways) + 2)
        }
    return ways[0]
