from itertools import combinations

from rlve.envs.arrays.salesman_fatigue import SalesmanFatigue

PROBLEM = SalesmanFatigue(
    N=3, S=[1, 2, 4], A=[3, 3, 1], gold_answer=[9, 12, 15], reference_answer="9 12 15"
)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 2: {"N": 5}, 10: {"N": 16}, 20: {"N": 50}}
REWARDS = {
    1.0: ["9 12 15"],
    (2 / 3) ** 5: ["9 10 15"],
    (1 / 3) ** 5: ["7 10 15"],
    0.0: ["15 9 12"],
    -0.5: ["9 12", "9 12 15 15", ""],
    -1.0: ["9, 12, 15"],
}
SAMPLES = {150: {"N": range(1, 9)}}


def test_gold_is_the_largest_of_all_choices(problem):
    pairs = list(zip(problem.S, problem.A, strict=True))
    assert sorted(problem.S) == problem.S
    assert problem.gold_answer == [
        max(2 * max(s for s, _ in part) + sum(a for _, a in part) for part in parts)
        for parts in (combinations(pairs, k) for k in range(1, problem.N + 1))
    ]
