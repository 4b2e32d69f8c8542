"""The tasks of lm-evaluation-harness, run by the real library with a scripted model:
`make test-lm-eval`."""

import json
import subprocess
import sys

import pytest

pytest.importorskip("lm_eval", reason="needs rlve[lm-eval]; run make test-lm-eval")

from lm_eval import simple_evaluate
from lm_eval.__main__ import cli_evaluate
from lm_eval.api.model import LM
from lm_eval.api.registry import register_model
from lm_eval.tasks import TaskManager

import rlve
from rlve.datasets.export import export
from rlve.datasets.rows import read_rows, row_writer
from rlve.errors import UserError
from rlve.evaluate.backends import ModelOutput
from rlve.evaluate.questions import read_suite
from rlve.evaluate.runner import evaluate, make_plan
from rlve.integrations.lm_eval import TASKS
from rlve.pool import Pool


@register_model("rlve-scripted")
class Scripted(LM):
    """Says what `said` has for a prompt."""

    said: dict[str, str] = {}  # noqa: RUF012  set by a test
    tokenizer_name = "scripted"

    def __init__(self, **settings):
        super().__init__()

    def generate_until(self, requests):
        for request in requests:
            settings = request.args[1]
            assert (settings["temperature"], settings["top_p"]) == (0.6, 0.95)
            assert settings["until"] == []
        return [self.said.get(request.args[0], "none") for request in requests]

    def apply_chat_template(self, chat_history, add_generation_prompt=True):
        [message] = chat_history
        assert message["role"] == "user"
        return message["content"]

    def loglikelihood(self, requests):
        raise NotImplementedError

    loglikelihood_rolling = loglikelihood


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "few.jsonl"
    with Pool(1) as pool, row_writer(path) as write:
        names = ("Sorting", "EuclidGame", "Division")
        export(map(rlve.environment, names), pool, write, count=30, difficulties=range(3))
    return path


def test_scores_are_those_of_rlve_eval(file, tmp_path, monkeypatch):
    said = {}
    for number, (_, row) in enumerate(read_rows(file)):  # right, right in another form, or wrong
        text = ("{}", "`{}`", "nothing")[number % 3].format(row.answer)
        said[row.prompt[0]["content"]] = f"\\boxed{{{text}}}"
    monkeypatch.setattr(Scripted, "said", said)
    folder = subprocess.run(
        [sys.executable, "-m", "rlve.integrations.lm_eval"], capture_output=True, check=True
    )
    options = {
        "--model": "rlve-scripted",
        "--tasks": "rlve_questions",
        "--include_path": folder.stdout.decode().strip(),
        "--metadata": json.dumps({"file": str(file)}),
        "--output_path": str(tmp_path / "results"),
    }
    flat = [part for option in options.items() for part in option]
    monkeypatch.setattr(
        sys, "argv", ["lm_eval", "run", *flat, "--apply_chat_template", "--log_samples"]
    )
    cli_evaluate()
    [written] = tmp_path.glob("results/**/results_*.json")
    found = json.loads(written.read_text())["results"]["rlve_questions"]

    class Same:
        def generate(self, requests, sampling):
            for request in requests:
                text = said[request.prompt[-1]["content"]]
                yield request.key, ModelOutput(text, "stop", 1, 0.1)

    suite = read_suite(file)
    plan = make_plan(suite, model="m", backend="fake", format="chat")
    results = evaluate(suite, plan, Same(), tmp_path / "eval", workers=1)
    assert 0.2 < results.overall.accuracy < 0.5 < results.overall.forgiving_accuracy
    assert found["correct,none"] == pytest.approx(results.overall.accuracy)
    assert found["forgiving,none"] == pytest.approx(results.overall.forgiving_accuracy)
    assert found["reward,none"] == pytest.approx(results.overall.mean_reward)
    [samples] = tmp_path.glob("results/**/samples_*.jsonl")
    asked = {json.loads(line)["doc"]["id"] for line in samples.read_text().splitlines()}
    assert asked == {row.id for row in suite.questions}


def run(task, **metadata):
    manager = TaskManager(include_path=str(TASKS), include_defaults=False, metadata=metadata)
    found = simple_evaluate(model=Scripted(), tasks=[task], task_manager=manager)
    return found["results"][task], found["samples"][task]


def test_the_test_sets_are_tasks():
    scores, samples = run("rlve_held_out", count=1)
    assert len(samples) == 50
    assert (scores["correct,none"], scores["reward,none"]) == (0, -1)
    _, samples = run("rlve_in_distribution", environment="Sorting", count=20, format="base")
    assert {sample["doc"]["id"].split("/")[1] for sample in samples} == set(map(str, range(20)))
    assert all(sample["doc"]["text"].endswith("<think>") for sample in samples)


def test_what_is_missing_is_said():
    with pytest.raises(UserError, match='"environment": "Sorting"'):
        run("rlve_in_distribution")
    with pytest.raises(UserError, match=r'"file": "problems\.jsonl"'):
        run("rlve_questions")
