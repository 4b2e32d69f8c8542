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
SAMPLES = {120: {"N": range(3, 9)}}


def test_gold_is_the_largest_over_all_subsets(problem):
    best = 0
    for mask in range(1 << len(problem.segments)):
        chosen = [range(a, b + 1) for i, (a, b) in enumerate(problem.segments) if mask >> i & 1]
        if all(sum(p in segment for segment in chosen) <= x for p, x in problem.constraints):
            best = max(best, len(chosen))
    assert problem.gold_answer == best
