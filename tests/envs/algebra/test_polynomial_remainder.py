from fractions import Fraction

from rlve.envs.algebra.polynomial_remainder import PolynomialRemainder

# (x^2 + 1) * 2x + 3 - x
PROBLEM = PolynomialRemainder(
    N=3,
    M=2,
    Q_coeffs=[1, 0, 1],
    R_coeffs=[0, 2],
    S_coeffs=[3, -1],
    P_coeffs=[3, 1, 0, 2],
    reference_answer="3 -1",
)
SCHEDULE = {
    0: {"N": 3, "M": [2, 3]},
    1: {"N": 4, "M": [2, 3, 4]},
    2: {"N": 5, "M": range(2, 6)},
    7: {"N": 10, "M": [2, 3, 4, 5, 7, 9]},
    20: {"N": 50, "M": [2, 3, 4, 5, 15, 25, 35, 45]},
}
REWARDS = {
    1.0: ["3 -1"],
    (1 / 2) ** 10: ["3 1"],
    0.0: ["-1 3"],
    -0.5: ["3", "3 -1 0", ""],
    -1.0: ["3 - x", "3, -1"],
}
SAMPLES = {150: {"difficulty": range(10)}}


def test_remainder_is_that_of_long_division(problem):
    assert len(problem.P_coeffs) == problem.N + 1
    Q = problem.Q_coeffs
    rest = [Fraction(p) for p in problem.P_coeffs]
    while len(rest) >= len(Q):
        factor = rest[-1] / Q[-1]
        for i in range(1, len(Q) + 1):
            rest[-i] -= factor * Q[-i]
        rest.pop()
    assert rest == problem.S_coeffs
