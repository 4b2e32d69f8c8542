from itertools import combinations

import pytest

from rlve.envs.graphs.minimum_vertex_cover import Minimum_VertexCover

PROBLEM = Minimum_VertexCover(
    N=4,
    edge_density=0.5,
    edges=[(0, 1), (1, 2), (0, 2)],
    C=[2, 9, 3, 4],
    reference_answer="0 2",
    gold_answer=5,
)


@pytest.mark.parametrize(
    ("d", "N", "sparsest", "densities"), [(0, 4, 0.2, 11), (4, 8, 0.05, 14), (20, 24, 0.02, 15)]
)
def test_schedule(d, N, sparsest, densities):
    level = Minimum_VertexCover.level(d)
    assert level[0] == {"N": N, "edge_density": sparsest}
    assert level[-1] == {"N": N, "edge_density": 0.9}
    assert len(level) == densities


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("0 2", 1.0),
        ("2 0", 1.0),
        ("0 2 3", (5 / 9) ** 5),
        ("0 1", (5 / 11) ** 5),
        ("0", -0.5),  # (1, 2) has no end in it
        ("", -0.5),
        ("0 2 0", -0.5),
        ("0 2 4", -0.5),
        ("0 2 -1", -0.5),
        ("0, 2", -1.0),
        ("none", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_gold_is_the_minimum_over_all_choices():
    for seed in range(100):
        problem = Minimum_VertexCover.generate(difficulty=seed % 6, seed=seed)
        vertices = range(problem.N)
        costs = [
            sum(problem.C[v] for v in chosen)
            for size in range(problem.N + 1)
            for chosen in combinations(vertices, size)
            if covers(problem, set(chosen))
        ]
        assert problem.gold_answer == min(costs)
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct


def covers(problem, chosen):
    return not any(chosen.isdisjoint(edge) for edge in problem.edges)
