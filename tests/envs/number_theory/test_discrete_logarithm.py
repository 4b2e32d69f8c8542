from rlve.envs.number_theory.discrete_logarithm import DiscreteLogarithm

# 2^0 = 1, 2^1 = 2, 2^2 = 4, 2^3 = 1 modulo 7
PROBLEM = DiscreteLogarithm(MAX_Z=10, Z=7, X=2, Y=5, K=4, reference_answer=2)
ZERO = DiscreteLogarithm(MAX_Z=10, Z=7, X=2, Y=3, K=1, reference_answer=0)
SCHEDULE = {d: {"MAX_Z": n} for d, n in enumerate([10, 13, 16, 20, 25])}
REWARDS = [
    (
        PROBLEM,
        {
            1.0: ["2"],
            (2 / 5) ** 2: ["5"],
            (2 / 8) ** 2: ["8"],
            0.0: ["1", "0"],
            -1.0: ["-1", "two", ""],
        },
    ),
    (ZERO, {1.0: ["0"], 0.0: ["3", "1"]}),
]
SAMPLES = {300: {"difficulty": range(10)}}


def test_gold_is_the_smallest_exponent(problem):
    assert problem.reference_answer == next(
        y for y in range(problem.Z) if problem.X**y % problem.Z == problem.K
    )
