from fractions import Fraction

from rlve.envs.algebra.polynomial_interpolation import PolynomialInterpolation

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


def test_coefficients_solve_the_vandermonde_system():
    for seed in range(100):
        problem = PolynomialInterpolation.generate(difficulty=seed % 6, seed=seed)
        assert len(set(problem.X)) == problem.N + 1
        assert problem.coeffs[-1] > 0
        assert solved(problem.X, problem.Y) == problem.coeffs
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct


def solved(X, Y):
    size = range(len(X))
    rows = [[*(Fraction(x) ** i for i in size), Fraction(y)] for x, y in zip(X, Y, strict=True)]
    for i in size:
        pivot = next(r for r in size if r >= i and rows[r][i])
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [a / rows[i][i] for a in rows[i]]
        for r in size:
            if r != i:
                factor = rows[r][i]
                rows[r] = [a - factor * b for a, b in zip(rows[r], rows[i], strict=True)]
    return [row[-1] for row in rows]
