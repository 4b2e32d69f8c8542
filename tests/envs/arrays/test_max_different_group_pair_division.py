from itertools import permutations

from rlve.envs.arrays.max_different_group_pair_division import (
    MaxDifferentGroupPairDivision,
    best_cuts,
)

PROBLEM = MaxDifferentGroupPairDivision(
    N=5, K=2, A=[1, 3, 0, 2, 4], gold_answer=32, reference_answer="1 3"
)
SCHEDULE = {0: {"N": 4}, 1: {"N": 5}, 2: {"N": 6}, 10: {"N": 18}, 20: {"N": 56}}
REWARDS = {
    1.0: ["1 3", "3 1", "2 3"],
    (29 / 32) ** 5: ["0 3"],
    (27 / 32) ** 5: ["0 1"],
    -0.5: ["1", "1 2 3", "1 1", "1 4", "-1 3", ""],
    -1.0: ["1,3"],
}
SAMPLES = {120: {"N": range(4, 7)}}


def test_where_nothing_can_be_gained_every_way_is_right():
    problem = MaxDifferentGroupPairDivision(
        N=4, K=2, A=[0, 0, 3, 0], gold_answer=0, reference_answer="0 1"
    )
    assert problem.verify("<answer>2 0</answer>").reward == 1.0
    assert problem.verify("<answer>2 3</answer>").reward == -0.5


def test_gold_is_the_greatest_gain_of_all_ways_to_cut(problem):
    assert problem.gold_answer == max(
        simulated_gain(problem.A, order)
        for order in permutations(range(len(problem.A) - 1), problem.K)
    )


def simulated_gain(A, order):
    blocks = [list(enumerate(A))]
    total = 0
    for i in order:
        block = next(block for block in blocks if any(j == i for j, _ in block))
        left = [(j, a) for j, a in block if j <= i]
        right = [(j, a) for j, a in block if j > i]
        blocks = [other for other in blocks if other is not block] + [left, right]
        total += sum(a for _, a in left) * sum(a for _, a in right)
    return total


def test_arrays_of_zeros_are_cut_into_blocks_that_are_not_empty():
    assert best_cuts([0, 0, 0, 0], 3) == [0, 1, 2]
    assert sorted(set(best_cuts([0, 5, 0, 0, 0], 3))) == best_cuts([0, 5, 0, 0, 0], 3)
