from itertools import combinations

import pytest

from rlve.envs.graphs.fixed_one_edge_num_spanning_tree import FixedOneEdgeNum_SpanningTree

PROBLEM = FixedOneEdgeNum_SpanningTree(
    N=4,
    edge_ratio=1.2,
    edges=[(0, 1, 1), (1, 2, 0), (0, 2, 0), (2, 3, 1)],
    K=1,
    reference_answer="1 2 0 2 2 3",
)


def test_schedule():
    ratios = [level["edge_ratio"] for level in FixedOneEdgeNum_SpanningTree.level(0)]
    assert ratios == [1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7]  # at most 6 edges
    assert [FixedOneEdgeNum_SpanningTree.level(d)[0]["N"] for d in (0, 1, 8, 20)] == [4, 5, 14, 56]
    assert len(FixedOneEdgeNum_SpanningTree.level(8)) == 21


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("1 2 0 2 2 3", 1.0),
        ("3 2 2 0 2 1", 1.0),
        ("0 1 1 2 2 3", 0.0),
        ("1 2 0 2", -0.5),  # too few edges
        ("0 1 1 2 0 2", -0.5),  # a cycle, and 3 is not reached
        ("2 3 3 2 0 1", -0.5),  # the same edge twice
        ("1 2 0 2 0 3", -0.5),  # no such edge
        ("1 2 0 2 3 4", -0.5),  # no such vertex
        ("", -0.5),
        ("1 2 0 2 2", -1.0),  # an odd number of ends
        ("1 2 0 2 2 x", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_planted_tree_is_right():
    for seed in range(100):
        problem = FixedOneEdgeNum_SpanningTree.generate(difficulty=seed % 21, seed=seed)
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct


def test_right_are_just_the_trees_with_k_ones():
    for seed in range(30):
        problem = FixedOneEdgeNum_SpanningTree.generate(difficulty=seed % 3, seed=seed)
        rewards = set()
        for tree in combinations(problem.edges, problem.N - 1):
            text = " ".join(f"{u} {v}" for u, v, _ in tree)
            right = sum(w for _, _, w in tree) == problem.K if spans(tree) else -0.5
            assert problem.verify(f"<answer>{text}</answer>").reward == right
            rewards.add(right)
        assert {0.0, 1.0} <= rewards  # not every spanning tree is right


def spans(tree):
    """Whether as many edges as these connect one vertex more."""
    reached = {0}
    for _ in tree:
        reached |= {x for u, v, _ in tree if reached & {u, v} for x in (u, v)}
    return len(reached) == len(tree) + 1
