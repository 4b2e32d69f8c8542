import json
import subprocess
import sys
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as some

from rlve import registry
from rlve.collections import C4
from rlve.contract import ILL_FORMED, Verdict
from rlve.curricula import (
    AdaptiveCurriculum,
    CurriculumSettings,
    StaticCurriculum,
    TwoWayCurriculum,
)
from rlve.datasets.transfer import judge
from rlve.errors import UserError
from rlve.gym import GROUPS, Gym, group_rewards, lowest
from rlve.pool import Failure, Pool
from rlve.stream import Stream

RIGHT = Verdict(reward=1.0, correct=True, well_formed=True)
WRONG = Verdict(reward=0.25, correct=False, well_formed=True)
FAILED = Failure("deadline", "it took longer than 10 s")
VERDICTS = some.builds(
    Verdict,
    reward=some.sampled_from([-1.0, -0.5, 0.0, 0.1, 0.3, 1 / 3, 0.7, 1.0]),
    correct=some.booleans(),
    well_formed=some.just(True),
)

OWN = """
from random import Random
from typing import Self

from rlve.answers import integer
from rlve.contract import Environment, Level


class Doubling(Environment[int]):
    N: int

    template = "What is 2 x {N}? Output format: one integer."

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"top": d + 5}]

    @classmethod
    def sample(cls, rng: Random, *, top: int) -> Self:
        return cls(N=rng.randint(1, top))

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return 1.0 if answer == 2 * self.N else 0.0

    def reference(self) -> str:
        return str(2 * self.N)
"""


ELSEWHERE = """
import json
import sys

import msgspec

from rlve.datasets.transfer import TravellingRow, judge

row, outputs = json.load(sys.stdin)
for output in outputs:
    print(judge(msgspec.convert(row, TravellingRow), output).correct)
"""


@pytest.fixture(scope="module")
def pool():
    with Pool(1, deadline=60) as pool:
        yield pool


def gym(pool, names=("Sorting",), **settings):
    return Gym(names, **({"group": 4, "pool": pool} | settings))


def answers(items):
    return [(item.problem, f"<answer>{item.problem.reference()}</answer>") for item in items]


def test_problems_out_verdicts_in(pool):
    subject = gym(
        pool, ["Sorting", "EuclidGame"], format="plain", curriculum=CurriculumSettings(tau_num=4)
    )
    items = subject.take(6)
    assert {item.name for item in items} <= {"Sorting", "EuclidGame"}
    assert {item.difficulty for item in items} == {0}
    assert all(item.problem.prompt() in subject.prompt(item) for item in items)
    verdicts = subject.judge(answers(items))
    assert all(verdict.correct for verdict in verdicts)
    for item, verdict in zip(items, verdicts, strict=True):
        assert subject.count(item.name, item.difficulty, [verdict] * 4) == ([1.0] * 4, False)
    metrics = subject.step().flat()
    for name in {item.name for item in items}:
        assert subject.curriculum.bounds(name) == (0, 1)
        assert metrics[f"rlve/h/{name}"] == 1


@pytest.mark.parametrize(
    ("verdicts", "signal", "differs"),
    [
        ([RIGHT, RIGHT], "reward", False),
        ([RIGHT, WRONG], "reward", True),
        ([WRONG, ILL_FORMED], "reward", True),
        ([WRONG, ILL_FORMED], "correct", False),
        ([RIGHT, WRONG], "correct", True),
        ([RIGHT, WRONG], "form", False),
        ([WRONG, ILL_FORMED], "form", True),
    ],
)
def test_a_group_has_signal_if_its_rewards_differ(pool, verdicts, signal, differs):
    subject = gym(pool, signal=signal)
    assert subject.count("Sorting", 0, verdicts).signal is differs
    correct = sum(verdict.correct for verdict in verdicts)
    assert subject.curriculum.counts("Sorting") == (correct, len(verdicts))  # counted either way


