from itertools import combinations

import pytest

from rlve.envs.graphs.minimum_dominating_set import Minimum_DominatingSet

PROBLEM = Minimum_DominatingSet(
    N=4,
    edge_density=0.5,
    edges=[(0, 1), (1, 2), (0, 2)],
    C=[2, 9, 3, 4],
    covering=[7, 7, 7, 8],
    reference_answer="0 3",
    gold_answer=6,
)


@pytest.mark.parametrize(
    ("d", "N", "sparsest", "densities"), [(0, 4, 0.2, 11), (4, 8, 0.05, 14), (20, 24, 0.02, 15)]
)
def test_schedule(d, N, sparsest, densities):
    level = Minimum_DominatingSet.level(d)
    assert level[0] == {"N": N, "edge_density": sparsest}
    assert level[-1] == {"N": N, "edge_density": 0.9}
    assert len(level) == densities


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("0 3", 1.0),
        ("3 0", 1.0),
        ("2 3", (6 / 7) ** 5),
        ("0 1 2 3", (6 / 18) ** 5),
        ("0 1 2", -0.5),  # 3 has no neighbour
        ("3", -0.5),
        ("", -0.5),
        ("0 3 0", -0.5),
        ("0 3 4", -0.5),
        ("0 3 -1", -0.5),
        ("0, 3", -1.0),
        ("none", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_gold_is_the_minimum_over_all_choices():
    for seed in range(100):
        problem = Minimum_DominatingSet.generate(difficulty=seed % 6, seed=seed)
        vertices = range(problem.N)
        costs = [
            sum(problem.C[v] for v in chosen)
            for size in range(problem.N + 1)
            for chosen in combinations(vertices, size)
            if dominates(problem, set(chosen))
        ]
        assert problem.gold_answer == min(costs)
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct


def dominates(problem, chosen):
    reached = set(chosen)
    for u, v in problem.edges:
        if u in chosen or v in chosen:
            reached |= {u, v}
    return len(reached) == problem.N
