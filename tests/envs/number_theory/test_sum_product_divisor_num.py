from random import Random

import pytest

from rlve.envs.number_theory.sum_product_divisor_num import SumProductDivisorNum

PROBLEM = SumProductDivisorNum(MAX_N_M=5, N=2, M=3, reference_answer=14)  # 1+2+2 + 2+3+4


def test_schedule():
    bounds = [SumProductDivisorNum.level(d)[0]["MAX_N_M"] for d in (0, 1, 2, 3, 4, 20)]
    assert bounds == [5, 7, 10, 15, 22, 14053]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("14", 1.0),
        ("15", (14 / 15) ** 10),
        ("7", (1 / 2) ** 10),
        ("9" * 1000, 0.0),
        ("0", -1.0),
        ("-14", -1.0),
        ("14.0", -1.0),
        ("", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_answer_sums_over_all_pairs():
    divisors = [sum(n % t == 0 for t in range(1, n + 1)) for n in range(27 * 27 + 1)]
    for seed in range(150):
        problem = SumProductDivisorNum.sample(Random(seed), MAX_N_M=2 + seed // 6)
        pairs = [(i, j) for i in range(1, problem.N + 1) for j in range(1, problem.M + 1)]
        assert problem.reference_answer == sum(divisors[i * j] for i, j in pairs)
