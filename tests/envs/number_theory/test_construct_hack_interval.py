from itertools import accumulate

import pytest

from rlve.envs.number_theory.construct_hack_interval import (
    ConstructHackInterval,
    total_up_to,
)

PROBLEM = ConstructHackInterval(MAX_MOD=10, MOD=7)


def test_schedule():
    levels = [ConstructHackInterval.level(d) for d in (0, 1, 2, 10)]
    assert levels == [[{"MAX_MOD": n}] for n in (10, 20, 40, 10240)]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("7 7", 1.0),
        ("70 70", 1.0),
        ("3 4", 1.0),
        ("3 5", 0.0),
        ("71 71", -0.5),  # beyond the limit
        ("0 7", -0.5),
        ("4 3", -0.5),
        ("-7 7", -0.5),
        ("1 " + "9" * 900, -0.5),
        ("7", -1.0),
        ("3 4 5", -1.0),
        ("3, 4", -1.0),
        ("", -1.0),
    ],
)
def test_rewards(answer, reward):
    assert PROBLEM.verify(f"<answer>{answer}</answer>").reward == reward


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


def test_reference_is_right():
    for mod in range(1, 2001, 10):
        L, R = map(int, ConstructHackInterval(MAX_MOD=2000, MOD=mod).reference().split())
        assert 1 <= L <= R <= 10 * mod
        assert (SUMS[R] - SUMS[L - 1]) % mod == 0
