from itertools import combinations

from rlve.envs.graphs.vertex_k_center import Vertex_KCenter
from support.graphs import distances

PROBLEM = Vertex_KCenter(
    N=5,
    edge_density=0.4,
    K=2,
    edges=[(0, 1, 1), (1, 2, 2), (2, 3, 3), (3, 4, 4)],
    Floyd=[],  # not trusted
    reference_answer="1 3",
    gold_answer=4,
)
SCHEDULE = {
    0: {"N": 4, "edge_density": [0.5, 0.6, 0.7, 0.8, 0.9]},
    6: {"N": 10, "edge_density": [0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9]},
    20: {
        "N": 24,
        "edge_density": [0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9],
    },
}
REWARDS = {
    1.0: ["1 3", "3 1", "1 4"],
    (4 / 7) ** 5: ["0 2"],
    (4 / 9) ** 5: ["0 1"],
    -0.5: ["1", "1 3 4", "1 1", "1 5", "1 -1", ""],
    -1.0: ["1, 3"],
}


def test_gold_is_the_minimum_over_all_choices():
    for seed in range(150):
        problem = Vertex_KCenter.generate(difficulty=seed % 6, seed=seed)
        vertices = range(problem.N)
        far = distances(vertices, problem.edges)
        assert problem.Floyd == [[far[u, v] for v in vertices] for u in vertices]
        farthest = [
            max(min(far[v, c] for c in centres) for v in vertices)
            for centres in combinations(vertices, problem.K)
        ]
        assert problem.gold_answer == min(farthest)
