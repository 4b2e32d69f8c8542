from rlve.envs.grids.matrix_pooling import MatrixPooling

PROBLEM = MatrixPooling(
    MAX_N_M=4,
    N=3,
    M=4,
    K=2,
    matrix=[[1, 2, 3, 0], [4, 0, 1, 7], [5, 1, 2, 2]],
    gold_answer=[[4, 3, 7], [5, 2, 7]],
    reference_answer="4 3 7\n5 2 7",
)
SCHEDULE = {d: {"MAX_N_M": n} for d, n in ((0, 4), (1, 5), (2, 6), (6, 10), (7, 12), (20, 56))}
REWARDS = {
    1.0: ["4 3 7\n5 2 7", "4 3 7\n\n5 2 7\n"],
    (5 / 6) ** 5: ["4 3 7\n5 2 6"],
    0.0: ["0 0 0\n0 0 0"],
    -1.0: ["4 3 7", "4 3 7 5 2 7", "4 3 7\n5 2", "4, 3, 7\n5, 2, 7", ""],
}
SAMPLES = {120: {"MAX_N_M": range(3, 11)}}


def test_entries_are_the_maxima_of_the_blocks(problem):
    N, M, K = problem.N, problem.M, problem.K
    assert problem.gold_answer == [
        [
            max(problem.matrix[x][y] for x in range(i, i + K) for y in range(j, j + K))
            for j in range(M - K + 1)
        ]
        for i in range(N - K + 1)
    ]
