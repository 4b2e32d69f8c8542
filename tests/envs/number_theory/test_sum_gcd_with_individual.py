from math import gcd

from rlve.envs.number_theory.sum_gcd_with_individual import SumGCDWithIndividual

PROBLEM = SumGCDWithIndividual(MAX_N=32, N=6, reference_answer=15)  # 1 + 2 + 3 + 2 + 1 + 6
SCHEDULE = {d: {"MAX_N": n} for d, n in ((0, 32), (1, 48), (2, 72), (3, 108), (10, 1842))}
REWARDS = {
    1.0: ["15"],
    (15 / 16) ** 10: ["16"],
    (12 / 15) ** 10: ["12"],
    0.0: ["9" * 1000],
    -1.0: ["0", "-15", "1+2+3+2+1+6", ""],
}
SAMPLES = {300: {"MAX_N": range(4, 1500, 5)}}


def test_answer_is_the_sum(problem):
    assert 4 <= problem.N <= problem.MAX_N
    total = sum(gcd(i, problem.N) for i in range(1, problem.N + 1))
    assert problem.reference_answer == total
