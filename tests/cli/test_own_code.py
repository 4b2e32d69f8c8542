"""Environments and formats of one's own: in files of data they are names, and never code."""

import json
from pathlib import Path

import msgspec
import pytest

from rlve import registry
from rlve.errors import UserError
from rlve.evaluate import runner
from rlve.evaluate.backends import ModelOutput
from rlve.evaluate.suite import load_suite
from rlve.foundation.run_folders import with_kind
from rlve.targets import check_loaded, find_format
from rlve.train.presets import preset

TRAP = "raise SystemExit('this file was run because a file of data named it')\n"


@pytest.fixture
def trap(own_tasks):
    """A file in the current folder that must never be run."""
    (own_tasks / "trap.py").write_text(TRAP)
    return own_tasks


def forget():
    """What another process would not know: the environments that were registered."""
    registry._registered.pop("Echo", None)


@pytest.fixture
def exported(rlve, own_tasks):
    """Problems of an environment of one's own, in a process that does not know it any more."""
    assert rlve("dataset", "own_tasks.py:Echo", "-n", 3, "-d", 0, "-o", "echo.jsonl").code == 0
    rows = [json.loads(line) for line in Path("echo.jsonl").read_text().splitlines()]
    forget()
    return rows


def test_exported_problems_can_be_scored_again(rlve, exported):
    assert {row["defined_in"] for row in exported} == {"own_tasks.py"}
    lines = (json.dumps(row | {"output": f"\\boxed{{{row['answer']}}}"}) for row in exported)
    Path("outputs.jsonl").write_text("\n".join(lines) + "\n")
    refused = rlve("score", "outputs.jsonl")
    assert refused.code == 2
    assert "'Echo' is somebody's own environment, from 'own_tasks.py'" in refused.err
    assert "add --load FILE.py" in refused.err
    result = rlve("score", "outputs.jsonl", "--load", "own_tasks.py", "--json", "--workers", 1)
    assert result.code == 0
    assert json.loads(result.out)["total"]["accuracy"] == 1.0


def test_exported_problems_can_be_evaluated_and_judged_again(rlve, exported, monkeypatch):
    class Solver:
        def generate(self, requests, sampling):
            answers = {row["id"]: row["answer"] for row in exported}
            for request in requests:
                yield (
                    request.key,
                    ModelOutput(f"\\boxed{{{answers[request.key.id]}}}", finish="stop"),
                )

    monkeypatch.setattr("rlve.cli.eval.make_backend", lambda *_: Solver())
    words = ("eval", "-m", "mine", "--suite", "echo.jsonl", "--folder", "evals")
    refused = rlve(*words)
    assert refused.code == 2
    assert "echo.jsonl:1: 'Echo' is somebody's own environment" in refused.err
    load = ("--load", "own_tasks.py", "--json", "--workers", 1)
    assert json.loads(rlve(*words, *load).out)["overall"]["accuracy"] == 1.0
    assert rlve("score", "evals", *load).code == 0
    forget()
    assert "add --load FILE.py" in rlve("score", "evals").err
    assert rlve("report", "evals").code == 0  # which judges nothing


def test_a_format_that_a_plan_names_is_not_loaded(rlve, exported, trap, monkeypatch):
    monkeypatch.setattr("rlve.cli.eval.make_backend", lambda *_: None)
    suite = load_suite("in-distribution:Sorting")
    plan = runner.make_plan(suite, model="m", backend="b", format="own_tasks:shout")
    assert plan.prompt_format().wrap("quiet") == "QUIET"
    for named in ("trap:form", "trap.py:form", "os:system"):
        hostile = msgspec.structs.replace(plan, format=named)
        with pytest.raises(UserError, match=r"plan.json asks for .*: if you trust it, add --load"):
            hostile.prompt_format()


def test_settings_in_files_name_no_code_that_was_not_loaded(rlve, trap):
    Path("run").mkdir()
    settings = {"data": {"environments": ["trap.py:Trap"]}}
    Path("settings.json").write_text(json.dumps(settings))
    refused = rlve("train", "--config", "settings.json")
    assert refused.code == 2
    assert "asks for trap.py:Trap, which is code" in refused.err
    Path("settings.json").write_text(json.dumps({"data": {"curriculum": "trap:Trap"}}))
    assert "add --load trap" in rlve("train", "--config", "settings.json").err


def test_a_resumed_run_loads_no_code_that_was_not_loaded(rlve, trap):
    config = json.loads(with_kind("train", preset("nano")))
    config["data"]["environments"] = ["trap.py:Trap"]
    Path("run").mkdir()
    Path("run/config.json").write_text(json.dumps(config))
    refused = rlve("train", "--resume", "run")
    assert refused.code == 2
    assert "run/config.json asks for trap.py:Trap, which is code" in refused.err


def test_what_a_person_has_named_is_loaded(own_tasks):
    with pytest.raises(UserError, match=r"add --load own_tasks\.py"):
        check_loaded(["own_tasks.py:shout"], "a file")
    find_format("own_tasks.py:shout")
    check_loaded(["own_tasks.py:shout", "plain"], "a file")
