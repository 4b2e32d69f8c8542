from rlve.envs.algebra.polynomial_interpolation import PolynomialInterpolation
from support.linear import solution

PROBLEM = PolynomialInterpolation(
    N=2, coeffs=[1, 0, 3], reference_answer="1 0 3", X=[0, -1, 2], Y=[1, 4, 13]
)
SCHEDULE = {0: {"N": 2}, 1: {"N": 3}, 8: {"N": 10}, 9: {"N": 12}}
REWARDS = {
    1.0: ["1 0 3"],
    (2 / 3) ** 10: ["1 0 2"],
    (1 / 3) ** 10: ["3 0 1"],
    0.0: ["0 1 2"],
    -0.5: ["1 3", "1 0 3 0", ""],
    -1.0: ["1 + 3*x^2", "1, 0, 3"],
}
SAMPLES = {100: {"difficulty": range(6)}}


def test_coefficients_solve_the_vandermonde_system(problem):
    assert len(set(problem.X)) == problem.N + 1
    assert problem.coeffs[-1] > 0
    powers = [[x**i for i in range(problem.N + 1)] for x in problem.X]
    system = [[*row, y] for row, y in zip(powers, problem.Y, strict=True)]
    assert solution(system) == problem.coeffs
