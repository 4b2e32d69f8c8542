from rlve.envs.graphs.shortest_path import ShortestPath

PROBLEM = ShortestPath(
    N=4,
    edge_density=0.3,
    edges=[(0, 1, 1), (1, 2, 2), (2, 3, 1), (2, 0, 1), (1, 3, 9)],
    reference_answer_weight=4,
    reference_answer="0 1 2 3",
)
SCHEDULE = {
    d: {"N": n, "edge_density": [0.01, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3]}
    for d, n in ((0, 4), (1, 5), (8, 14), (20, 56))
}
REWARDS = {
    1.0: ["0 1 2 3"],
    (4 / 8) ** 5: ["0 1 2 0 1 2 3"],  # a walk may come back
    (4 / 10) ** 5: ["0 1 3"],
    -0.5: [
        "0 2 3",  # no edge from 0 to 2
        "0 1 2 1 3",  # an edge against its direction
        "0 1 1 3",  # a vertex is no neighbour of itself
        "1 2 3",  # does not start at 0
        "0 1 2",  # does not end at 3
        "0",
        "0 1 4 3",  # no such vertex
        "0 -1 3",
    ],
    -1.0: ["", "0, 1, 2, 3"],
}
SAMPLES = {150: {"difficulty": range(8)}}


def test_gold_is_the_minimum_over_all_paths(problem):
    lightest = min(path_weights(problem, [0]))
    assert problem.reference_answer_weight == lightest


def path_weights(problem, path):
    """The weights of all paths to the last vertex that start with this one."""
    if path[-1] == problem.N - 1:
        yield 0
    for s, t, w in problem.edges:
        if s == path[-1] and t not in path:
            for rest in path_weights(problem, [*path, t]):
                yield w + rest
