from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlve.errors import UserError
from rlve.evaluate.metrics import avg_at_k, pass_at_k, pass_values

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
