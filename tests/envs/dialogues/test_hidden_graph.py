from random import Random

from rlve.envs.dialogues.hidden_graph import HiddenGraph
from support.tables import told

PROBLEM = HiddenGraph(N=4, M=3, edges=[(1, 2), (1, 3), (3, 4)])
SCHEDULE = {0: {"N": 4, "M": 3}, 1: {"N": 5, "M": 4}, 20: {"N": 24, "M": 23}}
REPLIES = {
    "0": ["count", "count 1", "count 2 3", "count 4 2"],
    "1": ["count 1 2", "count 4 3"],
    "2": ["count 1 2 3", "count 4 3 1"],
    "3": ["count 1 2 3 4"],
    "Not allowed: ...": ["count 1 1", "count 0 1", "count 5"],
    None: ["answer 1 2", "answer 1 2 1 3 3", "count x", "edges 1 2", ""],
    1.0: ["answer 1 2 1 3 3 4", "count 1 2 / answer 4 3 2 1 3 1"],
    0.0: ["answer 1 2 1 3 2 4", "answer 1 2 2 1 3 4", " / ".join(["count 1"] * 10)],
}
SAMPLES = {100: {"difficulty": range(8)}}


def test_replies_count_the_edges_in_a_matrix(problem, seed):
    matrix = [[0] * (problem.N + 1) for _ in range(problem.N + 1)]
    for u, v in problem.edges:
        matrix[u][v] = matrix[v][u] = 1
    assert sum(map(sum, matrix)) == 2 * problem.M
    assert not any(matrix[u][u] for u in range(problem.N + 1))
    rng = Random(seed)
    named = rng.sample(range(1, problem.N + 1), rng.randint(2, problem.N))
    twice = sum(matrix[u][v] for u in named for v in named)
    assert told(problem, [f"count {' '.join(map(str, named))}"]) == [str(twice // 2)]
