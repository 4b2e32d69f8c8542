from fractions import Fraction
from itertools import product

from rlve.envs.probability.cinema import Cinema

PROBLEM = Cinema(MAX_N_K=4, N=2, K=2, gold_answer=(3, 4), reference_answer="3 4")
SCHEDULE = {d: {"MAX_N_K": n} for d, n in ((0, 4), (1, 6), (2, 9), (3, 13), (12, 474))}


REWARDS = {
    1.0: ["3 4"],
    0.0: [
        "6 8",  # not in lowest terms
        "4 3",
        "-3 -4",
        "0 0",
    ],
    -1.0: ["3/4", "0.75", "3", "3 4 4", "a b", ""],
}


def test_probability_is_the_share_of_all_draws():
    known = {
        (N, K): share_seated(N, K)
        for N in range(2, 7)
        for K in range(N, 7)
        if K**N <= 5000  # all but a few of those that have 6 seats
    }
    checked = 0
    for seed in range(200):
        problem = Cinema.generate(difficulty=seed % 2, seed=seed)
        if (problem.N, problem.K) in known:
            share = known[problem.N, problem.K]
            assert problem.gold_answer == (share.numerator, share.denominator)
            checked += 1
    assert checked >= 100


def share_seated(N, K):
    seated = 0
    for draws in product(range(K), repeat=N):
        taken = set()
        for first in draws:
            seat = first
            while seat in taken:
                seat += 1
            taken.add(seat)
        seated += max(taken) < K
    return Fraction(seated, K**N)
