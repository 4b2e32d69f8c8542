from itertools import permutations

from rlve.envs.permutations.cantor_expansion import CantorExpansion

PROBLEM = CantorExpansion(N=4, A=[2, 3, 1, 2], MOD=6, reference_answer=1)  # 7 modulo 6
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 2: {"N": 5}, 20: {"N": 23}}
REWARDS = {1.0: ["1"], 0.0: ["2", "0"], -0.5: ["7", "6", "-5"], -1.0: ["1.0", ""]}
SAMPLES = {200: {"N": range(3, 7)}}


def test_count_agrees_with_all_rearrangements(problem):
    assert all(1 <= value <= problem.N for value in problem.A)
    assert 2 <= problem.MOD <= 100_000
    smaller = {p for p in permutations(problem.A) if p < tuple(problem.A)}
    assert problem.reference_answer == len(smaller) % problem.MOD
