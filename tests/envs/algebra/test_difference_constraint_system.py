from itertools import product

from rlve.envs.algebra.difference_constraint_system import DifferenceConstraintSystem

PROBLEM = DifferenceConstraintSystem(
    N=2, M=2, x=[0, 2], reference_answer="0 2", inequations=[(0, 1), (1, 0)], results=[-2, 3]
)
SCHEDULE = {
    0: {"N": 3, "M": [3, 3, 3, 3, 4, 4, 4, 5, 5, 5, 6]},
    1: {"N": 4, "M": [4, 4, 4, 5, 5, 6, 6, 6, 7, 7, 8]},
    7: {"N": 10, "M": range(10, 21)},
    8: {"N": 12, "M": [12, 13, 14, 15, 16, 18, 19, 20, 21, 22, 24]},
}
REWARDS = {
    1.0: [
        "0 2",
        "-5 -2",  # another solution
    ],
    (1 / 2) ** 5: ["0 0", "0 9"],
    -1.0: ["0", "0 2 0", "", "0, 2", "0.0 2.0"],
}
SAMPLES = {100: {"N": 3, "M": range(3, 7)}}


def test_planted_solution_is_among_those_found_by_trying(problem):
    assert len(set(problem.inequations)) == len(problem.results) == problem.M
    assert min(problem.results) < 0
    conditions = list(zip(problem.inequations, problem.results, strict=True))
    for x in product(range(-3, 4), repeat=problem.N):
        yield x, all(x[i] <= x[j] + c for (i, j), c in conditions)
