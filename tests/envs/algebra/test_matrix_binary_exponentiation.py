from rlve.envs.algebra.matrix_binary_exponentiation import Matrix_BinaryExponentiation

PROBLEM = Matrix_BinaryExponentiation(
    N=2,
    MAX_K=2,
    K=2,
    A=[[1, 100], [0, 100]],
    gold_answer=[[1, 100], [0, 0]],
    reference_answer="1 100\n0 0",
)
SCHEDULE = {d: {"N": [2, 3, 5, 10], "MAX_K": n} for d, n in ((0, 2), (1, 4), (20, 2097152))}
REWARDS = {
    1.0: ["1 100\n0 0", "\n1  100\n\n0 0\n"],
    (1 / 2) ** 5: ["1 10100\n0 10000"],  # not reduced; the first two entries are
    0.0: ["2 200\n1 1"],
    -1.0: ["1 100 0 0", "1 100", "1 100\n0 0\n0 0", "1 100\n0", "1, 100\n0, 0", ""],
}
SAMPLES = {100: {"N": [2, 3, 5], "MAX_K": [2, 4, 8, 16, 32]}}


def test_power_is_the_repeated_product(problem):
    assert 2 <= problem.K <= problem.MAX_K
    size = range(problem.N)
    power = problem.A
    for _ in range(problem.K - 1):
        power = [
            [sum(power[i][k] * problem.A[k][j] for k in size) % 10000 for j in size] for i in size
        ]
    assert problem.gold_answer == power
