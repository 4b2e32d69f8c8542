from itertools import pairwise, product

from rlve.envs.combinatorics.segment_min_length_equal_counting import SegmentMinLengthEqual_Counting

PROBLEM = SegmentMinLengthEqual_Counting(N=3, S=[1, 2], MOD=10, reference_answer=3)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 20: {"N": 23}}
REWARDS = {1.0: ["3"], 0.0: ["4", "0", "9"], -0.5: ["10", "-1"], -1.0: ["{3}", ""]}
SAMPLES = {150: {"N": range(3, 7)}}


def test_gold_counts_the_arrays(problem):
    assert 2 <= len(problem.S) <= problem.N
    assert all(a < b for a, b in pairwise([0, *problem.S, problem.N + 1]))
    if len(problem.S) ** problem.N <= 4000:
        count = sum(can_be_cut(array) for array in product(problem.S, repeat=problem.N))
        assert problem.reference_answer == count % problem.MOD


def can_be_cut(array):
    return not array or any(
        min(array[:length]) == length and can_be_cut(array[length:])
        for length in range(1, len(array) + 1)
    )
