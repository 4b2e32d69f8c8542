import re
from itertools import permutations

from rlve.envs.puzzles.cryptarithmetic import Cryptarithmetic

# d[1]d[2]d[1] + d[2]d[0]d[1] = d[1]d[0]d[0], planted as 101 + 021 = 122
PROBLEM = Cryptarithmetic(
    N=3,
    addend_length=3,
    digits=[2, 1, 0],
    addend_1=[1, 0, 1],
    addend_2=[1, 2, 0],
    sum_result=[2, 2, 1],
    reference_answer="2 1 0",
)
SCHEDULE = {
    0: {"N": 3, "addend_length": 6},
    1: {"N": 4, "addend_length": [7, 8]},
    2: {"N": 5, "addend_length": [8, 9, 10]},
    3: {"N": 6, "addend_length": range(9, 13)},
    20: {"N": 23, "addend_length": range(26, 47)},
}


# d[1] + d[1] = d[0]d[0] in base 3, planted as 2 + 2 = 11
LONGER = Cryptarithmetic(
    N=3,
    addend_length=1,
    digits=[1, 2, 0],
    addend_1=[2],
    addend_2=[2],
    sum_result=[1, 1],
    reference_answer="1 2 0",
)
# d[1] + d[1] = d[2], planted as 1 + 1 = 2
SHORTER = Cryptarithmetic(
    N=3,
    addend_length=1,
    digits=[0, 1, 2],
    addend_1=[1],
    addend_2=[1],
    sum_result=[2],
    reference_answer="0 1 2",
)
REWARDS = [
    (
        PROBLEM,
        {
            1.0: ["2 1 0"],
            (2 / 3) ** 3: ["1 2 0"],  # 202 + 012 = 221, not 211
            (1 / 4) ** 3: ["1 0 2"],  # 020 + 210 = 1000, not 011
            0.0: ["0 1 2"],  # 121 + 201 = 1022, not 100
            -0.5: ["2 1", "2 1 0 0", "2 1 1", "3 2 1", "-2 1 0", "2 1 " + "9" * 900, ""],
            -1.0: ["2, 1, 0", "d[0]=2"],
        },
    ),
    # digits that only the given sum has must be zeros: 1 + 1 = 02, not 22, and 2, not 00
    (LONGER, {1.0: ["1 2 0"], (1 / 2) ** 3: ["2 1 0", "0 1 2"]}),
    (SHORTER, {1.0: ["0 1 2"], 0.0: ["1 2 0"]}),  # a carry beyond the given sum: 2 + 2 = 11
]
SAMPLES = {100: {"N": range(3, 6), "addend_length": range(2, 7)}}


def test_exactly_the_assignments_that_make_the_addition_true_are_right(problem):
    N = problem.N
    numbers = [
        [int(symbol) for symbol in re.findall(r"d\[(\d+)\]", line)]
        for line in problem.prompt().splitlines()
        if re.fullmatch(r"([+=] )?(d\[\d+\])+", line)
    ]
    for digits in permutations(range(N)):
        a, b, c = (value_of(number, digits) for number in numbers)
        yield digits, a + b == c


def value_of(symbols, digits):
    value = 0
    for symbol in symbols:
        value = value * len(digits) + digits[symbol]
    return value
