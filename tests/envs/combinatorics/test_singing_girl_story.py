from itertools import product

from rlve.envs.combinatorics.singing_girl_story import SingingGirlStory

PROBLEM = SingingGirlStory(
    MAX_N_M=3, N=3, A=3, conditions=[(1, 2, 2), (2, 3, 3)], MOD=998244353, reference_answer=3
)
SCHEDULE = {0: {"MAX_N_M": 3}, 1: {"MAX_N_M": 4}, 20: {"MAX_N_M": 23}}
REWARDS = {1.0: ["3"], 0.0: ["4", "0", "998244352"], -0.5: ["998244353", "-1"], -1.0: ["three", ""]}
SAMPLES = {200: {"MAX_N_M": range(3, 7)}}


def test_gold_counts_the_arrays(problem):
    assert 3 <= problem.N <= problem.MAX_N_M
    assert 2 <= problem.A <= problem.N
    assert 1 <= len(problem.conditions) <= problem.MAX_N_M
    assert all(1 <= left < right <= problem.N for left, right, _ in problem.conditions)
    if problem.A**problem.N <= 4000:
        assert problem.reference_answer == sum(
            all(max(array[left - 1 : right]) == v for left, right, v in problem.conditions)
            for array in product(range(1, problem.A + 1), repeat=problem.N)
        )