def test_metrics_are_those_since_the_last_step(pool):
    subject = gym(pool, ["Sorting", "EuclidGame"], curriculum=CurriculumSettings(tau_num=4))
    subject.count("Sorting", 0, [RIGHT] * 4)
    assert subject.step().flat()["rlve/h"] == 0.5  # after the step
    subject.count("Sorting", 1, [RIGHT, RIGHT, WRONG, ILL_FORMED])
    subject.count("Sorting", 0, [RIGHT] * 4)
    assert subject.step().flat() == {
        "rlve/groups": 2.0,
        "rlve/effective_prompt_ratio": 0.5,
        "rlve/reward": (4 + 1 + 1 + 0.25 - 1) / 8,
        "rlve/accuracy": 6 / 8,
        "rlve/ill_formed": 1 / 8,
        "rlve/accuracy_at_h": 2 / 4,
        "rlve/failed": 0.0,
        "rlve/h": 0.5,
        "rlve/h/Sorting": 1.0,
        "rlve/h/EuclidGame": 0.0,
    }
    nothing = subject.step()
    assert (nothing.prompts, nothing.accuracy, nothing.reward) == (0, None, None)
    assert nothing.bounds == {"Sorting": (0, 1), "EuclidGame": (0, 0)}


def test_what_could_not_be_judged_is_counted_and_says_nothing_about_the_policy(pool):
    subject = gym(pool, curriculum=CurriculumSettings(tau_num=4))
    hung, crashed = Failure("deadline", "it took too long"), Failure("crash", "it died")
    rewards, signal = subject.count("Sorting", 0, [RIGHT, hung, WRONG, crashed])
    assert (rewards, signal) == ([1.0, 0.625, 0.25, 0.625], True)  # the others differ
    assert not subject.count("Sorting", 0, [RIGHT, RIGHT, hung, hung]).signal
    assert subject.curriculum.counts("Sorting") == (3, 4)
    metrics = subject.step()
    assert metrics.failures == {"Sorting": {"deadline": 3, "crash": 1}}
    assert metrics.accuracy == 3 / 4
    assert metrics.ill_formed == 0
    assert metrics.flat()["rlve/failed"] == 4
    # A group of which nothing is left has no signal, and is one that finished.
    assert not subject.count("Sorting", 0, [hung] * 4).signal
    empty = subject.step()
    assert (empty.prompts, empty.effective_prompt_ratio, empty.accuracy) == (1, 0, None)
    assert empty.accuracy_at_high_of == {}


@given(some.lists(VERDICTS, min_size=1, max_size=20), some.integers(1, 5))
def test_what_could_not_be_judged_is_neither_better_nor_worse_than_its_group(verdicts, failures):
    rewards, signal = group_rewards([*[FAILED] * failures, *verdicts], "reward")
    known = [verdict.reward for verdict in verdicts]
    assert rewards[failures:] == known
    assert fmean(rewards) == pytest.approx(rewards[0])  # so its advantage is zero
    # It makes no signal where there is none, not even by rounding, and takes none away.
    assert (len(set(rewards)) > 1) is signal is (len(set(known)) > 1)


@pytest.mark.parametrize("signal", ["reward", "correct"])
def test_a_group_of_which_nothing_could_be_judged_gets_the_lowest_reward(signal):
    assert group_rewards([FAILED] * 4, signal) == ([lowest(signal)] * 4, False)
    assert lowest(signal) == (-1.0 if signal == "reward" else 0.0)


def test_with_the_signal_0_or_1_it_is_a_share():
    right, wrong = Verdict(1.0, True, True), Verdict(0.9, False, True)
    assert group_rewards([right, FAILED, wrong], "correct") == ([1.0, 0.5, 0.0], True)


def test_it_goes_on_from_a_state(pool):
    names = ["Sorting", "EuclidGame", "Knapsack"]
    first = gym(pool, names, curriculum=CurriculumSettings(tau_num=4))
    for item in first.take(10):
        first.count(item.name, item.difficulty, [RIGHT] * 4)
    first.step()
    first.take(3)
    state = json.loads(json.dumps(first.state_dict()))
    second = gym(pool, names, curriculum=CurriculumSettings(tau_num=4), seed=99)
    second.count("Sorting", 0, [WRONG] * 4)
    second.load_state_dict(state)
    assert second.state_dict() == first.state_dict()
    assert second.take(8) == first.take(8)
    assert second.step() == first.step()  # what was counted before is forgotten


