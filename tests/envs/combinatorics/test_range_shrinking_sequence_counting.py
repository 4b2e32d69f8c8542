from rlve.envs.combinatorics.range_shrinking_sequence_counting import RangeShrinkingSequenceCounting

# 1 1 1, 2 1 1, 2 1 2
PROBLEM = RangeShrinkingSequenceCounting(N=3, R=[2, 1, 2], MOD=1000, reference_answer=3)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 2: {"N": 5}, 20: {"N": 23}}
REWARDS = {1.0: ["3"], 0.0: ["4", "0", "999"], -0.5: ["1000", "-1"], -1.0: ["3,", ""]}
SAMPLES = {120: {"N": range(3, 7)}}


def test_gold_counts_the_sequences(problem):
    assert 1 <= min(problem.R) <= max(problem.R) <= problem.N
    extensible = [()]
    for bound in problem.R:
        extensible = [(*a, x) for a in extensible for x in range(1, bound + 1) if fits(a, x)]
    assert problem.reference_answer == len(extensible) % problem.MOD


def fits(a, x):
    above = [value for value in a[:-1] if value >= a[-1]]
    below = [value for value in a[:-1] if value <= a[-1]]
    return (not above or x <= min(above)) and (not below or x >= max(below))
