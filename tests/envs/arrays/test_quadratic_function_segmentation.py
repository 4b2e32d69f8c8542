from itertools import combinations

from rlve.envs.arrays.quadratic_function_segmentation import QuadraticFunctionSegmentation

PROBLEM = QuadraticFunctionSegmentation(
    N=4, xs=[2, 2, 3, 4], A_coef=-1, B_coef=10, C_coef=-20, gold_answer=9
)
SCHEDULE = {0: {"N": 4}, 1: {"N": 5}, 2: {"N": 6}, 10: {"N": 18}, 20: {"N": 56}}
REWARDS = {
    1.0: ["2 3 4"],
    (5 / 9) ** 5: ["2 4"],
    0.0: ["1 2 4", "4", "1 2 3 4"],
    -0.5: ["2 3", "2 5", "0 2 4", "-1 4", "2 2 4", "3 2 4", "1 2 3 4 4"],
    -1.0: ["", "2, 4"],
}
SAMPLES = {110: {"N": range(4, 10)}}


def test_gold_is_the_greatest_worth_of_all_ways_to_cut(problem):
    N = problem.N
    found = {cuts: worth(problem, cuts) for k in range(N) for cuts in combinations(range(1, N), k)}
    assert problem.gold_answer == max(found.values()) > 0
    simple = [worth for cuts, worth in found.items() if len(cuts) in (0, 1, N - 1)]
    assert problem.gold_answer > max(simple)


def worth(problem, cuts):
    sums = [0] * (len(cuts) + 1)
    for i, x in enumerate(problem.xs):
        sums[sum(cut <= i for cut in cuts)] += x
    return sum(problem.A_coef * X**2 + problem.B_coef * X + problem.C_coef for X in sums)
