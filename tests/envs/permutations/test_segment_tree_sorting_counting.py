from itertools import combinations

from rlve.envs.permutations.segment_tree_sorting_counting import SegmentTreeSortingCounting

PROBLEM = SegmentTreeSortingCounting(N=2, A=[3, 2, 1, 4], reference_answer=3)
SCHEDULE = {0: {"N": 2}, 1: {"N": 3}, 2: {"N": 4}, 9: {"N": 11}}
REWARDS = {1.0: ["3"], (1 / 3) ** 10: ["1"], 0.0: ["0"], -1.0: ["-1", "1.0", ""]}
SAMPLES = {120: {"N": [3, *[2] * 5]}}


def test_count_agrees_with_all_sequences(problem):
    assert sorted(problem.A) == list(range(1, 2**problem.N + 1))
    assert problem.reference_answer == by_trying_all(problem.A, list(range(problem.N)))


def by_trying_all(A, operations):
    count = int(sorted(A) == A)
    for operation in operations:
        length = 2**operation
        rest = [other for other in operations if other != operation]
        segments = [A[i : i + length] for i in range(0, len(A), length)]
        for i, j in combinations(range(len(segments)), 2):
            swapped = segments[:]
            swapped[i], swapped[j] = segments[j], segments[i]
            count += by_trying_all([x for segment in swapped for x in segment], rest)
    return count
