from itertools import product
from random import Random

from rlve.envs.bits.xor_equation_counting import XorEquationCounting, count_tuples

# (1, 2), (2, 1)
PROBLEM = XorEquationCounting(N=2, RANGE=3, R=2, L=1, K=3, reference_answer=2)
SCHEDULE = {
    d: {"N": n, "RANGE": [3, 7, 31, 127, 1023, 4095, 32767, 131071, 1048575]}
    for d, n in ((0, 2), (1, 3), (8, 10), (20, 45))
}
REWARDS = {1.0: ["2"], 0.0: ["1", "9999"], -0.5: ["10000", "10002", "-1"], -1.0: ["2.0", "1 2", ""]}


def test_count_is_that_of_all_tuples():
    sizes = [(1, 9), (2, 3), (2, 20), (3, 7), (4, 3), (4, 5), (5, 3)]
    for seed in range(140):
        N, high = sizes[seed % 7]
        problem = XorEquationCounting.sample(Random(seed), N=N, RANGE=high)
        tuples = product(range(problem.L, problem.R + 1), repeat=N)
        assert problem.reference_answer == sum(xor_of(x) == problem.K for x in tuples)
        assert problem.L < problem.R <= high


def test_count_is_that_of_adding_variables_one_by_one():
    for seed in range(60):
        rng = Random(seed)
        N, R = rng.randint(3, 12), rng.randint(0, 40)
        L, K = rng.randint(0, R), rng.randrange(128)
        counts = {0: 1}
        for _ in range(N):
            longer = {}
            for x, count in counts.items():
                for y in range(L, R + 1):
                    longer[x ^ y] = longer.get(x ^ y, 0) + count
            counts = longer
        assert count_tuples(N, L, R, K) == counts.get(K, 0)


def xor_of(values):
    result = 0
    for value in values:
        result ^= value
    return result
