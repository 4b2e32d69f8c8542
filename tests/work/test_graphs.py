from random import Random

import networkx
from tests.support.working import checked, run

from rlve.algorithms.graphs import DisjointSets
from rlve.work import (
    breadth_first,
    dijkstra,
    flood,
    join_parts,
    kruskal,
    list_neighbours,
    path_back,
)


def graphs(seed, *, directed=False):
    rng = Random(seed)
    for _ in range(60):
        n = rng.randint(2, 8)
        kind = networkx.DiGraph if directed else networkx.Graph
        graph = kind()
        graph.add_nodes_from(range(n))
        for u in range(n):
            for v in range(n) if directed else range(u):
                if u != v and rng.random() < 0.4:
                    graph.add_edge(u, v, weight=rng.choice((rng.randint(1, 9), 12345)))
        yield graph


def given(graph):
    return [x for edge in graph.edges(data="weight") for x in edge]


def test_breadth_first():
    for graph in graphs(1):
        reached = checked(breadth_first(0, graph.neighbors), *given(graph))
        assert reached.distance == networkx.single_source_shortest_path_length(graph, 0)
        for vertex, distance in reached.distance.items():
            way = checked(path_back(reached, vertex), *given(graph))
            assert len(way) == distance + 1
            assert networkx.is_path(graph, way)


def test_breadth_first_up_to_a_goal():
    lines, reached = run(breadth_first(3, networkx.path_graph(7).neighbors, goal=1))
    assert reached.distance == {3: 0, 2: 1, 4: 1, 1: 2}
    assert lines == [
        "Queue: 3",
        "Take 3, distance 0: new 2 4 at distance 1. Queue: 2 4",
        "Take 2, distance 1: new 1 at distance 2. Queue: 4 1",
    ]


def test_flood():
    for graph in graphs(5):
        reached = checked(flood([0], graph.neighbors), *given(graph))
        assert reached.distance == networkx.single_source_shortest_path_length(graph, 0)
        for vertex in reached.distance:
            assert networkx.is_path(graph, reached.path(vertex))
    lines, _ = run(flood([0, 6], networkx.path_graph(9).neighbors, goal=2))
    assert lines == ["Distance 0: 0 6", "Distance 1: 1 5 7", "Distance 2: 2 4 8"]


def test_dijkstra():
    for graph in graphs(3, directed=True):
        arcs = {u: [(v, w) for _, v, w in graph.out_edges(u, "weight")] for u in graph}
        reached = checked(dijkstra(0, arcs.__getitem__), *given(graph))
        assert reached.distance == networkx.single_source_dijkstra_path_length(graph, 0)


def test_join_parts():
    edges = [(0, 1), (2, 3), (1, 0), (1, 2), (0, 3)]
    lines, chosen = run(join_parts(DisjointSets(4), edges))
    assert chosen == [(0, 1), (2, 3), (1, 2)]
    assert lines == [
        "0-1: take, joined {0 1}",
        "2-3: take, joined {2 3}",
        "1-0: both in {0 1}, skip",
        "1-2: take, joined {0 1 2 3}",
    ]
    _, chosen = run(join_parts(DisjointSets(4), edges, most=1))
    assert chosen == [(0, 1)]


def test_kruskal():
    for graph in graphs(4):
        tree = checked(kruskal(len(graph), [*graph.edges(data="weight")]), *given(graph))
        least = networkx.minimum_spanning_tree(graph)
        assert len(tree) == least.number_of_edges()
        assert sum(w for *_, w in tree) == least.size("weight")


def test_list_neighbours():
    edges = [(2, 0), (0, 3), (1, 0)]
    lines, near = run(list_neighbours(range(5), edges))
    assert lines == ["Neighbours: 0 has 1 2 3; 1 has 0; 2 has 0; 3 has 0; others have none"]
    assert near == {0: [1, 2, 3], 1: [0], 2: [0], 3: [0], 4: []}
    lines, near = run(list_neighbours(range(4), edges, directed=True))
    assert lines == ["Edges: 0 to 3; 1 to 0; 2 to 0; from others to none"]
    assert near == {0: [3], 1: [0], 2: [0], 3: []}
