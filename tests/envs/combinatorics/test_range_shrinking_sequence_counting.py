from random import Random

from rlve.envs.combinatorics.range_shrinking_sequence_counting import RangeShrinkingSequenceCounting

PROBLEM = RangeShrinkingSequenceCounting(N=3, R=[2, 1, 2], MOD=1000, reference_answer=3)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 2: {"N": 5}, 20: {"N": 23}}
REWARDS = {1.0: ["3"], 0.0: ["4", "0", "999"], -0.5: ["1000", "-1"], -1.0: ["3,", ""]}


def test_gold_counts_the_sequences():
    assert sequences([2, 1, 2]) == 3  # 1 1 1, 2 1 1, 2 1 2
    for seed in range(120):
        p = RangeShrinkingSequenceCounting.sample(Random(seed), N=3 + seed % 4)
        assert 1 <= min(p.R) <= max(p.R) <= p.N
        assert p.reference_answer == sequences(p.R) % p.MOD


def sequences(R):
    extensible = [()]
    for bound in R:
        extensible = [(*a, x) for a in extensible for x in range(1, bound + 1) if fits(a, x)]
    return len(extensible)


def fits(a, x):
    above = [value for value in a[:-1] if value >= a[-1]]
    below = [value for value in a[:-1] if value <= a[-1]]
    return (not above or x <= min(above)) and (not below or x >= max(below))
