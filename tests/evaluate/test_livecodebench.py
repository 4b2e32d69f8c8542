"""LiveCodeBench: its published files, and an evaluation on them."""

import json

import pytest

from rlve.errors import UserError
from rlve.evaluate.backends import ModelOutput, Sampling
from rlve.evaluate.benchmarks import livecodebench
from rlve.evaluate.benchmarks.livecodebench import load, read
from rlve.evaluate.runner import evaluate, make_plan
from rlve.evaluate.suite import load_suite
from rlve.judges import programs
from support.code_questions import (
    CALLS,
    RIGHT,
    RIGHT_CALLS,
    STDIN,
    WRONG,
    WRONG_CALLS,
    block,
    problem,
)
from support.kernel import needs_sandbox


@needs_sandbox
def test_a_published_file(tmp_path):
    file = tmp_path / "test6.jsonl"
    file.write_text(json.dumps(STDIN) + "\n\n" + json.dumps(CALLS) + "\n")
    suite = load(file)
    assert (suite.name, suite.samples, suite.metric, suite.k) == ("livecodebench-v6", 16, "pass", 8)
    assert [q.id for q in suite.questions] == ["1_A", "3000"]
    assert suite.deadline > programs.BUDGET
    for question, columns in zip(suite.questions, (STDIN, CALLS), strict=True):
        assert question.problem() == problem(columns)
        assert problem(columns).parameters() == columns
    assert load(tmp_path).questions == suite.questions  # a folder of such files


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "not a question"),
        ("[]", "not a question"),
        (json.dumps({k: v for k, v in STDIN.items() if k != "question_content"}), "question_conte"),
        (json.dumps(STDIN | {"question_content": 1}), "question_content"),
        (json.dumps(CALLS | {"metadata": "{}"}), "names no function"),
        (json.dumps(CALLS | {"metadata": '{"func_name": "f(); import os"}'}), "names no function"),
    ],
)
def test_a_broken_line_is_named(tmp_path, line, message):
    file = tmp_path / "test6.jsonl"
    file.write_text(json.dumps(STDIN) + "\n" + line + "\n")
    with pytest.raises(UserError, match=rf"test6\.jsonl:2: .*{message}"):
        list(read(file))


@needs_sandbox
def test_missing_data_says_where_to_get_it(tmp_path):
    for path in (tmp_path / "nowhere.jsonl", tmp_path):
        with pytest.raises(UserError, match=r"huggingface\.co/datasets/livecodebench"):
            load(path)


@needs_sandbox
def test_without_a_network(monkeypatch, tmp_path):
    hub = pytest.importorskip("huggingface_hub")

    def refuse(**_):
        raise hub.errors.LocalEntryNotFoundError("no connection")

    monkeypatch.setattr(hub, "hf_hub_download", refuse)
    with pytest.raises(UserError, match=r"cannot be downloaded \(no connection\). Get test\.jsonl"):
        load(None)
    file = tmp_path / "some.jsonl"
    file.write_text("")
    asked: list[str] = []

    def deliver(**what):
        asked.append(what["filename"])
        file.write_text(json.dumps(STDIN | {"question_id": what["filename"]}) + "\n")
        return str(file)

    monkeypatch.setattr(hub, "hf_hub_download", deliver)
    monkeypatch.setattr(livecodebench, "FILES", ("test6.jsonl",))
    assert [q.id for q in load(None).questions] == ["test6.jsonl"]
    assert asked == ["test6.jsonl"]


class Programmer:
    """A model that solves each question in every second of its samples."""

    def generate(self, requests, sampling):
        programs = {"1_A": (RIGHT[0], WRONG[0]), "3000": (RIGHT_CALLS[0], WRONG_CALLS[0])}
        for key, prompt, *_ in requests:
            assert "```python" in str(prompt)
            assert "boxed" not in str(prompt)
            yield key, ModelOutput(block(programs[key.id][key.sample % 2]), "stop", 50)


@needs_sandbox
def test_an_evaluation(tmp_path, monkeypatch):
    file = tmp_path / "test6.jsonl"
    file.write_text(json.dumps(STDIN) + "\n" + json.dumps(CALLS) + "\n")
    suite = load_suite(f"livecodebench-v6:{file}")
    plan = make_plan(suite, model="m", backend="fake", url=None, format="chat", samples=None,
                     sampling=Sampling(), deadline=None)  # fmt: skip
    results = evaluate(suite, plan, Programmer(), tmp_path / "found", workers=1)
    assert results.headline.name == "Pass@8"
    assert results.headline.value == pytest.approx(1 - 1 / 12_870)  # 8 wrong ones of 16: 1 way
    assert (results.overall.outputs, results.overall.accuracy) == (32, 0.5)
    assert (results.overall.ill_formed, results.overall.failed) == (0, 0)
