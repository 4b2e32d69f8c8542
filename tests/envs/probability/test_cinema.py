from fractions import Fraction
from itertools import product

from rlve.envs.probability.cinema import Cinema, probability

PROBLEM = Cinema(MAX_N_K=4, N=2, K=2, gold_answer=(3, 4), reference_answer="3 4")
SCHEDULE = {d: {"MAX_N_K": n} for d, n in ((0, 4), (1, 6), (2, 9), (3, 13), (12, 474))}


def test_highest_level_is_the_last_whose_answers_have_at_most_4000_digits():
    for d, fits in [(Cinema.max_difficulty, True), (Cinema.max_difficulty + 1, False)]:
        most = Cinema.level(d)[0]["MAX_N_K"]
        worst = probability(most, most)
        assert (len(str(worst.numerator)) + len(str(worst.denominator)) <= 4000) == fits


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


def test_a_record_that_went_through_json_is_judged_alike():
    problem = Cinema.from_parameters(PROBLEM.parameters())
    assert problem.verify("<answer>3 4</answer>").correct


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
            assert problem.verify(f"<answer>{problem.reference()}</answer>").correct
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
