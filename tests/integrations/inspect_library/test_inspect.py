"""The Inspect tasks, run by the real library with a scripted model: `make test-inspect`."""

import pytest

pytest.importorskip("inspect_ai", reason="needs rlve[inspect]; run make test-inspect")

from inspect_ai import eval as evaluate_task
from inspect_ai.model import ModelAPI, get_model, modelapi
from inspect_ai.model import ModelOutput as InspectOutput

import rlve
from rlve.datasets.export import export
from rlve.datasets.rows import read_rows, row_writer
from rlve.evaluate.backends import ModelOutput
from rlve.evaluate.questions import read_suite
from rlve.evaluate.runner import evaluate, make_plan
from rlve.pool import Pool


def answers(rows, right):
    """What a model says to each prompt: right, right in another form, or wrong."""
    said = {}
    for number, row in enumerate(rows):
        text = row.answer if number % 3 < right else "nothing"
        said[row.prompt[0]["content"]] = (
            f"\\boxed{{`{text}`}}" if number % 3 == 1 else f"\\boxed{{{text}}}"
        )
    return said


@modelapi(name="scripted")
class Scripted(ModelAPI):
    """Inspect's own mock model counts tokens with a table that it downloads."""

    def __init__(self, model_name, base_url=None, api_key=None, config=None, say=None):
        super().__init__(model_name)
        self.say = say

    async def generate(self, input, tools, tool_choice, config):  # noqa: A002
        assert (config.temperature, config.top_p) == (0.6, 0.95)
        return InspectOutput.from_content("scripted", self.say(input[-1].text))


def run(task, say, folder, **arguments):
    [log] = evaluate_task(
        task,
        task_args=arguments,
        model=get_model("scripted/model", memoize=False, say=say),
        log_dir=str(folder),
        display="none",
    )
    assert log.status == "success", log.error
    return log


def metric(log, name):
    [found] = [score for score in log.results.scores if score.name == name]
    return found.metrics["mean"].value


def test_scores_are_those_of_rlve_eval(tmp_path):
    file = tmp_path / "few.jsonl"
    with Pool(1) as pool, row_writer(file) as write:
        names = ("Sorting", "EuclidGame", "Division")
        export(map(rlve.environment, names), pool, write, count=30, difficulties=range(3))
    said = answers([row for _, row in read_rows(file)], right=2)
    log = run("rlve/questions", said.__getitem__, tmp_path / "logs", file=str(file))

    class Same:
        def generate(self, requests, sampling):
            for request in requests:
                text = said[request.prompt[-1]["content"]]
                yield request.key, ModelOutput(text, "stop", 1, 0.1)

    suite = read_suite(file)
    plan = make_plan(suite, model="m", backend="fake", format="chat")
    results = evaluate(suite, plan, Same(), tmp_path / "eval", workers=1)
    assert 0.2 < results.overall.accuracy < 0.8
    assert metric(log, "correct") == pytest.approx(results.overall.accuracy)
    assert metric(log, "forgiving") == pytest.approx(results.overall.forgiving_accuracy)
    assert metric(log, "reward") == pytest.approx(results.overall.mean_reward)
    assert {sample.id for sample in log.samples} == {row.id for row in suite.questions}
