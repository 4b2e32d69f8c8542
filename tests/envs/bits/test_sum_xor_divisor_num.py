from random import Random

import pytest

from rlve.envs.bits.sum_xor_divisor_num import SumXorDivisorNum

# i XOR j XOR 4 runs four times through 4, 5, 6, 7, which have 3, 2, 4, 2 divisors
PROBLEM = SumXorDivisorNum(MAX_N_M=5, N=3, M=3, X=4, reference_answer=44)


def test_schedule():
    limits = [SumXorDivisorNum.level(d)[0]["MAX_N_M"] for d in (0, 1, 2, 3, 20)]
    assert limits == [5, 7, 10, 15, 14053]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("44", 1.0),
        ("22", 0.5**10),
        ("88", 0.5**10),
        ("0", 0.0),
        ("-44", -1.0),
        ("44.0", -1.0),
        ("44 44", -1.0),
        ("", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_sum_is_that_of_all_pairs():
    divisors = [sum(n % t == 0 for t in range(1, n + 1)) for n in range(64)]
    divisors[0] = 0
    for seed in range(120):
        problem = SumXorDivisorNum.sample(Random(seed), MAX_N_M=5 + seed % 59)
        values = [i ^ j ^ problem.X for i in range(problem.N + 1) for j in range(problem.M + 1)]
        assert problem.reference_answer == sum(divisors[n] for n in values)
