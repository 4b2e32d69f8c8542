from fractions import Fraction
from itertools import product

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
SCHEDULE = {0: {"N": 2}, 1: {"N": 3}, 20: {"N": 22}}
REWARDS = {
    1.0: [str(PROBLEM.reference_answer)],
    0.0: ["249561090", "0", "998244352"],
    -0.5: ["998244353", str(PROBLEM.reference_answer + 998244353), "-1"],
    -1.0: ["5/4", "1.25", ""],
}
SAMPLES = {150: {"difficulty": range(3)}}


def test_expectation_is_the_mean_over_all_arrays(problem):
    arrays = list(product(range(1, problem.X + 1), repeat=problem.N))
    total = sum(max(min(array[L - 1 : R]) for L, R in problem.intervals) for array in arrays)
    mean = Fraction(total, len(arrays))
    assert problem.MOD in PRIMES
    assert (problem.reference_answer * mean.denominator - mean.numerator) % problem.MOD == 0
