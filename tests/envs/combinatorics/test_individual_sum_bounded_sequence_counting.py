from collections import Counter

from rlve.envs.combinatorics.individual_sum_bounded_sequence_counting import (
    IndividualSumBounded_SequenceCounting,
)

PROBLEM = IndividualSumBounded_SequenceCounting(MAX_N=4, N=4, K=2, M=2, MOD=4, reference_answer=1)
SCHEDULE = {0: {"MAX_N": 4}, 1: {"MAX_N": 8}, 2: {"MAX_N": 16}, 20: {"MAX_N": 4 * 2**20}}
REWARDS = {1.0: ["1"], 0.0: ["0", "3"], -0.5: ["4", "5", "-3"], -1.0: ["X"]}
SAMPLES = {150: {"MAX_N": range(4, 24)}}


def test_number_of_sequences(problem):
    """Element by element, by the sum so far."""
    assert 2 <= problem.K <= problem.N
    assert 1 + problem.M * (problem.K - 1) <= problem.N
    sums = Counter(range(1, problem.N + 1))
    for _ in range(problem.K - 1):
        extended = Counter()
        for total, count in sums.items():
            for x in range(1, min(problem.M, problem.N - total) + 1):
                extended[total + x] += count
        sums = extended
    assert problem.reference_answer == sum(sums.values()) % problem.MOD
