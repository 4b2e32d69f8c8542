from rlve.envs.arrays.monotonic_stack import MonotonicStack

PROBLEM = MonotonicStack(N=5, A=[4, 2, 2, 3, 1], reference_answer=5)
SCHEDULE = {0: {"N": 4}, 1: {"N": 5}, 2: {"N": 6}, 10: {"N": 18}, 20: {"N": 56}}
REWARDS = {1.0: ["5"], 0.0: ["6", "-5"], -1.0: ["5.0", "4 0 0 1 0", ""]}
SAMPLES = {150: {"N": range(3, 13)}}


def test_answer_follows_the_definition(problem):
    A, N = problem.A, problem.N
    pairs = [(i, j) for i in range(N) for j in range(i + 1, N)]
    smaller = [all(A[k] < A[i] for k in range(i + 1, j + 1)) for i, j in pairs]
    assert problem.reference_answer == sum(smaller)
