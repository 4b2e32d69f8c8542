from random import Random

from rlve.envs.dialogues.hidden_linear_map import HiddenLinearMap
from support.tables import told

PROBLEM = HiddenLinearMap(N=2, M=5, matrix=[[1, 2], [3, 4]])
SCHEDULE = {0: {"N": 2, "M": 5}, 1: {"N": 2, "M": 11}, 20: {"N": 12, "M": 89}}
REPLIES = {
    "3 2": ["ask 1 1"],
    "0 1": ["ask 1 2", "ask 1 1 / ask 1 2"],
    "Not allowed: ...": ["ask 0 1", "ask 1 5", "ask -1 1"],
    None: ["ask 1", "ask 1 1 1", "answer 1 2 3", "map 1 1", ""],
    1.0: ["answer 1 2 3 4", "ask 1 1 / ask 2 1 / answer 1 2 3 4"],
    0.0: ["answer 1 3 2 4", "answer 6 2 3 4", "ask 1 1 / ask 1 2 / ask 1 1"],
}
SAMPLES = {100: {"difficulty": range(9)}}


def test_replies_add_up_the_columns(problem, seed):
    vector = Random(seed).choices(range(1, problem.M), k=problem.N)
    total = [0] * problem.N
    for column, times in enumerate(vector):
        for i in [*range(problem.N)] * times:
            total[i] = (total[i] + problem.matrix[i][column]) % problem.M
    asked = f"ask {' '.join(map(str, vector))}"
    assert told(problem, [asked]) == [" ".join(map(str, total))]
