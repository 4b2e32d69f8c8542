from itertools import combinations

from rlve.envs.graphs.three_vertex_cycle_counting import ThreeVertexCycleCounting

PROBLEM = ThreeVertexCycleCounting(
    N=4, edge_ratio=1.5, edges=list(combinations(range(4), 2)), reference_answer=4
)
PATH = ThreeVertexCycleCounting(N=3, edge_ratio=1.0, edges=[(0, 1), (1, 2)], reference_answer=0)
SCHEDULE = {
    0: {"N": 5, "edge_ratio": [i / 10 for i in range(10, 22)]},
    1: {"N": 6, "edge_ratio": [i / 10 for i in range(10, 27)]},
    2: {"N": 7, "edge_ratio": [i / 10 for i in range(10, 31)]},
    20: {"N": 62, "edge_ratio": [i / 10 for i in range(10, 31)]},
}
REWARDS = [
    (
        PROBLEM,
        {
            1.0: ["4"],
            (4 / 5) ** 10: ["5"],
            (3 / 4) ** 10: ["3"],
            0.0: ["0", "1" + "0" * 999],
            -1.0: ["-4", "", "4.0"],
        },
    ),
    (PATH, {1.0: ["0"], 0.0: ["1"], -1.0: ["-1"]}),  # without triangles
]
SAMPLES = {150: {"difficulty": range(8)}}


def test_gold_is_the_count_over_all_triples(problem):
    edges = set(problem.edges)
    triples = combinations(range(problem.N), 3)
    closed = sum(edges.issuperset(combinations(triple, 2)) for triple in triples)
    assert problem.reference_answer == closed
