from fractions import Fraction

from rlve.envs.graphs.minimum_ratio_path import MinimumRatioPath

PROBLEM = MinimumRatioPath(
    N=4, edge_ratio=1.2, edges=[(0, 1, 2), (1, 2, 4), (2, 3, 4), (1, 3, 6)], gold_answer=(4, 2)
)
SCHEDULE = {
    0: {"N": 4, "edge_ratio": [i / 10 for i in range(10, 18)]},
    1: {"N": 5, "edge_ratio": [i / 10 for i in range(10, 22)]},
    2: {"N": 6, "edge_ratio": [i / 10 for i in range(10, 27)]},
    3: {"N": 7, "edge_ratio": [i / 10 for i in range(10, 31)]},
    20: {"N": 56, "edge_ratio": [i / 10 for i in range(10, 31)]},
}
REWARDS = {
    1.0: [
        "0 1 2 3",
        "0 1 0 1 2 3",  # a vertex and an edge again
    ],
    (2 / 3) ** 5: ["0 1 3", "0 1 2 1 3"],
    -0.5: [
        "0 2 3",  # no edge
        "1 2 3",
        "0 1 2",
        "0",
        "0 1 4 3",
        "0 -3 3",
    ],
    -1.0: ["", "0, 1, 2, 3"],
}
SAMPLES = {150: {"difficulty": range(4)}}


def test_gold_is_the_minimum_over_all_paths(problem):
    quotients = [Fraction(max(weights), min(weights)) for weights in paths(problem, [0])]
    assert Fraction(*problem.gold_answer) == min(quotients)
    assert all(u < v and (u, v) != (0, problem.N - 1) for u, v, _ in problem.edges)


def paths(problem, path):
    """The weights along each simple path to the last vertex that starts with this one."""
    if path[-1] == problem.N - 1:
        yield []
        return
    for u, v, w in problem.edges:
        for s, t in ((u, v), (v, u)):
            if s == path[-1] and t not in path:
                for rest in paths(problem, [*path, t]):
                    yield [w, *rest]
