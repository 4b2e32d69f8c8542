from itertools import accumulate

from rlve.envs.number_theory.construct_hack_interval import ConstructHackInterval, total_up_to

PROBLEM = ConstructHackInterval(MAX_MOD=10, MOD=7)
SCHEDULE = {0: {"MAX_MOD": 10}, 1: {"MAX_MOD": 20}, 2: {"MAX_MOD": 40}, 10: {"MAX_MOD": 10240}}
REWARDS = {
    1.0: ["7 7", "70 70", "3 4"],
    0.0: ["3 5"],
    -0.5: [
        "71 71",  # beyond the limit
        "0 7",
        "4 3",
        "-7 7",
        "1 " + "9" * 900,
    ],
    -1.0: ["7", "3 4 5", "3, 4", ""],
}


SUMS = list(accumulate(sum(map(int, str(x))) for x in range(20_001)))


def test_total_up_to():
    assert [total_up_to(n) for n in range(20_001)] == SUMS


def test_every_small_interval_is_judged_by_its_digit_sums():
    for mod in range(1, 9):
        problem = ConstructHackInterval(MAX_MOD=10, MOD=mod)
        for L in range(1, 10 * mod + 1):
            for R in range(L, 10 * mod + 1):
                right = (SUMS[R] - SUMS[L - 1]) % mod == 0
                assert problem.score((L, R)) == right
