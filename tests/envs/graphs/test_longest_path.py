from rlve.envs.graphs.longest_path import LongestPath

PROBLEM = LongestPath(
    N=4, edge_density=0.35, edges=[(0, 1, 3), (1, 2, 4), (2, 0, 1), (3, 1, 2)], gold_answer=7
)
SCHEDULE = {
    0: {"N": 4, "edge_density": [i / 20 for i in range(3, 20, 2)]},  # some edge
    1: {"N": 5, "edge_density": [i / 20 for i in range(1, 20, 2)]},
    7: {"N": 11, "edge_density": [i / 20 for i in range(1, 20, 2)]},
    20: {"N": 24, "edge_density": [i / 20 for i in range(1, 20, 2)]},
}
REWARDS = {
    1.0: ["0 1 2", "3 1 2 0"],
    (6 / 7) ** 5: ["3 1 2"],
    (1 / 7) ** 5: ["2 0"],
    0.0: ["3"],
    -0.5: [
        "0 1 2 0",  # a vertex twice
        "0 2",  # an edge against its direction
        "0 3",  # no such edge
        "4",  # no such vertex
        "-1 0",
    ],
    -1.0: ["", "0, 1, 2"],
}
SAMPLES = {150: {"difficulty": range(4)}}


def test_gold_is_the_maximum_over_all_paths(problem):
    assert problem.gold_answer == max(
        weight for v in range(problem.N) for weight in path_weights(problem, [v])
    )


def path_weights(problem, path):
    """What each way to continue this path adds to its weight."""
    yield 0
    for s, t, w in problem.edges:
        if s == path[-1] and t not in path:
            for rest in path_weights(problem, [*path, t]):
                yield w + rest
