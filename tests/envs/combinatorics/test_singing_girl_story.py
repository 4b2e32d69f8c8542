from itertools import product
from random import Random

from rlve.envs.combinatorics.singing_girl_story import SingingGirlStory

PROBLEM = SingingGirlStory(
    MAX_N_M=3, N=3, A=3, conditions=[(1, 2, 2), (2, 3, 3)], MOD=998244353, reference_answer=3
)
SCHEDULE = {0: {"MAX_N_M": 3}, 1: {"MAX_N_M": 4}, 20: {"MAX_N_M": 23}}
REWARDS = {1.0: ["3"], 0.0: ["4", "0", "998244352"], -0.5: ["998244353", "-1"], -1.0: ["three", ""]}


def test_gold_counts_the_arrays():
    assert arrays(PROBLEM) == 3
    for seed in range(200):
        p = SingingGirlStory.sample(Random(seed), MAX_N_M=3 + seed % 4)
        assert 3 <= p.N <= p.MAX_N_M
        assert 2 <= p.A <= p.N
        assert 1 <= len(p.conditions) <= p.MAX_N_M
        assert all(1 <= left < right <= p.N for left, right, _ in p.conditions)
        if p.A**p.N <= 4000:
            assert p.reference_answer == arrays(p)


def arrays(p):
    return sum(
        all(max(array[left - 1 : right]) == v for left, right, v in p.conditions)
        for array in product(range(1, p.A + 1), repeat=p.N)
    )
