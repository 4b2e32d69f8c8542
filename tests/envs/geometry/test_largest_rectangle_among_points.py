from itertools import combinations, permutations

from rlve.envs.geometry.largest_rectangle_among_points import LargestRectangle_AmongPoints

PROBLEM = LargestRectangle_AmongPoints(
    N=7, points=[(0, 0), (2, 2), (1, 3), (-1, 1), (0, 2), (2, 0), (0, 0)], gold_answer=4
)
SCHEDULE = {0: {"N": 5}, 1: {"N": 6}, 6: {"N": 12}, 20: {"N": 62}}
REWARDS = {
    1.0: ["0 1 2 3", "3 1 0 2", "1 4 5 6", "1 4 5 0"],
    -0.5: ["0 1 2 4", "0 0 1 1", "0 6 1 1", "0 1 2 2", "0 0 0 0", "0 6 0 6", "0 1 2 7", "0 1 2 -1"],
    -1.0: ["0 1 2", "0 1 2 3 4", "", "0, 1, 2, 3"],
}
SAMPLES = {100: {"N": range(5, 8)}}


def test_gold_and_verdicts_agree_with_all_sets_of_four(problem):
    largest = 0
    for chosen in combinations(range(problem.N), 4):
        area = rectangle([problem.points[i] for i in chosen])
        assert problem.score(list(chosen)) == ((area / problem.gold_answer) ** 5 if area else -0.5)
        largest = max(largest, area)
    assert problem.gold_answer == largest > 0


def rectangle(points):
    """The area, by walking around the four points in every order; 0 if it is no rectangle."""
    first, *others = points
    for b, c, d in permutations(others):
        u = (b[0] - first[0], b[1] - first[1])
        v = (d[0] - first[0], d[1] - first[1])
        closes = (first[0] + u[0] + v[0], first[1] + u[1] + v[1]) == tuple(c)
        if closes and u[0] * v[0] + u[1] * v[1] == 0:
            return abs(u[0] * v[1] - u[1] * v[0])
    return 0
