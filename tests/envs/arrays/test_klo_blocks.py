from random import Random

from rlve.envs.arrays.klo_blocks import KloBlocks, longest_run

PROBLEM = KloBlocks(N=5, A=[3, 1, 6, 1, 2], K=3, reference_answer=3)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 2: {"N": 5}, 10: {"N": 16}, 20: {"N": 50}}
REWARDS = {1.0: ["3"], 0.0: ["4", "-3"], -1.0: ["3.0", "3 3", ""]}
SAMPLES = {150: {"N": range(3, 15)}}


def test_longest_run_is_that_of_all_arrays_that_moves_can_reach():
    random = Random(0)
    for _ in range(120):
        A = [random.randint(1, 5) for _ in range(random.randint(2, 4))]
        K = random.randint(1, 5)
        assert longest_run(A, K) == longest_reached(tuple(A), K)
    assert longest_run(PROBLEM.A, PROBLEM.K) == longest_reached(tuple(PROBLEM.A), PROBLEM.K)


def longest_reached(start, K):
    found, queue = {start}, [start]
    for A in queue:
        for i in range(len(A)):
            for j in (i - 1, i + 1):
                if A[i] > K and 0 <= j < len(A):
                    moved = list(A)
                    moved[i] -= 1
                    moved[j] += 1
                    if tuple(moved) not in found:
                        found.add(tuple(moved))
                        queue.append(tuple(moved))
    return max(longest_high(A, K) for A in found)


def longest_high(A, K):
    marks = "".join("x" if a >= K else " " for a in A)
    return max((len(run) for run in marks.split()), default=0)


def test_answers_follow_from_all_subarrays(problem):
    N = problem.N
    A, K = problem.A, problem.K
    assert min(A) < K < max(A)
    runs = [j - i for i in range(N) for j in range(i + 1, N + 1) if sum(A[i:j]) >= K * (j - i)]
    assert problem.reference_answer == max(runs)
