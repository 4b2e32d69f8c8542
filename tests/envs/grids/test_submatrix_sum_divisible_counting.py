from itertools import combinations

from rlve.envs.grids.submatrix_sum_divisible_counting import SubmatrixSumDivisibleCounting

PROBLEM = SubmatrixSumDivisibleCounting(
    MAX_N_M=3, N=2, M=2, K=3, matrix=[[1, 2], [0, 1]], reference_answer=3
)
NONE = SubmatrixSumDivisibleCounting(
    MAX_N_M=3, N=2, M=2, K=4, matrix=[[1, 1], [1, 2]], reference_answer=0
)
SCHEDULE = {0: {"MAX_N_M": 3}, 1: {"MAX_N_M": 4}, 7: {"MAX_N_M": 10}, 20: {"MAX_N_M": 23}}
REWARDS = [
    (
        PROBLEM,
        {
            1.0: ["3"],
            (3 / 4) ** 10: ["4"],
            (2 / 3) ** 10: ["2"],
            0.0: ["0", "9" * 1000],
            -1.0: ["-3", "three", ""],
        },
    ),
    (NONE, {1.0: ["0"], 0.0: ["1"]}),
]
SAMPLES = {120: {"MAX_N_M": range(2, 8)}}


def test_answer_counts_all_submatrices(problem):
    assert problem.reference_answer == sum(
        sum(sum(row[left:right]) for row in problem.matrix[top:bottom]) % problem.K == 0
        for top, bottom in combinations(range(problem.N + 1), 2)
        for left, right in combinations(range(problem.M + 1), 2)
    )
