from collections import Counter
from fractions import Fraction
from itertools import chain, combinations, product
from random import Random
from statistics import fmean, median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlve.errors import UserError
from rlve.evaluate.metrics import (
    Interval,
    avg_at_k,
    avg_values,
    bootstrap_interval,
    paired_difference,
    paired_difference_interval,
    pass_at_k,
    pass_values,
)

QUESTIONS = st.lists(st.lists(st.booleans(), min_size=1, max_size=7), min_size=1, max_size=5)


def enumerated(correct, k, score):
    """The mean over questions of the mean over all sets of k samples."""
    means = []
    for samples in correct:
        chosen = [score(subset) for subset in combinations(samples, k)]
        means.append(Fraction(sum(chosen), len(chosen)))
    return Fraction(sum(means), len(means))


@given(QUESTIONS, st.data())
def test_avg_and_pass_are_the_means_over_all_sets_of_k_samples(correct, data):
    k = data.draw(st.integers(1, min(map(len, correct))))
    average = enumerated(correct, k, lambda subset: Fraction(sum(subset), k))
    passed = enumerated(correct, k, lambda subset: Fraction(any(subset)))
    assert avg_at_k(correct, k) == pytest.approx(float(average), abs=1e-12)
    assert pass_at_k(correct, k) == pytest.approx(float(passed), abs=1e-12)


def test_known_values():
    correct = [[True, False, False, False], [True] * 4, [False] * 4]
    assert avg_values(correct, 4) == [0.25, 1.0, 0.0]
    assert pass_values(correct, 1) == [0.25, 1.0, 0.0]
    assert pass_values(correct, 2) == [0.5, 1.0, 0.0]
    assert pass_values(correct, 4) == [1.0, 1.0, 0.0]
    assert pass_at_k(correct, 2) == 0.5


def test_many_samples_are_no_problem():
    samples = [True] + [False] * 9_999
    assert pass_values([samples], 5_000) == [0.5]
    assert 0 < pass_values([[True] * 50 + [False] * 9_950], 5_000)[0] <= 1


@pytest.mark.parametrize("metric", [avg_at_k, pass_at_k])
def test_k_must_be_had(metric):
    with pytest.raises(UserError, match="k = 3 needs 3 samples of every question; one has only 2"):
        metric([[True] * 4, [True] * 2], 3)
    with pytest.raises(UserError, match="k must be at least 1, not 0"):
        metric([[True]], 0)
    with pytest.raises(UserError, match="no question was answered"):
        metric([], 1)


def exact(values, level):
    """The interval that endlessly many resamples would have, from all there are."""
    n = len(values)
    means = Counter(Fraction(sum(map(Fraction, chosen)), n) for chosen in product(values, repeat=n))
    total, tail = n**n, (1 - level) / 2

    def quantile(share):
        below = 0
        for value, times in sorted(means.items()):
            below += times
            # A step that ends right here would be a matter of luck.
            assert abs(below / total - share) > 0.01, "choose another level"
            if below / total > share:
                return float(value)
        raise AssertionError

    return quantile(tail), quantile(1 - tail)


@pytest.mark.parametrize(
    ("values", "level"),
    [
        ([0, 1], 0.4),
        ([0, 1], 0.6),
        ([0, 1, 1], 0.8),
        ([0, 0.25, 1], 0.65),
        ([0, 0, 0.5, 1], 0.92),
        ([0, 0, 1, 1, 1], 0.9),
        ([-1, 0, 0.5, 1, 1], 0.66),
    ],
)
def test_intervals_are_exact_where_all_resamples_can_be_enumerated(values, level):
    found = bootstrap_interval(values, level=level)
    assert found == pytest.approx(exact(values, level))


def test_equal_values_leave_no_doubt():
    assert bootstrap_interval([0.1] * 7) == Interval(0.1, 0.1)
    assert bootstrap_interval([0.3]) == (0.3, 0.3)


def test_intervals_cover_the_truth_as_often_as_they_say():
    rng = Random(1)
    level, runs, hits, naive = 0.9, 300, 0, 0
    for run in range(runs):
        # 8 samples of each of 40 questions, which differ much: the truth is 0.5.
        chances = [rng.betavariate(0.5, 0.5) for _ in range(40)]
        samples = [[float(rng.uniform(0, 1) < chance) for _ in range(8)] for chance in chances]
        low, high = bootstrap_interval(
            [fmean(group) for group in samples], level=level, resamples=400, seed=run
        )
        hits += low <= 0.5 <= high
        low, high = bootstrap_interval(list(chain(*samples)), level=level, resamples=400, seed=run)
        naive += low <= 0.5 <= high
    assert 0.85 <= hits / runs <= 0.95
    assert naive / runs < 0.7  # as if the samples of a question had nothing in common


def test_the_same_arguments_give_the_same_interval():
    values = [Random(5).uniform(0, 1) for _ in range(50)]
    values = [value * index % 1 for index, value in enumerate(values)]
    assert bootstrap_interval(values) == bootstrap_interval(values)
    assert bootstrap_interval(values, seed=1) != bootstrap_interval(values, seed=2)
    low, high = bootstrap_interval(values)
    assert low < fmean(values) < high
    narrow = bootstrap_interval(values, level=0.5)
    assert low < narrow.low < narrow.high < high


def test_another_statistic():
    values = [1, 2, 3, 4, 100]
    low, high = bootstrap_interval(values, statistic=median, resamples=500)
    assert (low, high) == (1, 100)
    own = bootstrap_interval(values, statistic=lambda chosen: fmean(chosen), resamples=4_000)
    assert own == pytest.approx(bootstrap_interval(values), rel=0.1)


def test_many_questions_are_drawn_in_parts():
    values = [index % 2 for index in range(50_000)]
    low, high = bootstrap_interval(values, resamples=60)
    assert 0.49 < low < 0.5 < high < 0.51


def test_a_paired_difference_is_seen_better_than_two_means():
    before = [index / 50 for index in range(50)]
    after = [value + (0.1 if index % 2 else 0.0) for index, value in enumerate(before)]
    assert paired_difference(before, after) == pytest.approx(0.05)
    low, high = paired_difference_interval(before, after)
    assert 0 < low < 0.05 < high
    assert bootstrap_interval(after).low < bootstrap_interval(before).high
    mirrored = paired_difference_interval(after, before)
    assert (mirrored.high, mirrored.low) == pytest.approx((-low, -high), abs=0.01)
    with pytest.raises(UserError, match="50 before and 49 after"):
        paired_difference_interval(before, after[1:])


@pytest.mark.parametrize(
    ("values", "flags", "message"),
    [
        ([], {}, "no question was answered"),
        ([1, 2], {"level": 1.0}, "between 0 and 1, not 1.0"),
        ([1, 2], {"resamples": 0}, "at least 1 resample"),
    ],
)
def test_impossible_intervals_are_refused(values, flags, message):
    with pytest.raises(UserError, match=message):
        bootstrap_interval(values, **flags)
