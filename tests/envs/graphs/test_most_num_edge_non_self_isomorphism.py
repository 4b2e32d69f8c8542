from itertools import combinations, permutations

import pytest

from rlve.envs.graphs.most_num_edge_non_self_isomorphism import (
    MostNumEdge_NonSelfIsomorphism,
    asymmetric_tree_counts,
    most_edges,
)

PROBLEM = MostNumEdge_NonSelfIsomorphism(MAX_N=10, N=7, reference_answer=15)
SCHEDULE = {d: {"MAX_N": n} for d, n in ((0, 10), (1, 12), (2, 14), (3, 16), (20, 103))}
BRUTE_FORCE = "There is one problem for each N: small graphs and trees are listed instead."
REWARDS = {1.0: ["15", "+15"], 0.0: ["14", "-15"], -1.0: ["", "15.0"]}


def test_a_wrong_stored_answer_is_not_trusted():
    published = MostNumEdge_NonSelfIsomorphism(MAX_N=10, N=6, reference_answer=10)
    assert published.reference() == "9"
    assert published.verify("<answer>9</answer>").correct
    assert not published.verify("<answer>10</answer>").correct


@pytest.mark.parametrize("n", [6, 7])
def test_asymmetric_graphs_have_at_least_six_edges(n):
    """Of the complements: an asymmetric one with six edges exists, and none with fewer."""
    fewest = n * (n - 1) // 2 - most_edges(n)
    assert fewest == 6
    for size in range(fewest):
        assert not any(is_asymmetric(n, graph) for graph in small_graphs(n, size))
    assert any(is_asymmetric(n, graph) for graph in small_graphs(n, fewest))


def small_graphs(n, size):
    """Graphs with this many edges, with vertices in the order in which edges name them."""
    graphs = {frozenset()}
    for _ in range(size):
        larger = set()
        for graph in graphs:
            used = len({v for edge in graph for v in edge})
            for u, v in combinations(range(min(n, used + 2)), 2):
                if (u, v) not in graph and (v < used or v == max(u + 1, used)):
                    larger.add(graph | {(u, v)})
        graphs = {canonical_by_degree(graph) for graph in larger}
    return graphs


def canonical_by_degree(graph):
    """The same graph for many that are isomorphic, and isomorphic to this one."""
    vertices = sorted({v for edge in graph for v in edge})
    near = {v: {x for edge in graph if v in edge for x in edge if x != v} for v in vertices}
    colour = dict.fromkeys(vertices, 0)
    for _ in range(3):
        seen = {v: (colour[v], sorted(colour[x] for x in near[v])) for v in vertices}
        ranks = {str(key): i for i, key in enumerate(sorted(seen.values()))}
        colour = {v: ranks[str(seen[v])] for v in vertices}
    place = {v: i for i, v in enumerate(sorted(vertices, key=lambda v: (colour[v], v)))}
    return frozenset(tuple(sorted((place[u], place[v]))) for u, v in graph)


def is_asymmetric(n, graph):
    if n - len({v for edge in graph for v in edge}) > 1:
        return False  # two vertices without edges can be swapped
    edges = {frozenset(edge) for edge in graph}
    return not any(
        all(frozenset((p[u], p[v])) in edges for u, v in graph)
        for p in permutations(range(n))
        if p != tuple(range(n))
    )


def test_trees_without_symmetry_are_counted():
    """All trees grow from smaller ones by a leaf; names that do not depend on labels."""
    trees = {"()": [None]}
    assert asymmetric_tree_counts(10)[:2] == [0, 1]
    for order in range(2, 11):
        grown = [[*parents, v] for parents in trees.values() for v in range(len(parents))]
        trees = {name(parents): parents for parents in grown}
        count = sum(no_symmetry(parents) for parents in trees.values())
        assert asymmetric_tree_counts(10)[order] == count
    assert asymmetric_tree_counts(15)[11:] == [15, 29, 67, 139, 310]


def name(parents):
    return min(rooted_name(parents, root) for root in range(len(parents)))


def no_symmetry(parents):
    """All vertices look different as roots."""
    names = {rooted_name(parents, root) for root in range(len(parents))}
    return len(names) == len(parents)


def rooted_name(parents, root, above=None):
    near = [v for v, p in enumerate(parents) if p == root and v != root]
    near += [parents[root]] if parents[root] is not None else []
    return f"({''.join(sorted(rooted_name(parents, v, root) for v in near if v != above))})"


def test_answers_from_the_counts_of_trees():
    # One vertex, then trees of 7, 8, 9, 9, 9 and 10 vertices.
    trees = {7: 1, 8: 2, 14: 2, 15: 2, 16: 3, 24: 3, 25: 4, 34: 5, 43: 6, 52: 6, 53: 7}
    for n, count in trees.items():
        assert most_edges(n) == n * (n - 1) // 2 - (n - count)
