from rlve.contract import Verdict
from rlve.pool import Failure
from rlve.registry import environment
from rlve.stream import Item
from rlve.train.groups import Group, TrainingRollout
from rlve.train.samples import LONGEST_ANSWER, same_answers


def group(name, *outputs):
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
    return Group(Item(0, name, 0, 0, problem), rollouts, 1)


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
