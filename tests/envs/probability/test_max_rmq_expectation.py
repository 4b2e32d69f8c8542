from fractions import Fraction
from itertools import product

import pytest

from rlve.envs.probability.max_rmq_expectation import PRIMES, MaxRMQExpectation

# The mean of 1, 1, 1, 2 is 5/4.
PROBLEM = MaxRMQExpectation(
    N=2,
    X=2,
    Q=1,
    intervals=[(1, 2)],
    MOD=998244353,
    reference_answer=5 * pow(4, -1, 998244353) % 998244353,
)


def test_schedule():
    assert [MaxRMQExpectation.level(d) for d in (0, 1, 20)] == [[{"N": 2}], [{"N": 3}], [{"N": 22}]]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("249561090", 0.0),
        (str(PROBLEM.reference_answer), 1.0),
        ("0", 0.0),
        ("998244352", 0.0),
        ("998244353", -0.5),
        (str(PROBLEM.reference_answer + 998244353), -0.5),
        ("-1", -0.5),
        ("5/4", -1.0),
        ("1.25", -1.0),
        ("", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


def test_expectation_is_the_mean_over_all_arrays():
    for seed in range(150):
        problem = MaxRMQExpectation.generate(difficulty=seed % 3, seed=seed)
        arrays = list(product(range(1, problem.X + 1), repeat=problem.N))
        total = sum(max(min(array[L - 1 : R]) for L, R in problem.intervals) for array in arrays)
        mean = Fraction(total, len(arrays))
        assert problem.MOD in PRIMES
        assert (problem.reference_answer * mean.denominator - mean.numerator) % problem.MOD == 0
        assert problem.verify(f"<answer>{problem.reference()}</answer>").correct
