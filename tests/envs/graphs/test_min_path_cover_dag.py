from itertools import pairwise
from math import inf

from rlve.envs.graphs.min_path_cover_dag import MinPathCover_DAG

# 1 -> 2 must be used twice: two edges leave 2.
PROBLEM = MinPathCover_DAG(
    N=4, edges=[(1, 2, 1), (2, 3, 2), (2, 4, 3), (3, 4, 4), (1, 4, 9)], gold_answer=20
)
SCHEDULE = {0: {"N": 4}, 1: {"N": 5}, 7: {"N": 11}, 20: {"N": 24}}
REWARDS = {
    1.0: [
        "1 2 3 4\n1 2 4\n1 4",
        "\n1 4\n\n1 2 4\n1 2 3 4\n1\n",  # a path without edges is free
    ],
    (20 / 21) ** 5: ["1 2 3 4\n1 2 4\n1 2\n1 4"],
    -0.2: [
        "1 2 3 4\n1 2 4",  # an edge is missing
        "1",
        "",
    ],
    -0.5: [
        "1 2 3 4\n2 4\n1 4",  # does not start at 1
        "1 2 3 4\n1 3 4\n1 4",  # no such edge
        "1 2 3 4\n1 2 4 3\n1 4",  # an edge against its direction
        "1 2 3 4 5",  # no such vertex
        "1 1 2",
    ],
    -1.0: ["1 2 3 4\n1, 2, 4\n1 4", "1 -> 4"],
}
SAMPLES = {80: {"difficulty": 0}, 50: {"difficulty": 1}}


def test_gold_is_the_minimum_over_all_sets_of_paths(problem):
    assert problem.gold_answer == cheapest(problem)


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
