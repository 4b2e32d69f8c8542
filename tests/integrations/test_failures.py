"""What a rollout that could not be judged is worth."""

from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as some

from rlve.contract import Verdict
from rlve.integrations.failures import group_rewards, lowest
from rlve.pool import Failure

FAILED = Failure("deadline", "it took longer than 10 s")
VERDICTS = some.builds(
    Verdict,
    reward=some.sampled_from([-1.0, -0.5, 0.0, 0.1, 0.3, 1 / 3, 0.7, 1.0]),
    correct=some.booleans(),
    well_formed=some.just(True),
)


@given(some.lists(VERDICTS, min_size=1, max_size=20), some.integers(1, 5))
def test_it_is_neither_better_nor_worse_than_its_group(verdicts, failures):
    judged = [*[FAILED] * failures, *verdicts]
    rewards = group_rewards(judged, "reward")
    known = [verdict.reward for verdict in verdicts]
    assert rewards[failures:] == known
    assert fmean(rewards) == pytest.approx(rewards[0])  # so its advantage is zero
    # It makes no signal where there is none, not even by rounding, and takes none away.
    assert (len(set(rewards)) > 1) is (len(set(known)) > 1)


@pytest.mark.parametrize("signal", ["reward", "correct"])
def test_a_group_of_which_nothing_could_be_judged_has_no_signal(signal):
    assert group_rewards([FAILED] * 4, signal) == [lowest(signal)] * 4
    assert lowest(signal) == (-1.0 if signal == "reward" else 0.0)


def test_with_the_signal_0_or_1_it_is_a_share():
    right, wrong = Verdict(1.0, True, True), Verdict(0.9, False, True)
    assert group_rewards([right, FAILED, wrong], "correct") == [1.0, 0.5, 0.0]
