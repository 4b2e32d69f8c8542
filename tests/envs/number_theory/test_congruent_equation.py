from rlve.envs.number_theory.congruent_equation import CongruentEquation

PROBLEM = CongruentEquation(MAX_A_B=10, A=3, B=7, reference_answer=5)
SCHEDULE = {0: {"MAX_A_B": 5}, 1: {"MAX_A_B": 10}, 2: {"MAX_A_B": 20}, 10: {"MAX_A_B": 5120}}
REWARDS = {
    1.0: ["5"],
    0.0: ["12"],  # a solution, but not the smallest
    -0.5: ["4"],
    -1.0: ["0", "-2", "x = 5", ""],
}
SAMPLES = {150: {"difficulty": range(8)}}


def test_gold_is_the_smallest_solution(problem):
    assert problem.reference_answer == next(
        x for x in range(1, problem.B) if problem.A * x % problem.B == 1
    )
