from random import Random

from rlve.envs.optimization.max_segment_coverage_constraint import MaxSegmentCoverageConstraint

PROBLEM = MaxSegmentCoverageConstraint(
    N=4, segments=[(0, 3), (2, 5), (3, 3), (6, 8)], constraints=[(3, 1), (6, 1)], gold_answer=2
)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 20: {"N": 23}}
REWARDS = {
    1.0: ["0 3", "3 2"],
    (1 / 2) ** 5: ["3"],
    0.0: [""],
    -0.5: [
        "0 2",  # both contain 3, the second one as a point
        "0 1 3",
        "3 3",
        "0 4",
        "-1 3",
        "0 " + "9" * 1000,
    ],
    -1.0: ["0, 3", "[0, 3]"],
}


def test_gold_is_the_largest_over_all_subsets():
    for seed in range(120):
        problem = MaxSegmentCoverageConstraint.sample(Random(seed), N=3 + seed % 6)
        assert problem.gold_answer == largest(problem.segments, problem.constraints)


def largest(segments, constraints):
    best = 0
    for mask in range(1 << len(segments)):
        chosen = [range(a, b + 1) for i, (a, b) in enumerate(segments) if mask >> i & 1]
        if all(sum(p in segment for segment in chosen) <= x for p, x in constraints):
            best = max(best, len(chosen))
    return best
