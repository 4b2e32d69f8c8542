from itertools import combinations
from random import Random

from rlve.envs.permutations.segment_tree_sorting_counting import SegmentTreeSortingCounting

PROBLEM = SegmentTreeSortingCounting(N=2, A=[3, 2, 1, 4], reference_answer=1)
SCHEDULE = {0: {"N": 2}, 1: {"N": 3}, 2: {"N": 4}, 9: {"N": 11}}
REWARDS = {1.0: ["1"], (1 / 3) ** 10: ["3"], 0.0: ["0"], -1.0: ["-1", "1.0", ""]}


def test_count_agrees_with_all_sequences():
    counts = set()
    for seed in range(120):
        problem = SegmentTreeSortingCounting.sample(Random(seed), N=3 if seed % 6 == 0 else 2)
        assert sorted(problem.A) == list(range(1, 2**problem.N + 1))
        assert problem.reference_answer == by_trying_all(problem.A, list(range(problem.N)))
        counts.add(problem.reference_answer)
    assert len(counts) > 3


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
