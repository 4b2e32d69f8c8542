from itertools import combinations

from rlve.envs.algebra.squ_squarks import SquSquarks

PROBLEM = SquSquarks(N=3, sums=[5, 3, 4], reference_answer="2 1 3")
FOUR = SquSquarks(N=4, sums=[5, 6, 7, 7, 8, 9], reference_answer="2 3 4 5")
TWOFOLD = SquSquarks(N=4, sums=[5, 7, 8, 10, 11, 13], reference_answer="1 4 6 7")
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 20: {"N": 23}}
REWARDS = [
    (
        PROBLEM,
        {
            1.0: ["2 1 3", "3 2 1"],
            (2 / 4) ** 5: ["1 2 4"],  # 3 5 6
            0.0: ["7 8 9"],
            -0.5: ["1 2", "1 2 3 4", "", "2 2 2", "0 3 5", "-1 4 6"],
            -1.0: ["1, 2, 3"],
        },
    ),
    (
        FOUR,
        {
            1.0: ["2 3 4 5"],
            (5 / 7) ** 5: ["1 4 5 3"],  # 4 5 6 7 8 9
        },
    ),
    (TWOFOLD, {1.0: ["1 4 6 7", "2 3 5 8"]}),
]
SAMPLES = {100: {"difficulty": range(3)}}


def test_right_answers_are_those_found_by_trying(problem):
    for numbers in combinations(range(1, 2 * problem.N + 1), problem.N):
        sums = [a + b for i, a in enumerate(numbers) for b in numbers[:i]]
        same = sorted(sums) == sorted(problem.sums)
        assert (problem.score(list(numbers)) == 1.0) == same
