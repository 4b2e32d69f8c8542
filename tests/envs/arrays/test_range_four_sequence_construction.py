from itertools import product

from rlve.envs.arrays.range_four_sequence_construction import RangeFourSequenceConstruction

PROBLEM = RangeFourSequenceConstruction(
    N=5, conditions=[[1, 3], [5, 3, 2], [4, 1]], reference_answer="2 1 0 1 2"
)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 20: {"N": 23}}
REWARDS = {
    1.0: ["2 1 0 1 2", "3 0 1 0 3"],
    (2 / 3) ** 5: ["2 1 0 3 0"],
    (1 / 3) ** 5: ["0 1 0 1 0"],
    -0.5: [
        "2 1 0 1 1",
        "2 1 0 2 1",
        "0 3 2 1 0",
        "2 1 0 1",
        "2 1 0 1 2 1",
        "2 1 0 1 4",
        "-1 0 1 0 1",
        "",
    ],
    -1.0: ["2, 1, 0, 1, 2"],
}
SAMPLES = {100: {"N": range(3, 6)}}


def test_solutions_are_the_sequences_that_are_right(problem):
    N = problem.N
    right = sum(problem.score(list(values)) == 1 for values in product(range(4), repeat=N))
    assert problem.solutions().bit_count() == right
