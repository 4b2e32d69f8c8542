from itertools import product

from rlve.envs.algebra.gaussian_elimination import GaussianElimination

PROBLEM = GaussianElimination(
    N=3,
    M=4,
    x=[1, 2, 2],
    reference_answer="1 2 2",
    equations=[[1, 1, 0], [2, 2, 0], [1, 1, 0], [0, 0, 3]],
    results=[3, 6, 3, 6],
)
SCHEDULE = {
    0: {"N": 3, "M": [6, 6, 6, 6, 7, 7, 7, 8, 8, 8, 9]},
    1: {"N": 4, "M": [8, 8, 8, 9, 9, 10, 10, 10, 11, 11, 12]},
    7: {"N": 10, "M": range(20, 31)},
    8: {"N": 12, "M": [24, 25, 26, 27, 28, 30, 31, 32, 33, 34, 36]},
}
REWARDS = {
    1.0: [
        "1 2 2",
        "-7 10 2",  # another solution
    ],
    (3 / 4) ** 10: ["1 2 3"],
    0.0: ["1 1 1"],
    -1.0: ["1 2", "1 2 2 0", "", "1, 2, 2", "1.0 2.0 2.0"],
}
SAMPLES = {100: {"N": 3, "M": range(6, 10)}}


def test_planted_solution_is_among_those_found_by_trying(problem):
    assert all(any(row) for row in problem.equations)
    for x in product(range(1, 4), repeat=problem.N):
        yield (
            x,
            all(
                sum(a * b for a, b in zip(row, x, strict=True)) == c
                for row, c in zip(problem.equations, problem.results, strict=True)
            ),
        )
