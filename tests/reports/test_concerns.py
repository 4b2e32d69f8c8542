import json
import re
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import get_type_hints

import msgspec
import pytest

from rlve.reports import concerns as module
from rlve.reports.concerns import FEWEST_LATEST, FEWEST_STEPS, alarms, as_lines, concerns
from rlve.reports.training import tell
from rlve.server.studio.saved import write_report
from rlve.train.config import Config
from rlve.train.history import Accuracy, History, StepMetrics, ValidationRecord
from support.run_folders import run_folder

HEALTHY = StepMetrics(
    step=1,
    prompts=40,
    effective_prompt_ratio=0.6,
    accuracy=0.7,
    ill_formed=0.02,
    truncated=0.01,
    staleness=0.5,
    entropy=0.2,
    sampler_gap=0.01,
)


def run(*validations: ValidationRecord, steps: int = 40, **late: object) -> History:
    """A healthy run whose last tenth has these numbers instead."""
    ill = msgspec.structs.replace(HEALTHY, **late)
    cut = steps - steps // 10
    made = [msgspec.structs.replace(HEALTHY if i < cut else ill, step=i + 1) for i in range(steps)]
    return History(Path("run"), {"rollout": {"group": 16}}, made, [], list(validations))


HELD_OUT = [f"E{i}" for i in range(8)]


def measured(step: int, trained: str, *held_out: str) -> ValidationRecord:
    """Accuracy on 10 problems of each kind, given as bits, repeated to be 200 of each.

    The held-out environments have these bits in turn.
    """
    others = {name: {0: held_out[i % len(held_out)] * 20} for i, name in enumerate(HELD_OUT)}
    solved = {"Sorting": {0: trained * 20}, **others}
    by_level = {
        name: {d: row.count("1") / len(row) for d, row in levels.items()}
        for name, levels in solved.items()
    }
    accuracy = Accuracy(
        temperature=0.6, by_level=by_level, solved=solved, ill_formed=0, truncated=0, tokens=1
    )
    return ValidationRecord(
        step=step, problems=1800, held_out=HELD_OUT, measured=[accuracy], seconds=1
    )


def test_a_healthy_run_has_none():
    assert concerns(run()) == []
    assert as_lines([]) == ""
    better = (measured(0, "1100000000", "1000000000"), measured(40, "1111000000", "1100000000"))
    assert concerns(run(*better)) == []


@pytest.mark.parametrize(
    ("late", "text"),
    [
        ({"effective_prompt_ratio": 0.05, "accuracy": 0.97}, "add environments or harder levels"),
        ({"effective_prompt_ratio": 0.05, "accuracy": 0.02}, "teach the model first"),
        ({"effective_prompt_ratio": 0.05, "accuracy": 0.6}, "Some problems are solved every time"),
        ({"ill_formed": 0.3}, "30% of the latest outputs have no readable answer"),
        ({"truncated": 0.25}, "25% of the latest outputs were cut off"),
        ({"failures": {"Sorting": {"deadline": 200}}}, "most often in Sorting (deadline)"),
        ({"failures": {"SAT": {"crash": 200}}}, "rlve check SAT may find the fault"),
        ({"staleness": 5.0}, "started 5.0 steps ago"),
        ({"sampler_gap": 0.3}, "log-probabilities differ by 0.3"),
        ({"redrawn": {"Sorting": {"too long": 4800}}}, "75% of the problems drawn were too long"),
    ],
)
def test_what_is_far_from_typical_is_named_alone(late, text):
    [found] = concerns(run(**late))
    assert text in found


def test_a_fall_on_test_problems_is_named_if_it_is_more_than_chance():
    start = measured(0, "1111100000", "1100000000")
    [fell] = concerns(run(start, measured(40, "1110000000", "1100000000")))
    assert fell.startswith("Accuracy on test problems fell by 20.0 points at temperature 0.6.")
    [elsewhere] = concerns(run(start, measured(40, "1111110000", "1000000000")))
    assert "not trained on, accuracy fell by 10.0 points" in elsewhere
    # If only one environment falls, even all the way, others may not.
    alone = {name: {0: "01" * 100} for name in HELD_OUT}
    was = msgspec.structs.replace(
        start.measured[0], solved=start.measured[0].solved | alone | {"E0": {0: "1" * 200}}
    )
    now = msgspec.structs.replace(was, solved=was.solved | {"E0": {0: "0" * 200}})
    both = [msgspec.structs.replace(start, step=s, measured=[m]) for s, m in ((0, was), (40, now))]
    assert concerns(run(*both)) == []
    # One problem of 200 may be chance.
    one_less = "0" + ("1111100000" * 20)[1:]
    solved = start.measured[0].solved | {"Sorting": {0: one_less}}
    now = msgspec.structs.replace(start.measured[0], solved=solved)
    assert concerns(run(start, msgspec.structs.replace(start, step=40, measured=[now]))) == []


def test_too_short_a_run_is_not_judged_by_its_last_tenth():
    assert concerns(run(steps=FEWEST_STEPS - 1, ill_formed=0.3)) == []
    assert concerns(run(steps=FEWEST_STEPS, ill_formed=0.3)) != []


def steps(count: int, **values: object) -> list[StepMetrics]:
    return [msgspec.structs.replace(HEALTHY, step=i + 1, **values) for i in range(count)]


