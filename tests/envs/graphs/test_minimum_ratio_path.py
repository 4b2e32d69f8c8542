from fractions import Fraction

import pytest

from rlve.envs.graphs.minimum_ratio_path import MinimumRatioPath

PROBLEM = MinimumRatioPath(
    N=4,
    edge_ratio=1.2,
    edges=[(0, 1, 2), (1, 2, 4), (2, 3, 4), (1, 3, 6)],
    gold_answer=(4, 2),
)


@pytest.mark.parametrize(
    ("d", "N", "ratios"), [(0, 4, 8), (1, 5, 12), (2, 6, 17), (3, 7, 21), (20, 56, 21)]
)
def test_schedule(d, N, ratios):
    expected = [{"N": N, "edge_ratio": (10 + i) / 10} for i in range(ratios)]
    assert MinimumRatioPath.level(d) == expected


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("0 1 2 3", 1.0),
        ("0 1 3", (2 / 3) ** 5),
        ("0 1 0 1 2 3", 1.0),  # a vertex and an edge again
        ("0 1 2 1 3", (2 / 3) ** 5),
        ("0 2 3", -0.5),  # no edge
        ("1 2 3", -0.5),
        ("0 1 2", -0.5),
        ("0", -0.5),
        ("0 1 4 3", -0.5),
        ("0 -3 3", -0.5),
        ("", -1.0),
        ("0, 1, 2, 3", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == pytest.approx(reward, abs=1e-12)


def test_gold_is_the_minimum_over_all_paths():
    for seed in range(150):
        problem = MinimumRatioPath.generate(difficulty=seed % 4, seed=seed)
        quotients = [Fraction(max(weights), min(weights)) for weights in paths(problem, [0])]
        assert Fraction(*problem.gold_answer) == min(quotients)
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct
        assert all(u < v and (u, v) != (0, problem.N - 1) for u, v, _ in problem.edges)


def paths(problem, path):
    """The weights along each simple path to the last vertex that starts with this one."""
    if path[-1] == problem.N - 1:
        yield []
        return
    for u, v, w in problem.edges:
        for s, t in ((u, v), (v, u)):
            if s == path[-1] and t not in path:
                for rest in paths(problem, [*path, t]):
                    yield [w, *rest]
