from itertools import combinations

from rlve.envs.grids.undamaged_submatrix_counting import UndamagedSubmatrixCounting

PROBLEM = UndamagedSubmatrixCounting(
    MAX_N_M=3, N=2, M=3, matrix=[[0, 1, 1], [1, 0, 1]], reference_answer=6
)
ZEROS = UndamagedSubmatrixCounting(MAX_N_M=3, N=2, M=2, matrix=[[0, 0], [0, 0]], reference_answer=0)
SCHEDULE = {d: {"MAX_N_M": n} for d, n in ((0, 3), (1, 4), (2, 5), (7, 10), (8, 12), (20, 50))}
REWARDS = [
    (
        PROBLEM,
        {
            1.0: ["6"],
            (6 / 7) ** 10: ["7"],
            (5 / 6) ** 10: ["5"],
            0.0: ["0", "9" * 1000],
            -1.0: ["-6", "6.0", ""],
        },
    ),
    (ZEROS, {1.0: ["0"], 0.0: ["1"]}),
]
SAMPLES = {120: {"MAX_N_M": range(2, 8)}}


def test_answer_counts_all_rectangles_of_ones(problem):
    assert problem.reference_answer == sum(
        all(all(row[left:right]) for row in problem.matrix[top:bottom])
        for top, bottom in combinations(range(problem.N + 1), 2)
        for left, right in combinations(range(problem.M + 1), 2)
    )
