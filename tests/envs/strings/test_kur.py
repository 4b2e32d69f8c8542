from math import gcd

import pytest

from rlve.envs.strings.kur import KUR

# C = 01101011
PROBLEM = KUR(MAX_N=8, MAX_M=8, N=8, A=3, B=1, P=3, T="01", reference_answer=3)


@pytest.mark.parametrize(("d", "MAX_N", "MAX_M"), [(0, 8, 8), (1, 16, 9), (3, 64, 12)])
def test_schedule(d, MAX_N, MAX_M):
    assert KUR.level(d) == [{"MAX_N": MAX_N, "MAX_M": MAX_M}]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("3", 1.0),
        ("2", (2 / 3) ** 10),
        ("4", (3 / 4) ** 10),
        ("0", 0.0),
        ("-3", -1.0),
        ("three", -1.0),
        ("", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_gold_counts_the_starts_in_the_written_string():
    for seed in range(150):
        problem = KUR.generate(difficulty=seed % 8, seed=seed)
        N, A, B, P, T = problem.N, problem.A, problem.B, problem.P, problem.T
        assert gcd(A, N) == 1
        assert len(T) <= problem.MAX_M
        C = "".join("0" if (A * i + B) % N < P else "1" for i in range(N))
        assert problem.reference_answer == sum(C.startswith(T, i) for i in range(N)) > 0
