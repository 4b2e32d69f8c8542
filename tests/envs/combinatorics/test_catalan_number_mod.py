from itertools import permutations
from random import Random

import pytest

from rlve.envs.combinatorics.catalan_number_mod import CatalanNumberMod, catalan

PROBLEM = CatalanNumberMod(MAX_N=3, N=3, MOD=4, reference_answer=1)


def test_schedule():
    levels = [CatalanNumberMod.level(d) for d in (0, 1, 2, 8, 20)]
    assert levels == [[{"MAX_N": n}] for n in (3, 4, 5, 12, 50)]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [("1", 1.0), ("2", 0.0), ("4", -0.5), ("5", -0.5), ("-3", -0.5), ("C(3)", -1.0), ("", -1.0)],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


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
