from itertools import product

import pytest

from rlve.envs.graphs.minimum_crossing_edges_graph_partition import (
    Minimum_CrossingEdges_GraphPartition,
)

# A triangle with a tail.
PROBLEM = Minimum_CrossingEdges_GraphPartition(
    N=5,
    edge_density=0.5,
    K=3,
    edges=[(0, 1), (0, 2), (1, 2), (2, 3), (3, 4)],
    gold_answer=2,
)
APART = Minimum_CrossingEdges_GraphPartition(
    N=4, edge_density=0.4, K=2, edges=[(0, 1), (2, 3)], gold_answer=0
)


def test_schedule():
    densities = [s["edge_density"] for s in Minimum_CrossingEdges_GraphPartition.level(0)]
    assert densities == [0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95]
    assert Minimum_CrossingEdges_GraphPartition.level(1)[0] == {"N": 4, "edge_density": 0.25}
    assert Minimum_CrossingEdges_GraphPartition.level(20)[0] == {"N": 23, "edge_density": 0.02}
    assert len(Minimum_CrossingEdges_GraphPartition.level(20)) == 11


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("0 0 0 1 2", 1.0),
        ("2 2 2 0 1", 1.0),
        ("0 0 1 1 2", (2 / 3) ** 5),
        ("0 1 2 2 2", (2 / 3) ** 5),
        ("0 1 2 0 1", (2 / 5) ** 5),
        ("0 0 0 1 1", -0.5),  # two sets only
        ("0 0 0 1 3", -0.5),
        ("1 1 1 2 3", -0.5),
        ("0 0 0 1 -1", -0.5),
        ("0 0 0 1", -0.5),
        ("0 0 0 1 2 2", -0.5),
        ("", -0.5),
        ("a a a b c", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


@pytest.mark.parametrize(("answer", "reward"), [("1 1 0 0", 1.0), ("0 1 1 1", 0.0)])
def test_rewards_where_no_edge_must_cross(answer, reward):
    assert APART.verify(f"<answer>{answer}</answer>").reward == reward


def test_gold_is_the_minimum_over_all_partitions():
    for seed in range(120):
        problem = Minimum_CrossingEdges_GraphPartition.generate(difficulty=seed % 4, seed=seed)
        numbers = [
            sum(sets[u] != sets[v] for u, v in problem.edges)
            for sets in product(range(problem.K), repeat=problem.N)
            if len(set(sets)) == problem.K
        ]
        assert problem.gold_answer == min(numbers)
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct
