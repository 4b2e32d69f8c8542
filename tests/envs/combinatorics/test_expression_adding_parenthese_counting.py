from random import Random

from rlve.envs.combinatorics.expression_adding_parenthese_counting import (
    SMALL,
    Expression_AddingParenthese_Counting,
    different_values,
)

# 4 and 8
PROBLEM = Expression_AddingParenthese_Counting(
    num_operands=4, operands=[9, 3, 2, 1], operations=["-", "+", "*"], reference_answer=2
)
SCHEDULE = {0: {"num_operands": 3}, 1: {"num_operands": 4}, 13: {"num_operands": 16}}
REWARDS = {1.0: ["2"], (1 / 2) ** 10: ["1"], (2 / 5) ** 10: ["5"], -1.0: ["0", "-2", "8 4", ""]}
SAMPLES = {150: {"num_operands": range(2, 7)}}


def test_number_of_values(problem):
    values = enumerated(problem.operands, problem.operations)
    assert problem.reference_answer == len(set(values))


def test_numbers_of_more_than_64_bits():
    exceeding = 0
    for seed in range(150):
        rng = Random(seed)
        n = rng.randint(3, 6)
        operands = [rng.choice([1, 2, 3, 2**31, 2**32, 2**61, 2**62 - 1]) for _ in range(n)]
        operations = [rng.choice("+-*") for _ in range(n - 1)]
        values = set(enumerated(operands, operations))
        assert different_values(operands, operations) == len(values)
        exceeding += max(values) > SMALL
    assert exceeding > 50


def enumerated(operands, operations):
    """The values of all ways to choose the operation that is done last, and so on."""
    if not operations:
        return operands
    values = []
    for i, sign in enumerate(operations):
        for x in enumerated(operands[: i + 1], operations[:i]):
            for y in enumerated(operands[i + 1 :], operations[i + 1 :]):
                values.append({"+": x + y, "-": x - y, "*": x * y}[sign])
    return values
