from itertools import combinations

from rlve.envs.arrays.minimum_max_abs_slicer import Minimum_MaxAbsSlicer

PROBLEM = Minimum_MaxAbsSlicer(
    N=6,
    M=3,
    A=[5, 2, 6, 3, 1, 4],
    B=[1, 1, -1, 1, 1, -1],
    gold_answer_max_abs=1,
    gold_answer=[5, 2, 4],
    reference_answer="5 2 4",
)
SCHEDULE = {0: {"N": 4}, 1: {"N": 5}, 2: {"N": 6}, 10: {"N": 18}, 20: {"N": 56}}
REWARDS = {
    1.0: ["5 2 4"],
    0.5 + 0.5 * (2 / 3) ** 5: ["5 6 4"],
    0.5 + 0.5 * (1 / 3) ** 5: ["6 3 4"],
    0.5 * (1 / 2) ** 5: ["5 1 4", "2 6 4"],
    -0.5: ["2 3", "2 6 1 4", "2 7 4", "0 2 4", "6 2 4", "2 2 4", "5 2 6", ""],
    -1.0: ["2, 3, 4"],
}
SAMPLES = {200: {"N": range(4, 10)}}


def test_rewards_where_all_sums_can_be_zero():
    problem = Minimum_MaxAbsSlicer(
        N=6,
        M=2,
        A=[1, 6, 2, 5, 3, 4],
        B=[1, -1, 1, -1, 1, -1],
        gold_answer_max_abs=0,
        gold_answer=[5, 4],
        reference_answer="5 4",
    )
    assert problem.verify("<answer>5 4</answer>").reward == 1.0
    assert problem.verify("<answer>6 4</answer>").reward == 0.5 + 0.5 * (1 / 2) ** 5
    assert problem.verify("<answer>1 4</answer>").reward == 0.0


def test_gold_is_the_best_of_all_ways_to_cut(problem):
    found = []
    for cuts in combinations(range(problem.N - 1), problem.M - 1):
        batch_of = [sum(cut < i for cut in cuts) for i in range(problem.N)]
        sums = [0] * problem.M
        for i, b in enumerate(problem.B):
            sums[batch_of[i]] += b
        found.append((max(map(abs, sums)), [problem.A[i] for i in (*cuts, problem.N - 1)]))
    largest, labels = min(found)
    assert problem.gold_answer_max_abs == largest
    assert problem.gold_answer == labels