@pytest.mark.parametrize(
    ("values", "kind", "text"),
    [
        ({"effective_prompt_ratio": 0.0, "accuracy": 0.0}, "signal", "none of the 120 prompts had"),
        ({"effective_prompt_ratio": 0.0, "accuracy": 1.0}, "signal", "harder levels"),
        ({"entropy": 0.012}, "variety", "their entropy is 0.012 nats"),
        ({"ill_formed": 0.5}, "form", "50% of the latest outputs have no readable answer"),
        ({"ill_formed": 0.7, "truncated": 0.7}, "form", "70% of the latest outputs were cut off"),
    ],
)
def test_a_run_that_is_not_learning_is_told_so_after_a_few_steps(values, kind, text):
    assert alarms(steps(FEWEST_LATEST - 1, **values)) == {}
    bad = steps(FEWEST_LATEST, **values)
    assert list(alarms(bad)) == [kind]
    assert text in alarms(bad)[kind]
    history = History(Path("run"), {}, bad, [])
    assert concerns(history) == [alarms(bad)[kind]]
    assert alarms([*bad, *steps(5)]) == {}  # it has recovered
    assert concerns(History(Path("run"), {}, steps(40, **values), []))[0].startswith(
        alarms(bad)[kind][:12]
    )


def test_a_step_that_waits_for_long_outputs_does_not_end_a_drought():
    waiting = msgspec.structs.replace(HEALTHY, prompts=0, effective_prompt_ratio=None)
    dry = msgspec.structs.replace(HEALTHY, effective_prompt_ratio=0.0)
    assert "the last 3 steps none of the 80 prompts" in alarms([dry, waiting, dry])["signal"]
    assert alarms([HEALTHY, waiting, waiting, waiting]) == {}


def guessing(answers: dict[str, tuple[int, float]], problems: int = 5) -> list[StepMetrics]:
    """Four steps with so many problems of an environment, and answers that most outputs gave."""
    return steps(4, drawn={"SAT": {0: problems}}, same_answers={"SAT": answers})


def test_one_answer_to_nearly_all_problems_is_named_if_it_pays():
    found = alarms(guessing({"0": (5, 0.4)}))
    assert list(found) == ["answers"]
    assert "in SAT ('0' to 20 of 20, reward 0.40)" in found["answers"]
    for innocent in (
        guessing({"0": (5, 0.0)}),  # it does not pay
        guessing({"0": (5, 1.0)}),  # always right: the problems are all alike
        guessing({"0": (3, 0.4), "1": (2, 0.4)}),  # it looks at the problem
        guessing({"0": (5, 0.4)}, problems=6),  # other problems get other answers
        guessing({"0": (5, 0.4)})[:3],  # too few
    ):
        assert alarms(innocent) == {}


def drawing(repeated: int, drawn: int = 8, levels: int = 1) -> list[StepMetrics]:
    """Three steps with so many problems of some levels, of which so many had come up before."""
    numbers = {"drawn": drawn, "repeated": repeated}
    return steps(3, **{k: {"SAT": dict.fromkeys(range(levels), n)} for k, n in numbers.items()})


def test_levels_that_have_run_out_of_new_problems_are_named():
    found = alarms(drawing(7))
    assert list(found) == ["problems"]
    assert "come up before, in SAT at difficulty 0 (3 different ones in 24)." in found["problems"]
    # All steps count for how many there are, but only the latest for whether they repeat.
    later = alarms([*drawing(0), *steps(17), *drawing(7)])["problems"]
    assert "SAT at difficulty 0 (27 different ones in 48)." in later
    several = alarms(drawing(7, levels=5))["problems"]
    assert "SAT at difficulty 2 (3 different ones in 24) and 2 more." in several
    for innocent in (
        drawing(4),  # half are new
        drawing(7)[:1],  # too few
        [*drawing(7), *steps(20)],  # none of the latest
    ):
        assert alarms(innocent) == {}


def test_steps_without_values_do_not_count():
    nothing = dict.fromkeys(
        (
            "effective_prompt_ratio",
            "accuracy",
            "ill_formed",
            "truncated",
            "staleness",
            "sampler_gap",
            "entropy",
        )
    )
    assert concerns(run(prompts=0, **nothing)) == []


def test_settings_that_are_advised_exist():
    source = Path(module.__file__).with_name("templates").joinpath("concerns.txt").read_text()
    sections = {
        name: {each.name for each in fields(kind)}
        for name, kind in get_type_hints(Config).items()
        if is_dataclass(kind)
    }
    advised = re.findall(r"--(\w+)\.([\w-]+)", source)
    assert len(advised) > 10
    for section, name in advised:
        assert name.replace("-", "_") in sections[section], f"--{section}.{name}"


def test_reports_say_so(tmp_path):
    folder = run_folder(tmp_path / "run", steps=FEWEST_STEPS)
    assert "Worth a look" not in tell(folder)
    assert "Worth a look" not in write_report(folder).read_text()
    metrics = folder / "metrics.jsonl"
    lines = [json.loads(line) | {"ill_formed": 0.9} for line in metrics.read_text().splitlines()]
    metrics.write_text("".join(json.dumps(line) + "\n" for line in lines))
    told = tell(folder)
    assert "\n\nWorth a look:\n- 90% of the latest outputs have" in told
    assert "More is in docs/troubleshooting.md." in told
    assert "90% of the latest outputs have" in write_report(folder).read_text()
