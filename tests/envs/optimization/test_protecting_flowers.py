from itertools import permutations

from rlve.envs.optimization.protecting_flowers import ProtectingFlowers

PROBLEM = ProtectingFlowers(N=3, T=[3, 1, 2], D=[1, 3, 2], gold_answer=5)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 8: {"N": 12}, 20: {"N": 50}}
REWARDS = {
    1.0: ["2 3 1"],
    (5 / 9) ** 5: ["3 2 1"],
    (5 / 21) ** 5: ["1 3 2"],
    -0.5: ["2 3", "1 2 0", "2 3 3", "2 3 4", "2 3 1 1", ""],
    -1.0: ["2, 3, 1"],
}
SAMPLES = {120: {"N": range(3, 7)}}


def test_gold_is_the_smallest_over_all_orders(problem):
    T, D = problem.T, problem.D
    assert problem.gold_answer == min(
        sum(T[j] * D[i] for k, i in enumerate(order) for j in order[:k])
        for order in permutations(range(problem.N))
    )
