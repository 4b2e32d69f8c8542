from itertools import combinations

from rlve.envs.permutations.min_swap_two_permutations import MinSwapTwoPermutations

PROBLEM = MinSwapTwoPermutations(N=4, A=[1, 1, 3, 4], B=[2, 2, 4, 3], gold_answer=1)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 2: {"N": 5}, 8: {"N": 12}, 20: {"N": 50}}
REWARDS = {
    1.0: ["0", "1"],
    (1 / 3) ** 5: ["1 2 3"],
    -0.2: ["2", ""],
    -0.5: ["4", "0 -1", "0 0", "1 2 2"],
    -1.0: ["0,", "none"],
}
SAMPLES = {200: {"N": range(3, 9)}}


def test_gold_agrees_with_all_choices(problem):
    A, B, N = problem.A, problem.B, problem.N
    assert sorted(A + B) == sorted(2 * list(range(1, N + 1)))
    fine = (
        size
        for size in range(N + 1)
        for chosen in combinations(range(N), size)
        if len({B[i] if i in chosen else A[i] for i in range(N)}) == N
        and len({A[i] if i in chosen else B[i] for i in range(N)}) == N
    )
    assert problem.gold_answer == next(fine) > 0
