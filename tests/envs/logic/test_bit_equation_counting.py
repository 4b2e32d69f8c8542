from itertools import product

from rlve.envs.logic.bit_equation_counting import BitEquationCounting

PROBLEM = BitEquationCounting(N=3, expression="_ & (_ | _)", reference_answer=3)
SCHEDULE = {0: {"N": 2}, 1: {"N": 3}, 2: {"N": 4}, 8: {"N": 10}, 20: {"N": 45}}
REWARDS = {
    1.0: ["3"],
    (3 / 4) ** 10: ["4"],
    (2 / 3) ** 10: ["2"],
    (3 / 8) ** 10: ["8"],
    0.0: ["0"],
    -0.5: ["9", "-1"],
    -1.0: ["", "3/8"],
}
SAMPLES = {120: {"difficulty": range(6)}}


def test_gold_is_the_count_over_all_values(problem):
    assert problem.expression.count("_") == problem.N
    pattern = problem.expression.replace("_", "{}")
    ones = sum(eval(pattern.format(*values)) for values in product([0, 1], repeat=problem.N))
    assert problem.reference_answer == ones
