from itertools import product

from rlve.envs.number_theory.bezout_identity import BezoutIdentity

PROBLEM = BezoutIdentity(N=2, MAX_A=32, A=[6, -4], gold_answer=2, reference_answer="1 1")
SCHEDULE = {0: {"N": 2, "MAX_A": 32}, 1: {"N": 3, "MAX_A": 64}, 5: {"N": 7, "MAX_A": 1024}}
REWARDS = {
    1.0: ["1 1", "-1 -2"],
    (2 / 4) ** 5: ["0 -1"],
    (2 / 6) ** 5: ["1 0"],
    -0.5: [
        "0 0",  # the sum is not positive
        "-1 -1",
        "1",  # the wrong number of coefficients
        "1 1 0",
        "",
    ],
    -1.0: ["1, 1", "1 0.5"],
}
SAMPLES = {100: {"N": [2, 3], "MAX_A": 9}}


def test_gold_is_the_smallest_positive_sum(problem):
    N = problem.N
    bound = range(-9, 10)
    sums = (sum(a * x for a, x in zip(problem.A, X, strict=True)) for X in product(bound, repeat=N))
    assert problem.gold_answer == min(s for s in sums if s > 0)
