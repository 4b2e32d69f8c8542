from itertools import combinations

from rlve.envs.graphs.degree_fixed_spanning_tree import DegreeFixed_SpanningTree
from support.graphs import spans

PROBLEM = DegreeFixed_SpanningTree(
    N=4,
    edge_density=0.9,
    degrees=[1, 2, 2, 1],
    edges=[(0, 1), (1, 2), (2, 3), (0, 2), (1, 3)],
    reference_answer="0 1 1 2 2 3",
)
SCHEDULE = {
    0: {"N": 4, "edge_density": [0.7, 0.9]},
    3: {"N": 7, "edge_density": [0.5, 0.7, 0.9]},
    20: {"N": 24, "edge_density": [0.1, 0.3, 0.5, 0.7, 0.9]},
}
REWARDS = {
    1.0: [
        "0 1 1 2 2 3",
        "3 1 2 1 2 0",  # another tree with these degrees
    ],
    (2 / 4) ** 5: ["0 1 1 2 1 3"],
    -0.5: [
        "0 1 1 2",  # too few edges
        "0 1 1 2 2 3 0 2",  # too many
        "0 1 1 2 0 2",  # a cycle, and 3 is not reached
        "0 1 1 0 2 3",  # the same edge twice
        "0 1 1 2 0 3",  # no such edge
        "0 1 1 2 3 4",  # no such vertex
        "",
    ],
    -1.0: [
        "0 1 1 2 2",  # an odd number of ends
        "0 1 1 2 2 x",
    ],
}
SAMPLES = {100: {"difficulty": [0, 1]}}


def test_right_are_just_the_trees_with_the_degrees(problem):
    for tree in combinations(problem.edges, problem.N - 1):
        ends = [v for edge in tree for v in edge]
        degrees = [ends.count(v) for v in range(problem.N)]
        right = spans(tree, problem.N) and degrees == problem.degrees
        text = " ".join(map(str, ends))
        assert problem.verify(f"<answer>{text}</answer>").correct == right
