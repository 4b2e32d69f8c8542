"""Intervals are as wide as they say: exact where that can be computed, right in simulations."""

from collections import Counter
from fractions import Fraction
from itertools import chain, product
from math import sqrt
from random import Random
from statistics import fmean, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlve.errors import UserError
from rlve.foundation import intervals
from rlve.foundation.intervals import (
    Interval,
    bootstrap,
    change_interval,
    over_answers,
    over_environments,
    over_problems,
    over_runs,
    over_what,
    student,
    wilson,
)


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
def test_intervals_are_exact_where_all_resamples_can_be_enumerated(values, level, monkeypatch):
    monkeypatch.setattr(intervals, "LEVEL", level)
    assert bootstrap(values).ends == pytest.approx(exact(values, level))


def test_intervals_cover_the_truth_as_often_as_they_say(monkeypatch):
    monkeypatch.setattr(intervals, "LEVEL", 0.9)
    monkeypatch.setattr(intervals, "RESAMPLES", 400)
    rng = Random(1)
    runs, hits, naive = 300, 0, 0
    for _ in range(runs):
        # 8 samples of each of 40 questions, which differ much: the truth is 0.5.
        chances = [rng.betavariate(0.5, 0.5) for _ in range(40)]
        samples = [[float(rng.uniform(0, 1) < chance) for _ in range(8)] for chance in chances]
        low, high = bootstrap([fmean(group) for group in samples]).ends
        hits += low <= 0.5 <= high
        alone = over_problems([list(chain(*samples))])
        naive += alone.low <= 0.5 <= alone.high
    assert 0.85 <= hits / runs <= 0.95
    assert naive / runs < 0.7  # as if the samples of a question had nothing in common


def test_many_questions_are_drawn_in_parts(monkeypatch):
    monkeypatch.setattr(intervals, "RESAMPLES", 60)
    values = [index % 2 for index in range(50_000)]
    low, high = bootstrap(values).ends
    assert 0.49 < low < 0.5 < high < 0.51


def test_a_paired_difference_is_seen_better_than_two_means():
    before = [index / 50 for index in range(50)]
    after = [value + (0.1 if index % 2 else 0.0) for index, value in enumerate(before)]
    change = over_runs([after], [before])
    assert change.estimate == pytest.approx(0.05)
    assert 0 < change.low < 0.05 < change.high
    assert bootstrap(after).low < bootstrap(before).high
    mirrored = over_runs([before], [after])
    assert (mirrored.high, mirrored.low) == pytest.approx((-change.low, -change.high), abs=0.01)
    with pytest.raises(UserError, match="50 before and 49 after"):
        over_runs([after[1:]], [before])


