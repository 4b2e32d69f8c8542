from itertools import product

from rlve.envs.optimization.integer_programming import IntegerProgramming

# 2 * x[0] - x[1] >= 3, x[1] >= -1
PROBLEM = IntegerProgramming(
    N=2, M=2, x=[1, -1], reference_answer="1 -1", inequations=[[2, -1], [0, 1]], results=[3, -1]
)
SCHEDULE = {
    0: {"N": 3, "M": [3, 3, 3, 3, 4, 4, 4, 5, 5, 5, 6]},
    20: {"N": 23, "M": [23, 25, 27, 29, 32, 34, 36, 39, 41, 43, 46]},
}
REWARDS = {
    1.0: ["1 -1", "5 2", "9" * 900 + " 0"],
    (1 / 2) ** 5: ["0 0", "1 -2"],
    0.0: ["0 -2"],
    -1.0: ["1", "1 -1 0", "", "1.0 -1"],
}
SAMPLES = {100: {"N": 2, "M": range(2, 5)}}


def test_verdicts_agree_with_all_solutions_in_a_box(problem):
    conditions = list(zip(problem.inequations, problem.results, strict=True))
    for x, y in product(range(-2, 3), repeat=2):
        right = all(a * x + b * y >= r for (a, b), r in conditions)
        assert not (right and x == y == 0)
        yield (x, y), right
