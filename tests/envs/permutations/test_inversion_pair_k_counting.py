from collections import Counter
from functools import cache
from itertools import combinations, permutations

from rlve.envs.permutations.inversion_pair_k_counting import InversionPairK_Counting

PROBLEM = InversionPairK_Counting(N=4, K=3, MOD=5, reference_answer=1)  # 6 modulo 5
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 2: {"N": 5}, 8: {"N": 12}, 20: {"N": 50}}
REWARDS = {1.0: ["1"], 0.0: ["2", "0"], -0.5: ["5", "6", "-4"], -1.0: ["1 permutation", ""]}
SAMPLES = {200: {"N": range(3, 8)}}


def test_count_agrees_with_all_permutations(problem):
    assert 0 <= problem.K <= problem.N * (problem.N - 1) // 2
    assert 2 <= problem.MOD <= 1_000_000
    assert problem.reference_answer == counts(problem.N)[problem.K] % problem.MOD


@cache
def counts(n):
    return Counter(sum(a > b for a, b in combinations(p, 2)) for p in permutations(range(n)))