def test_an_interval_over_clusters_is_that_over_their_means_if_they_are_of_one_size():
    rng = Random(2)
    means = [rng.gauss(0, 1) for _ in range(20)]
    values = [mean + noise for mean in means for noise in (-1, 0, 1)]
    clusters = [index // 3 for index in range(60)]
    assert bootstrap(values, clusters) == pytest.approx(bootstrap(means))
    assert bootstrap([1, 1, 1, 0], "aaab").estimate == 0.75  # every value counts equally


@pytest.mark.parametrize(("environments", "runs"), [(6, 1), (30, 1), (30, 3), (30, 2)])
def test_an_interval_over_environments_and_runs_covers_the_truth(environments, runs, monkeypatch):
    """Of ways of training that are alike, in questions that environments share and runs do too."""
    monkeypatch.setattr(intervals, "RESAMPLES", 400)
    rng = Random(environments + runs)
    clusters = [index // 10 for index in range(10 * environments)]
    times, hits, naive = 200, 0, 0
    for _ in range(times):
        ways = []
        for _ in range(2):
            luck = [rng.gauss(0, 0.05) if runs > 1 else 0.0 for _ in range(runs)]
            gain = [rng.gauss(0, 0.1) for _ in range(environments)]
            ways.append([[gain[e] + seed + rng.gauss(0, 0.1) for e in clusters] for seed in luck])
        found = over_runs(*ways, clusters=clusters)
        hits += found.low <= 0 <= found.high
        alone = over_problems([[a - b for a, b in zip(ways[0][0], ways[1][0], strict=True)]])
        naive += alone.low <= 0 <= alone.high
    assert hits / times >= 0.91
    assert naive / times < 0.75  # as if the questions of an environment had nothing in common


def test_students_quantiles_are_those_of_the_tables():
    known = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 9: 2.262, 49: 2.010}
    assert {n: student(n) for n in known} == pytest.approx(known, rel=0.01)


def test_nothing_has_no_interval():
    with pytest.raises(UserError, match="no question was answered"):
        bootstrap([])


shares = st.lists(st.floats(-1, 1, width=32), min_size=2, max_size=30)


@given(st.lists(shares, min_size=1, max_size=5))
def test_an_interval_over_problems_is_the_textbook_one(strata):
    found = over_problems(strata)
    means = [fmean(each) for each in strata]
    errors = [stdev(each) / sqrt(len(each)) for each in strata]
    error = sqrt(sum(each**2 for each in errors)) / len(strata)
    assert found.estimate == pytest.approx(fmean(means), abs=1e-6)
    assert found.high - found.low == pytest.approx(2 * 1.96 * error, abs=1e-6)


@given(shares)
def test_a_bootstrap_lies_within_its_values_and_repeats_itself(values):
    found = over_environments(values)
    assert bootstrap(values[:1] * 7) == bootstrap(values[:1]) == Interval(*values[:1] * 3)
    assert min(values) - 1e-9 <= found.low <= found.high <= max(values) + 1e-9
    assert found.estimate == pytest.approx(fmean(values))
    assert over_environments(values) == found


def test_too_little_has_no_interval():
    assert over_environments([0.5]) is None
    assert over_problems([[0.1, 0.2], [0.3]]) is None
    assert Interval(0.1, 0.05, 0.2).clear
    assert Interval(-0.1, -0.2, -0.05).clear
    assert not Interval(0.1, -0.05, 0.2).clear


@pytest.mark.parametrize(
    ("share", "n", "ends"), [(0.0, 8, (0.0, 0.324)), (0.125, 8, (0.022, 0.471))]
)
def test_few_answers_leave_doubt(share, n, ends):
    answers = [1.0] * round(share * n) + [0.0] * round((1 - share) * n)
    found = over_answers([answers])
    assert found == wilson(share, n) == over_answers([answers], clusters=["one"] * n)
    assert found.ends == pytest.approx(ends, abs=1e-3)  # Wilson's, as tables have it


def test_environments_that_agree_are_as_many_as_they_are():
    clusters = [name for name in "abcd" for _ in range(5)]
    assert over_what(clusters) == "over environments"
    assert over_answers([[1.0] * 20], clusters=clusters) == wilson(1.0, 4)
    differing = [float(name == "a") for name in clusters]
    low, high = over_answers([differing], clusters=clusters).ends
    assert 0 <= low < 0.25 < high <= 1


def test_a_difference_that_is_the_same_everywhere_has_a_width():
    same = over_answers([[0.0] * 8], [[0.0] * 8])
    assert (same.estimate, *same.ends) == (0.0, *change_interval(0, 0, 8))
    better = over_answers([[1.0] * 8], [[0.0] * 8])
    assert better.low == pytest.approx(change_interval(8, 0, 8)[0])
    assert better.clear
    mixed = [1.0, 0.0] * 4
    assert over_answers([mixed], [[0.0] * 8]) == over_runs([mixed], [[0.0] * 8])


def test_runs_that_differ_widen_what_their_answers_say():
    one = over_answers([[0.0, 1.0] * 4] * 2)
    two = over_answers([[0.0] * 8, [1.0] * 8])
    assert one.estimate == two.estimate == 0.5
    assert two.ends == (0.0, 1.0)
    assert one.ends == wilson(0.5, 8).ends
