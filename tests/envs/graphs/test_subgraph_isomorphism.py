from itertools import permutations

from rlve.envs.graphs.subgraph_isomorphism import SubgraphIsomorphism

PROBLEM = SubgraphIsomorphism(
    N2=5,
    edge_density=0.45,
    G2_edges=[(0, 1), (1, 2), (2, 3), (0, 4)],
    N1=3,
    G1_edges=[(0, 1), (0, 2)],
    reference_answer="1 0 2",
)
SCHEDULE = {
    0: {"N2": 3, "edge_density": [i / 20 for i in range(7, 20, 2)]},
    4: {"N2": 7, "edge_density": [i / 20 for i in range(1, 20, 2)]},
    20: {"N2": 23, "edge_density": [i / 20 for i in range(1, 20, 2)]},
}
REWARDS = {
    1.0: ["1 0 2", "2 3 1", "0 4 1"],
    (2 / 3) ** 10: ["0 1 3"],
    (1 / 3) ** 10: ["0 1 2"],
    0.0: ["4 1 2"],
    -0.5: ["1 0", "1 0 2 3", "1 0 0", "1 0 5", "1 0 -1", ""],
    -1.0: ["p(0)=1"],
}
SAMPLES = {100: {"difficulty": range(3)}}


def test_correct_are_exactly_the_induced_embeddings(problem):
    joined1 = [[{u, v} in map(set, problem.G1_edges) for v in range(3)] for u in range(3)]
    joined2 = {frozenset(edge) for edge in problem.G2_edges}
    if problem.N1 > 3:
        return
    for image in permutations(range(problem.N2), 3):
        right = all(
            joined1[u][v] == (frozenset((image[u], image[v])) in joined2)
            for u in range(3)
            for v in range(u)
        )
        answer = " ".join(map(str, image))
        assert problem.verify(f"<answer>{answer}</answer>").correct == right
