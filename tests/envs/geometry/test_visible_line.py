from fractions import Fraction
from random import Random

from rlve.envs.geometry.visible_line import VisibleLine

PROBLEM = VisibleLine(
    N=4, lines=[(-1, -1), (2, 2), (3, 3), (3, 1)], gold_answer=[0, 2], reference_answer="0 2"
)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 8: {"N": 12}, 20: {"N": 50}}
REWARDS = {
    1.0: ["0 2", "2 0 2"],
    (2 / 3) ** 5: ["0 1 2"],  # line 1 touches the envelope where the others meet
    (1 / 2) ** 5: ["0"],
    (1 / 3) ** 5: ["0 1"],
    0.0: ["1 3", ""],
    -1.0: ["0 4", "-1 2", "0, 2"],
}


def test_gold_is_what_is_strictly_above_all_others_somewhere():
    sampled = [VisibleLine.sample(Random(seed), N=3 + seed % 10) for seed in range(150)]
    touching = 0
    for problem in [PROBLEM, *sampled]:
        assert len(set(problem.lines)) == problem.N
        spans = [highest(problem.lines, i) for i in range(problem.N)]
        assert problem.gold_answer == [i for i, (low, high) in enumerate(spans) if low < high]
        touching += any(low == high for low, high in spans)
    assert touching > 1


def highest(lines, i):
    """The interval of x in which line i is at least as high as all others."""
    low, high = Fraction(-(10**9)), Fraction(10**9)
    slope, intercept = lines[i]
    for j, (other_slope, other_intercept) in enumerate(lines):
        if j == i:
            continue
        if slope == other_slope:
            if other_intercept > intercept:
                return Fraction(1), Fraction(0)
            continue
        meeting = Fraction(other_intercept - intercept, slope - other_slope)
        if slope > other_slope:
            low = max(low, meeting)
        else:
            high = min(high, meeting)
    return low, high
