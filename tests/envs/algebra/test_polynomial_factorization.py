from rlve.envs.algebra.polynomial_factorization import PolynomialFactorization

# (x - 1)^2 (x + 2) = x^3 - 3 x + 2
PROBLEM = PolynomialFactorization(
    N=3, gold_answer=[1, -2, 1], reference_answer="1 -2 1", coefficients=[2, -3, 0, 1]
)
SCHEDULE = {0: {"N": 3}, 1: {"N": 4}, 20: {"N": 23}}
REWARDS = {
    1.0: ["1 -2 1", "-2 1 1"],
    (2 / 3) ** 5: ["1 -2 -2"],
    (1 / 3) ** 5: ["-1 2 1"],
    0.0: ["-1 2 -1"],
    -1.0: ["1 -2", "1 1 -2 0", "", "(x - 1)^2 * (x + 2)", "1, 1, -2"],
}
SAMPLES = {150: {"difficulty": range(21)}}


def test_roots_are_those_found_by_dividing(problem):
    """Those in [-N, N], by synthetic division, as often as it leaves no remainder."""
    assert problem.coefficients[-1] == 1
    N = len(problem.coefficients) - 1
    rest = problem.coefficients[::-1]
    found = []
    for a in range(-N, N + 1):
        while len(rest) > 1:
            quotient = [rest[0]]
            for c in rest[1:]:
                quotient.append(c + a * quotient[-1])
            if quotient.pop():
                break
            rest = quotient
            found.append(a)
    assert found == sorted(problem.gold_answer)
