import pytest

from rlve.contract import Verdict
from rlve.pool import Failure
from rlve.registry import environment
from rlve.stream import Item
from rlve.train.config import RolloutConfig
from rlve.train.groups import Group, RewardRule, TrainingRollout
from rlve.train.samples import LONGEST_ANSWER, group_record, group_sample, letter, same_answers


def group(name, *outputs, **settings):
    """A group with these texts and rewards; None if judging failed."""
    problem = environment(name).generate(difficulty=0, seed=0)
    rollouts = [
        TrainingRollout(
            [1],
            text=text,
            judged=Failure("crash", "")
            if reward is None
            else Verdict(reward, correct=reward == 1, well_formed=reward > -1),
        )
        for text, reward in outputs
    ]
    return Group(Item(0, name, 0, 0, problem), rollouts, 1, RewardRule(RolloutConfig(**settings)))


def boxed(text):
    return rf"so it is \boxed{{{text}}}"


def test_answers_that_nearly_all_outputs_gave_are_counted_with_what_they_earn():
    seven = (boxed(" 7 "), 1.0)
    groups = [
        group("Sorting", seven, (boxed("7"), 0.5), (boxed("7"), 0.0), (boxed("8"), 0.0)),
        group("Sorting", *[(boxed("7"), 0.0)] * 4),
        group("Sorting", *[(boxed("9"), 0.2)] * 4),
        group("Sorting", seven, seven, (boxed("8"), 0.0), (boxed("9"), 0.0)),  # they vary
        group("Sorting", seven, seven, (boxed("7"), None), (boxed("7"), None)),  # half unjudged
        group("SAT", *[("no answer", -1.0)] * 4),
        group("SAT", *[(boxed("1" * (LONGEST_ANSWER + 1)), 0.0)] * 4),
        group("SAT", *[(boxed(""), 0.0)] * 4),
    ]
    assert same_answers(groups, "boxed") == {
        "SAT": {"": (1, 0.0)},
        "Sorting": {"7": (2, 0.25), "9": (1, 0.2)},
    }
    assert same_answers(groups, "answer") == {}


def test_records_have_the_reward_that_is_trained_on():
    """Right or wrong, for a run that rewards nothing else; the verdicts keep what they say."""
    outputs = [("a", 1.0), ("b", None), ("c", 0.5), ("d", 0.25)]
    made = group("Sorting", *outputs, signal="correct")
    assert made.outcome.rewards == [1.0, 0.0, 0.0]
    record, sample = group_record(made, 3), group_sample(made, 3, 4)
    assert (record.verdicts, record.rewards, record.signal) == ("cfww", [1.0, 0.0, 0.0, 0.0], True)
    assert record.advantages == [1.414, 0.0, -0.707, -0.707]
    assert (sample.rewards, sample.signal) == ([1.0, 0.0, 0.0], True)
    kept = [(output.place, output.reward, output.verdict.reward) for output in sample.outputs]
    assert kept == [(0, 1.0, 1.0), (2, 0.0, 0.5), (3, 0.0, 0.25)]


def test_signal_is_what_the_run_rewards():
    outputs = [("a", 0.5), ("b", 0.25)]
    shaped, plain = group("Sorting", *outputs), group("Sorting", *outputs, signal="correct")
    assert (shaped.outcome.signal, plain.outcome.signal) == (True, False)
    assert plain.outcome.advantages == group_record(plain, 1).advantages == []
    assert not group("Sorting", ("a", None), ("b", None)).outcome.signal


def test_a_group_has_an_outcome_once_it_is_finished():
    made = group("Sorting", ("a", 1.0), ("b", 0.0))
    made.rollouts[1].judged = None
    with pytest.raises(ValueError, match="once all of its outputs are judged"):
        made.outcome  # noqa: B018


@pytest.mark.parametrize(
    ("judged", "expected"),
    [
        (Verdict(reward=1.0, correct=True, well_formed=True), "c"),
        (Verdict(reward=0.2, correct=False, well_formed=True), "w"),
        (Verdict(reward=-0.5, correct=False, well_formed=True), "r"),
        (Verdict(reward=-1.0, correct=False, well_formed=False), "i"),
        (Failure("deadline", "too slow"), "f"),
    ],
)
def test_the_letter_of_a_verdict(judged, expected):
    assert letter(judged) == expected
