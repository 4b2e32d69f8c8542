from itertools import pairwise
from math import inf

import pytest

from rlve.envs.graphs.min_path_cover_dag import MinPathCover_DAG

# 1 -> 2 must be used twice: two edges leave 2.
PROBLEM = MinPathCover_DAG(
    N=4, edges=[(1, 2, 1), (2, 3, 2), (2, 4, 3), (3, 4, 4), (1, 4, 9)], gold_answer=20
)


@pytest.mark.parametrize("d", [0, 1, 7, 20])
def test_schedule(d):
    assert MinPathCover_DAG.level(d) == [{"N": 4 + d}]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("1 2 3 4\n1 2 4\n1 4", 1.0),
        ("\n1 4\n\n1 2 4\n1 2 3 4\n1\n", 1.0),  # a path without edges is free
        ("1 2 3 4\n1 2 4\n1 2\n1 4", (20 / 21) ** 5),
        ("1 2 3 4\n1 2 4", -0.2),  # an edge is missing
        ("1", -0.2),
        ("", -0.2),
        ("1 2 3 4\n2 4\n1 4", -0.5),  # does not start at 1
        ("1 2 3 4\n1 3 4\n1 4", -0.5),  # no such edge
        ("1 2 3 4\n1 2 4 3\n1 4", -0.5),  # an edge against its direction
        ("1 2 3 4 5", -0.5),  # no such vertex
        ("1 1 2", -0.5),
        ("1 2 3 4\n1, 2, 4\n1 4", -1.0),
        ("1 -> 4", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_gold_is_the_minimum_over_all_sets_of_paths():
    for seed in range(130):
        problem = MinPathCover_DAG.generate(difficulty=int(seed >= 80), seed=seed)
        assert problem.gold_answer == cheapest(problem)
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct


def cheapest(problem):
    """The least weight at which each set of edges can be covered, path by path."""
    weight = {(s, t): w for s, t, w in problem.edges}
    bit = {edge: 1 << i for i, edge in enumerate(weight)}
    paths = [list(pairwise(path)) for path in all_paths(problem, [1])]
    covers = [
        (sum(bit[step] for step in path), sum(weight[step] for step in path)) for path in paths
    ]
    best = [0] + [inf] * (2 ** len(weight) - 1)
    for covered, so_far in enumerate(best):
        if so_far < inf:
            for cover, more in covers:
                best[covered | cover] = min(best[covered | cover], best[covered] + more)
    return best[-1]


def all_paths(problem, path):
    yield path
    for s, t, _ in problem.edges:
        if s == path[-1]:
            yield from all_paths(problem, [*path, t])
