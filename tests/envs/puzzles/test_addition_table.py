from itertools import permutations
from string import ascii_lowercase

from rlve.envs.puzzles.addition_table import AdditionTable

PROBLEM = AdditionTable(N=4, digit2letter=[*"cabd"], reference_answer="4 1 2 0 3")
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 2: {"N": 5}, 20: {"N": 23}, 23: {"N": 26}, 24: {"N": 26}}
REWARDS = {
    1.0: ["4 1 2 0 3", "4\n1 2\n0 3"],
    (2 / 4) ** 3: ["4 1 2 3 0"],
    (1 / 4) ** 3: ["4 1 1 1 1"],
    0.0: ["4 -1 7 9 " + "9" * 900, "5 1 2 0 3"],
    -0.5: ["1 2 0 3", "4 1 2 0 3 3", "4, 1, 2, 0, 3", "a=1", ""],
}
SAMPLES = {100: {"difficulty": range(3)}}


def test_exactly_one_assignment_satisfies_the_table(problem):
    equations = [
        line.replace("+", " ").replace("=", " ").split()
        for line in problem.prompt().splitlines()
        if " + " in line and " = " in line
    ]
    letters = ascii_lowercase[: len({letter for equation in equations for letter in equation[0]})]
    found = [
        values
        for values in permutations(range(len(letters)))
        if all(
            value_of(p, values) + value_of(q, values) == value_of(total, values)
            for p, q, total in equations
        )
    ]
    (values,) = found
    assert problem.reference() == " ".join(map(str, [len(letters), *values]))


def value_of(word, values):
    value = 0
    for letter in word:
        value = value * len(values) + values[ord(letter) - ord("a")]
    return value
