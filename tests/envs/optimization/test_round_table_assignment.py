from itertools import combinations, product

from rlve.envs.optimization.round_table_assignment import RoundTableAssignment

PROBLEM = RoundTableAssignment(
    MAX_N_M=3, M=2, R=[2, 2], N=3, C=[1, 2, 1], reference_answer="0 1\n1 2"
)
SCHEDULE = {0: {"MAX_N_M": 3}, 1: {"MAX_N_M": 4}, 8: {"MAX_N_M": 12}, 20: {"MAX_N_M": 50}}
REWARDS = {
    1.0: ["0 1\n1 2", "2 1\n\n0 1\n"],
    (2 / 3) ** 5: ["0 1\n0 1"],  # table 0 has one seat
    (1 / 3) ** 5: ["0 2\n0 2"],
    -0.5: ["0 1", "0 1\n1 2\n0 1", "0 1 2\n1", "0 1 1 2", "0 0\n1 2", "0 3\n1 2", "0 -1\n1 2", ""],
    -1.0: ["0 1\n1 x"],
}
SAMPLES = {100: {"MAX_N_M": 3}}


def test_exactly_the_feasible_seatings_are_right(problem):
    choices = [list(combinations(range(problem.N), size)) for size in problem.R]
    for seating in product(*choices):
        everyone = [table for tables in seating for table in tables]
        yield seating, all(everyone.count(j) <= seats for j, seats in enumerate(problem.C))
