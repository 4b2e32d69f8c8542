from random import Random

from rlve.envs.dialogues.hidden_polynomial import HiddenPolynomial
from support.tables import told

PROBLEM = HiddenPolynomial(D=1, M=11, coefficients=[3, 4])
SCHEDULE = {0: {"D": 1, "M": 11}, 1: {"D": 1, "M": 17}, 20: {"D": 11, "M": 131}}
REPLIES = {
    "3": ["ask 0", "ask 11"],
    "0": ["ask 2", "ask 13"],
    "10": ["ask -1", "ask 0 / ask 10"],
    None: ["ask", "ask 1 2", "answer 3", "value 1", "ask 1.5", ""],
    1.0: ["answer 3 4", "ask 0 / ask 1 / answer 3 4"],
    0.0: ["answer 4 3", "answer 14 4", "ask 0 / ask 1 / ask 2"],
}
SAMPLES = {100: {"difficulty": range(12)}}


def test_replies_are_the_values_by_horners_rule(problem, seed):
    x, value = Random(seed).randint(-50, 500), 0
    for coefficient in reversed(problem.coefficients):
        value = value * x + coefficient
    assert told(problem, [f"ask {x}"]) == [str(value % problem.M)]
