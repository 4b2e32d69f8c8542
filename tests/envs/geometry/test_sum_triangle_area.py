from itertools import permutations
from random import Random

import pytest

from rlve.envs.geometry.sum_triangle_area import SumTriangleArea

PROBLEM = SumTriangleArea(N=4, points=[(0, 0), (2, 0), (0, 1), (4, 0)], reference_answer=8)
ON_A_LINE = SumTriangleArea(N=4, points=[(0, 0), (2, 2), (1, 1), (4, 4)], reference_answer=0)


@pytest.mark.parametrize(("d", "N"), [(0, 4), (1, 5), (20, 24)])
def test_schedule(d, N):
    assert SumTriangleArea.level(d) == [{"N": N}]


@pytest.mark.parametrize(
    ("problem", "answer", "reward"),
    [
        (PROBLEM, "8", 1.0),
        (PROBLEM, "4", (4 / 8) ** 10),
        (PROBLEM, "10", (8 / 10) ** 10),
        (PROBLEM, "0", 0.0),
        (PROBLEM, "-8", -1.0),
        (PROBLEM, "8.0", -1.0),
        (PROBLEM, "", -1.0),
        (ON_A_LINE, "0", 1.0),
        (ON_A_LINE, "1", 0.0),
    ],
)
def test_rewards(problem, answer, reward):
    assert problem.verify(f"<answer>{answer}</answer>").reward == reward


def test_gold_is_the_sum_over_all_triangles():
    sampled = [SumTriangleArea.sample(Random(seed), N=4 + seed % 5) for seed in range(120)]
    for problem in [PROBLEM, ON_A_LINE, *sampled]:
        assert len(set(problem.points)) == problem.N
        assert all(0 <= x <= problem.N and 0 <= y <= problem.N for x, y in problem.points)
        # Each triangle has six orders of its corners, three of which go round it to the left.
        rounds = sum(
            max(0, ax * (by - cy) + bx * (cy - ay) + cx * (ay - by))
            for (ax, ay), (bx, by), (cx, cy) in permutations(problem.points, 3)
        )
        assert 3 * problem.reference_answer == rounds
