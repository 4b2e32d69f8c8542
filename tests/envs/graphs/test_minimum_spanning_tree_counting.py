from itertools import combinations

import pytest

from rlve.envs.graphs.minimum_spanning_tree_counting import MinimumSpanningTreeCounting

TRIANGLE = MinimumSpanningTreeCounting(
    N=3,
    edge_ratio=1.0,
    edges=[(0, 1, 1), (0, 2, 1), (1, 2, 1)],
    MOD=1000,
    reference_answer=3,
)


@pytest.mark.parametrize(
    ("d", "N", "ratios"), [(0, 4, 8), (1, 5, 12), (2, 6, 17), (8, 14, 41), (20, 56, 41)]
)
def test_schedule(d, N, ratios):
    expected = [{"N": N, "edge_ratio": (10 + i) / 10} for i in range(ratios)]
    assert MinimumSpanningTreeCounting.level(d) == expected


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("3", 1.0),
        ("2", 0.0),
        ("999", 0.0),
        ("1000", -0.5),
        ("1003", -0.5),
        ("-1", -0.5),
        ("", -1.0),
        ("3 trees", -1.0),
        ("3.0", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert TRIANGLE.verify(f"<answer>{answer}</answer>").reward == reward


def test_gold_is_the_number_of_lightest_trees():
    for seed in range(100):
        problem = MinimumSpanningTreeCounting.generate(difficulty=seed % 3, seed=seed)
        choices = combinations(problem.edges, problem.N - 1)
        weights = [sum(w for _, _, w in tree) for tree in choices if spans(tree, problem.N)]
        assert problem.reference_answer == weights.count(min(weights)) % problem.MOD
        assert len({(u, v) for u, v, _ in problem.edges}) == int(problem.edge_ratio * problem.N)


def spans(edges, n):
    reached = {0}
    for _ in range(n):
        reached |= {x for u, v, _ in edges if {u, v} & reached for x in (u, v)}
    return len(reached) == n
