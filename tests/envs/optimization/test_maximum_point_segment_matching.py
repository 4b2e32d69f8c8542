from rlve.envs.optimization.maximum_point_segment_matching import MaximumPointSegmentMatching

PROBLEM = MaximumPointSegmentMatching(
    MAX_C_N=4, C=3, N=3, points=[2, 0, 2], segments=[(0, 2), (2, 3), (4, 4)], gold_answer=2
)
SCHEDULE = {0: {"MAX_C_N": 3}, 1: {"MAX_C_N": 4}, 8: {"MAX_C_N": 12}, 20: {"MAX_C_N": 50}}
REWARDS = {
    1.0: ["1 0\n2 1", "2 0\n\n0 1\n"],
    (1 / 2) ** 5: ["2 1"],
    0.0: [""],
    -0.5: [
        "1 1",  # 0 is not in [2, 3]
        "0 0\n0 1",  # a point used twice
        "1 0\n0 0",  # a segment used twice
        "1 0\n1 0",
        "3 0",
        "0 3",
        "-1 0",
        "0 -3",
    ],
    -1.0: ["1 0 2 1", "1\n0", "1 a"],
}
SAMPLES = {150: {"MAX_C_N": range(3, 12)}}


def test_gold_is_the_largest_matching(problem):
    owner = {}  # of each matched segment

    def place(c, tried):
        for n, (left, right) in enumerate(problem.segments):
            if left <= problem.points[c] <= right and n not in tried:
                tried.add(n)
                if n not in owner or place(owner[n], tried):
                    owner[n] = c
                    return True
        return False

    assert problem.gold_answer == sum(place(c, set()) for c in range(len(problem.points))) > 0