def test_it_goes_on_within_a_step(pool):
    first, second = (gym(pool, curriculum=CurriculumSettings(tau_num=8)) for _ in range(2))
    hung = Failure("deadline", "it took too long")
    first.count("Sorting", 0, [RIGHT, WRONG, ILL_FORMED, hung])
    second.load_state_dict(json.loads(json.dumps(first.state_dict())))
    for subject in (first, second):
        subject.count("Sorting", 0, [RIGHT] * 4)
    assert second.state_dict() == first.state_dict()
    metrics = second.step()
    assert metrics == first.step()
    assert (metrics.prompts, metrics.accuracy) == (2, 5 / 7)
    assert second.state_dict() == second.stream.state_dict()  # nothing is left


def test_a_broken_state_is_refused(pool):
    subject = gym(pool)
    subject.count("Sorting", 0, [RIGHT] * 4)
    state = subject.state_dict()
    with pytest.raises(UserError, match="not the state of a gym: "):
        subject.load_state_dict(state | {GROUPS: [{"name": "Sorting"}]})
    with pytest.raises(UserError, match="not the state of a stream: "):
        subject.load_state_dict({GROUPS: []})
    assert subject.state_dict() == state


def test_what_is_generated_in_advance_changes_nothing(pool):
    assert gym(pool, ahead=0).take(20) == gym(pool, ahead=7).take(20)


def test_settings_reach_the_curriculum(pool):
    assert gym(pool).curriculum.tau_num == 32  # 8 x group
    assert gym(pool, "C4").curriculum.names == C4
    subject = gym(
        pool, ["C4", "Sorting"], curriculum=CurriculumSettings(tau_num=5, tau_acc=0.5, window=2)
    ).curriculum
    assert isinstance(subject, AdaptiveCurriculum)
    assert (subject.tau_num, subject.tau_acc, subject.window) == (5, 0.5, 2)
    assert "Sorting" in subject.names
    assert len(subject.names) == len(set(subject.names)) >= 4
    fixed = gym(pool, curriculum=CurriculumSettings(static=(2, 3))).curriculum
    assert isinstance(fixed, StaticCurriculum)
    assert fixed.bounds("Sorting") == (2, 3)
    assert isinstance(gym(pool, curriculum="two-way").curriculum, TwoWayCurriculum)


@pytest.mark.parametrize("judged", [[1.0, 0.0], [True, False], [None], [(1.0, True, True)]])
def test_only_verdicts_and_failures_are_counted(pool, judged):
    subject = gym(pool)
    with pytest.raises(
        TypeError, match=r"count\(\) takes what judge\(\) returns, verdicts and fail"
    ):
        subject.count("Sorting", 0, judged)
    assert subject.step().prompts == 0


def test_a_curriculum_of_ones_own(pool):
    mine = StaticCurriculum(["Sorting", "EuclidGame"], 1, 2)
    subject = gym(pool, (), curriculum=mine)
    assert subject.curriculum is mine
    assert {item.difficulty for item in subject.take(20)} == {1, 2}
    for named in (["Sorting", "EuclidGame"], ["EuclidGame", "Sorting", "Sorting"]):
        assert gym(pool, named, curriculum=mine).curriculum is mine
    assert gym(pool, "C4", curriculum=StaticCurriculum(C4, 0, 1)).curriculum.names == C4


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ("Sorting", r"named: missing none, unexpected \['EuclidGame'\]; name the same, or none"),
        (["Sorting", "EuclidGame", "LCM"], r"named: missing \['LCM'\], unexpected none"),
        ("C1", r"named: missing \['Multiplication'\], unexpected \['EuclidGame', 'Sorting'\]"),
        (["Sorting", "NoSuchThing"], "NoSuchThing"),
    ],
)
def test_a_curriculum_of_ones_own_has_its_own_names(pool, names, message):
    with pytest.raises(UserError, match=message):
        gym(pool, names, curriculum=StaticCurriculum(["EuclidGame", "Sorting"], 1, 2))


def test_problems_from_elsewhere(pool):
    source = Stream(StaticCurriculum(["Sorting"], 3, 3), seed=5)
    subject = gym(pool, (), source=source)
    assert subject.curriculum is source.curriculum
    assert subject.take(2) == Stream(StaticCurriculum(["Sorting"], 3, 3), seed=5).take(2)
    assert subject.state_dict() == source.state_dict()
    with pytest.raises(UserError, match=r"unexpected \['Sorting'\]"):
        gym(pool, "C1", source=source)


