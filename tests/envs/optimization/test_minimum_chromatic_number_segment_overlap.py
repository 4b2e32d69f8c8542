from random import Random

from rlve.envs.optimization.minimum_chromatic_number_segment_overlap import (
    MinimumChromaticNumber_SegmentOverlap,
)

PROBLEM = MinimumChromaticNumber_SegmentOverlap(
    N=4, segments=[(3, 5), (1, 3), (6, 7), (4, 4)], gold_answer=2, reference_answer="2 1 1 1"
)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 8: {"N": 12}, 20: {"N": 50}}
REWARDS = {
    1.0: [
        "2 1 1 1",
        "0 7 0 7",
        "0 -7 0 -7",  # as published
    ],
    (2 / 3) ** 5: ["1 2 3 2"],
    (2 / 4) ** 5: ["1 2 3 4"],
    -0.5: [
        "1 1 2 2",  # the first two share the point 3
        "1 2 2 1",  # one within the other
        "1 2 1",
        "1 2 1 2 1",
        "",
    ],
    -1.0: ["a b a b", "1.0 2 1 2"],
}
SAMPLES = {150: {"N": range(3, 15)}}


def test_gold_is_the_largest_number_of_segments_over_a_point(problem):
    assert len(problem.segments) == problem.N
    assert all(1 <= a <= b < 2 * problem.N for a, b in problem.segments)
    depth = max(sum(a <= point <= b for a, b in problem.segments) for point in range(2 * problem.N))
    assert problem.gold_answer == depth  # no fewer colours can do


def test_conflicts_are_found():
    rng = Random(0)
    verdicts = set()
    for seed in range(150):
        problem = MinimumChromaticNumber_SegmentOverlap.sample(Random(seed), N=3 + seed % 4)
        colours = [rng.randrange(4) for _ in range(problem.N)]
        pairs = [(i, j) for i in range(problem.N) for j in range(i) if colours[i] == colours[j]]
        conflict = any(touch(problem.segments[i], problem.segments[j]) for i, j in pairs)
        assert (problem.score(colours) == -0.5) == conflict
        verdicts.add(conflict)
    assert verdicts == {True, False}


def touch(one, other):
    return bool(set(range(one[0], one[1] + 1)) & set(range(other[0], other[1] + 1)))
