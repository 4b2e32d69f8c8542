from random import Random

from rlve.envs.number_theory.binary_linear_equation_solution_counting import (
    BinaryLinearEquation_SolutionCounting,
    count_solutions,
)


def problem(gold):
    return BinaryLinearEquation_SolutionCounting(
        MAX_RANGE=8, A=1, B=-1, C=0, X1=1, X2=4, Y1=1, Y2=gold, reference_answer=gold
    )


SCHEDULE = {d: {"MAX_RANGE": n} for d, n in ((0, 8), (1, 16), (2, 32), (10, 8192))}
REWARDS = [
    (
        problem(4),
        {
            1.0: ["4"],
            (4 / 5) ** 10: ["5"],
            (3 / 4) ** 10: ["3"],
            0.0: ["0"],
            -1.0: ["-4", "4.0", ""],
        },
    ),
    (problem(0), {1.0: ["0"], 0.0: ["1"]}),
]
SAMPLES = {150: {"difficulty": range(3)}}


def brute_force(A, B, C, X1, X2, Y1, Y2):
    return sum(A * x + B * y + C == 0 for x in range(X1, X2 + 1) for y in range(Y1, Y2 + 1))


def test_gold_counts_the_solutions(problem):
    assert problem.reference_answer == brute_force(
        problem.A, problem.B, problem.C, problem.X1, problem.X2, problem.Y1, problem.Y2
    )


def test_zero_coefficients_and_unplanted_constants():
    rng = Random(0)
    for _ in range(600):
        A, B, C = (rng.randint(-3, 3) for _ in range(3))
        X1, Y1 = rng.randint(-5, 5), rng.randint(-5, 5)
        X2, Y2 = X1 + rng.randint(0, 5), Y1 + rng.randint(0, 5)
        count = count_solutions(A, B, C, (X1, X2), (Y1, Y2))
        assert count == brute_force(A, B, C, X1, X2, Y1, Y2)
