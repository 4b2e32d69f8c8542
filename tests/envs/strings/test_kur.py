from math import gcd

from rlve.envs.strings.kur import KUR

# C = 01101011
PROBLEM = KUR(MAX_N=8, MAX_M=8, N=8, A=3, B=1, P=3, T="01", reference_answer=3)
SCHEDULE = {
    0: {"MAX_N": 8, "MAX_M": 8},
    1: {"MAX_N": 16, "MAX_M": 9},
    3: {"MAX_N": 64, "MAX_M": 12},
}
REWARDS = {
    1.0: ["3"],
    (3 / 4) ** 10: ["4"],
    (2 / 3) ** 10: ["2"],
    0.0: ["0"],
    -1.0: ["-3", "three", ""],
}
SAMPLES = {150: {"difficulty": range(8)}}


def test_gold_counts_the_starts_in_the_written_string(problem):
    N, A, B, P, T = problem.N, problem.A, problem.B, problem.P, problem.T
    assert gcd(A, N) == 1
    assert len(T) <= problem.MAX_M
    C = "".join("0" if (A * i + B) % N < P else "1" for i in range(N))
    assert problem.reference_answer == sum(C.startswith(T, i) for i in range(N)) > 0
