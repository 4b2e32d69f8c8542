from itertools import combinations

from rlve.envs.grids.max_three_square_sum import MaxThreeSquareSum

PROBLEM = MaxThreeSquareSum(
    MAX_N_M=4,
    N=4,
    M=4,
    K=2,
    A=[[4, 4, 0, 1], [4, 4, 1, 0], [0, 3, 3, 0], [0, 3, 3, 2]],
    reference_answer=30,
)
SCHEDULE = {d: {"MAX_N_M": n} for d, n in ((0, 4), (1, 5), (2, 6), (6, 10), (7, 12), (20, 56))}
REWARDS = {1.0: ["30"], 0.0: ["28", "0", "-30"], -1.0: ["30.0", "?", ""]}
SAMPLES = {120: {"MAX_N_M": range(4, 8)}}


def test_sum_is_the_largest_of_all_triples(problem):
    A, K = problem.A, problem.K
    corners = [(i, j) for i in range(len(A) - K + 1) for j in range(len(A[0]) - K + 1)]
    total = {(i, j): sum(sum(row[j : j + K]) for row in A[i : i + K]) for i, j in corners}
    apart = {
        (p, q) for p, q in combinations(corners, 2) if max(abs(p[0] - q[0]), abs(p[1] - q[1])) >= K
    }
    assert problem.reference_answer == max(
        total[p] + total[q] + total[r]
        for p, q in apart
        for r in corners
        if (q, r) in apart and (p, r) in apart
    )
