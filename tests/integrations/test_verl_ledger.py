"""What rlve.integrations.verl does without verl: counting groups, and judging outputs."""

import json

import msgspec
import pytest

from rlve.contract import Verdict
from rlve.datasets.transfer import TravellingRow
from rlve.errors import UserError
from rlve.gym import Gym
from rlve.integrations.verl.ledger import Ledger, report
from rlve.integrations.verl.reward import compute_score
from rlve.pool import Failure
from rlve.registry import environment

RIGHT = Verdict(reward=1.0, correct=True, well_formed=True)
NEAR = Verdict(reward=0.1, correct=False, well_formed=True)
WRONG = Verdict(reward=-1.0, correct=False, well_formed=False)


@pytest.fixture
def gym():
    with Gym(["Sorting", "EuclidGame"], group=4, workers=1) as gym:
        yield gym


def reports(*verdicts, difficulty=0, signal="reward"):
    return [report(verdict, difficulty, signal) for verdict in verdicts]


def test_a_group_counts_once_however_often_it_is_shown(gym):
    ledger = Ledger(gym)
    for _ in range(3):
        ledger.count("one", "Sorting", reports(RIGHT, RIGHT, WRONG, NEAR))
    ledger.count("two", "Sorting", reports(RIGHT, RIGHT, RIGHT, RIGHT))
    assert gym.curriculum.counts("Sorting") == (6, 8)
    assert ledger.groups_of_step == 2
    assert ledger.step()["rlve/groups"] == 2
    assert ledger.groups_of_step == 0


def test_equal_rewards_are_no_signal_whatever_their_rounding(gym):
    # The standard deviation of three times 0.1 is not zero in floating point.
    ledger = Ledger(gym)
    ledger.count("flat", "Sorting", reports(NEAR, NEAR, NEAR))
    ledger.count("varied", "Sorting", reports(NEAR, RIGHT, NEAR))
    ledger.count("empty", "Sorting", [])
    assert ledger.shared("flat") == 0.1
    assert ledger.shared("varied") is None
    assert ledger.shared("empty") == 0.0


def test_signal_decides_what_is_compared():
    with Gym(["Sorting"], group=2, signal="correct", workers=1) as gym:
        ledger = Ledger(gym)
        ledger.count("group", "Sorting", reports(NEAR, WRONG, signal="correct"))
        assert ledger.shared("group") == 0.0
        assert gym.curriculum.counts("Sorting") == (0, 2)


def test_the_state_holds_what_was_counted(gym):
    ledger = Ledger(gym)
    ledger.count("kept", "Sorting", reports(RIGHT, WRONG, RIGHT, RIGHT))
    ledger.count("gone", "EuclidGame", reports(WRONG, WRONG, WRONG, WRONG))
    ledger.keep(["kept", "unseen"])
    state = json.loads(json.dumps(ledger.state_dict()))
    with Gym(["Sorting", "EuclidGame"], group=4, workers=1) as other:
        resumed = Ledger(other)
        resumed.load_state_dict(state)
        assert resumed.state_dict() == ledger.state_dict()
        assert resumed.groups_of_step == ledger.groups_of_step == 2
        assert resumed.knows("kept")
        assert not resumed.knows("gone")
        resumed.count("kept", "Sorting", reports(RIGHT, RIGHT, RIGHT, RIGHT))
        assert other.curriculum.counts("Sorting") == (3, 4)


def test_a_rollout_that_could_not_be_judged_is_counted_apart_and_its_group_dropped(gym):
    ledger = Ledger(gym)
    ledger.count("one", "Sorting", reports(RIGHT, Failure("deadline", "slow"), WRONG, NEAR))
    ledger.count("two", "Sorting", reports(*[Failure("crash", "gone")] * 4))
    ledger.count("three", "Sorting", reports(RIGHT, WRONG, NEAR, NEAR))
    assert gym.curriculum.counts("Sorting") == (2, 7)
    assert [ledger.shared(group) for group in ("one", "two", "three")] == [-1.0, -1.0, None]
    assert gym.step().failures == {"Sorting": {"deadline": 1, "crash": 4}}


@pytest.mark.parametrize("signal", ["reward", "correct"])
def test_all_reports_have_the_same_numbers_and_a_failure_the_lowest_score(signal):
    failed, judged = reports(Failure("memory", "much"), RIGHT, difficulty=3, signal=signal)
    assert failed.keys() == judged.keys()
    assert failed["score"] == (-1.0 if signal == "reward" else 0.0)
    assert [name for name in failed if name.startswith("failed_") and failed[name]] == [
        "failed_memory"
    ]
    assert not any(judged[name] for name in judged if name.startswith("failed_"))


def test_another_checkpoint(gym):
    with pytest.raises(UserError, match="does not hold the state of a gym"):
        Ledger(gym).load_state_dict({"rows": 1})


@pytest.mark.parametrize(
    ("answer", "signal", "score"), [("right", "reward", 1), ("", "reward", -1), ("", "correct", 0)]
)
def test_a_score_is_the_verdict_and_what_it_is_worth(answer, signal, score):
    problem = environment("Sorting").generate(difficulty=2, seed=3)
    row = TravellingRow(
        environment="Sorting",
        difficulty=2,
        seed=3,
        marker="boxed",
        parameters=json.dumps(problem.parameters()),
    )
    found = compute_score(
        data_source="rlve/Sorting",
        solution_str=rf"\boxed{{{problem.reference() if answer else 'no idea'}}}",
        ground_truth=msgspec.json.encode(row).decode(),
        extra_info={"signal": signal, "deadline": 10.0},
        reward_router_address=None,  # verl may pass more
    )
    assert found["score"] == score
    assert found["acc"] == bool(answer)
    assert found["difficulty"] == 2
