from collections import Counter
from random import Random

import pytest

from rlve.envs.combinatorics.individual_sum_bounded_sequence_counting import (
    IndividualSumBounded_SequenceCounting,
)

PROBLEM = IndividualSumBounded_SequenceCounting(MAX_N=4, N=4, K=2, M=2, MOD=4, reference_answer=1)


def test_schedule():
    levels = [IndividualSumBounded_SequenceCounting.level(d) for d in (0, 1, 2, 20)]
    assert levels == [[{"MAX_N": n}] for n in (4, 8, 16, 4194304)]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [("1", 1.0), ("0", 0.0), ("3", 0.0), ("4", -0.5), ("5", -0.5), ("-3", -0.5), ("X", -1.0)],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_number_of_sequences():
    for seed in range(150):
        problem = IndividualSumBounded_SequenceCounting.sample(Random(seed), MAX_N=4 + seed % 20)
        assert 2 <= problem.K <= problem.N
        assert 1 + problem.M * (problem.K - 1) <= problem.N
        assert problem.reference_answer == counted(problem) % problem.MOD


def counted(problem):
    """Element by element, by the sum so far."""
    sums = Counter(range(1, problem.N + 1))
    for _ in range(problem.K - 1):
        extended = Counter()
        for total, count in sums.items():
            for x in range(1, min(problem.M, problem.N - total) + 1):
                extended[total + x] += count
        sums = extended
    return sum(sums.values())
