"""The folder of an evaluation that version 0.1 wrote (`rlve eval -m nano`) loads and resumes."""

import shutil
from pathlib import Path

import msgspec
import pytest

from rlve.datasets.outputs import SampleVerdict
from rlve.evaluate.backends import ModelOutput, Sampling
from rlve.evaluate.compare import compare
from rlve.evaluate.questions import Suite
from rlve.evaluate.results import read_evaluation, read_results, summarise
from rlve.evaluate.runner import evaluate, make_plan, rejudge
from rlve.evaluate.sources import find_evaluations
from rlve.evaluate.suite import load_suite
from rlve.foundation.files import read_lines

OLD = Path(__file__).parent / "folder_0_1"


@pytest.fixture
def folder(tmp_path):
    return shutil.copytree(OLD, tmp_path / "old", ignore=shutil.ignore_patterns("export.jsonl"))


class Nobody:
    """A model that must not be asked, or only so often."""

    def __init__(self, answers=0):
        self.answers = answers

    def generate(self, requests, sampling):
        assert len(requests) == self.answers
        for request in requests:
            yield request.key, ModelOutput("<answer>?</answer>", "stop", 1)


def plan_of(suite):
    return make_plan(
        suite,
        model="nano",
        backend="in process",
        format="plain",
        samples=2,
        sampling=Sampling(max_tokens=64),
    )


def without_intervals(results):
    """The results without their intervals, which 0.1 computed in another way."""

    def told(part):
        if isinstance(part, dict):
            return {k: told(v) for k, v in part.items() if not str(k).endswith("interval")}
        return part

    return told(msgspec.to_builtins(results))


def test_it_is_read_and_summed_up_as_it_was(folder):
    evaluation = read_evaluation(folder)
    assert (evaluation.plan.version, len(evaluation.questions)) == ("0.1.0", 6)
    assert len(evaluation.outputs) == len(evaluation.verdicts) == 12
    assert without_intervals(summarise(evaluation)) == without_intervals(read_results(folder))
    assert Suite("tiny", evaluation.questions).sha == evaluation.plan.sha


def test_it_goes_on_where_it_stopped_and_is_compared_with_an_evaluation_of_today(folder, tmp_path):
    suite = Suite("tiny", load_suite(str(OLD / "export.jsonl")).questions)
    today = tmp_path / "today"
    evaluate(suite, plan_of(suite), Nobody(answers=12), today, workers=1)
    found = compare(find_evaluations([str(folder), str(today)]))
    assert found.evaluations[1].overall.difference == -found.evaluations[0].overall.value
    outputs = folder / "outputs.jsonl"
    outputs.write_bytes(b"".join(outputs.read_bytes().splitlines(keepends=True)[:9]))
    results = evaluate(suite, plan_of(suite), Nobody(answers=3), folder, workers=1)
    assert results.overall.outputs == 12
    assert evaluate(suite, plan_of(suite), Nobody(), folder, workers=1) == results


def test_it_is_judged_again_to_the_same_verdicts(folder):
    before = read_results(folder)
    assert without_intervals(rejudge(folder, workers=1)) == without_intervals(before)
    old, new = (read_lines(place / "verdicts.jsonl", SampleVerdict) for place in (OLD, folder))
    assert {verdict.key: verdict for verdict in old} == {verdict.key: verdict for verdict in new}