def test_verdicts_can_be_taken_as_they_come(pool):
    subject = gym(pool, format="base")
    items = answers(subject.take(5))
    pending = subject.start_judging(items)
    assert [pending.take(index) for index in range(5)] == subject.judge(items) == [RIGHT] * 5


def test_long_prompts_are_drawn_again(pool):
    subject = gym(pool, max_prompt_length=1, length=lambda text: 1 + text.count("7"))
    assert all("7" not in item.problem.prompt() for item in subject.take(10))
    assert subject.stream.redrawn["Sorting"]["too long"] > 0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"group": 1}, "group must be at least 2, not 1"),
        ({"signal": "accuracy"}, "reward, correct, form, not 'accuracy'"),
        ({"curriculum": CurriculumSettings(tau_num=0)}, "tau_num must be at least 1"),
        ({"curriculum": CurriculumSettings(tau_acc=1.5)}, "tau_acc"),
        ({"curriculum": CurriculumSettings(window=0)}, "window"),
        ({"curriculum": CurriculumSettings(static=(3, 1))}, "low <= high"),
        ({"curriculum": "twoway"}, "two-way"),
        ({"reading": "Exact"}, "'exact' or 'forgiving', not 'Exact'"),
        ({"format": "chatty"}, "did you mean 'chat'"),
        ({"max_prompt_length": 0}, "max_prompt_length"),
        ({"ahead": -1}, "ahead"),
        ({"names": []}, "at least one environment"),
        ({"names": ["Sortin"]}, "did you mean 'Sorting'"),
    ],
)
def test_bad_settings(pool, settings, message):
    with pytest.raises(UserError, match=message):
        gym(pool, **settings)


def test_it_closes_only_its_own_pool(pool):
    with Gym(["Sorting"], group=2, workers=1) as own:
        own.take(1)
    with pytest.raises(UserError):
        own.pool.generate([])
    gym(pool).close()
    assert pool.generate([]) == []


def test_an_environment_of_ones_own_travels_to_where_nobody_registered_it(tmp_path, monkeypatch):
    (tmp_path / "doubling_environment.py").write_text(OWN)
    script = tmp_path / "elsewhere.py"
    script.write_text(ELSEWHERE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(registry, "_registered", dict(registry._registered))
    with Gym(["doubling_environment:Doubling"], group=2, workers=1) as subject:
        item = subject.take(1)[0]
        row = subject.row(item).as_dict()
    assert (row["environment"], row["source"]) == ("Doubling", "doubling_environment:Doubling")
    right, wrong = (f"\\boxed{{{answer}}}" for answer in (2 * item.problem.N, 1))
    done = subprocess.run(
        [sys.executable, str(script)],
        input=json.dumps([row, [right, wrong]]),
        capture_output=True,
        text=True,
    )
    assert done.stdout.split() == ["True", "False"], done.stderr


def test_a_row_is_read_as_its_gym_reads(pool):
    exact, forgiving = (gym(pool, reading=reading) for reading in ("exact", "forgiving"))
    item = exact.take(1)[0]
    output = f"\\boxed{{${item.problem.reference()}$}}"
    for subject, correct in ((exact, False), (forgiving, True)):
        [verdict] = subject.judge([(item.problem, output)])
        assert verdict.correct is correct
        assert judge(subject.row(item), output) == verdict


def test_what_is_no_output_and_what_was_never_drawn_is_refused():
    with Gym(["Sorting"], group=2, workers=1) as gym:
        (item,) = gym.take(1)
        for outputs in (["x"], [item.problem], [(item.problem, 5)]):
            for judge in (gym.judge, gym.explain, gym.start_judging):
                with pytest.raises(TypeError, match=r"outputs are pairs \(problem, text\), not "):
                    judge(outputs)
        judged = gym.judge([(item.problem, "no")] * 2)
        for difficulty in (99, -1):
            with pytest.raises(UserError, match=f"drawn at difficulty {difficulty}; h is 0"):
                gym.count("Sorting", difficulty, judged)
        gym.count("Sorting", 0, judged)
