"""Scoring as a library call; tests/cli/test_score.py tries what lines can hold."""

import json

import pytest

import rlve
from rlve.datasets.scoring import score
from rlve.pool import Pool

PROBLEM = rlve.environment("Sorting").generate(difficulty=2, seed=1)


@pytest.fixture(scope="module")
def pool():
    with Pool(1) as pool:
        yield pool


def test_a_report_and_the_lines_again(tmp_path, pool):
    right = f"<answer>{PROBLEM.reference()}</answer>"
    line = {"environment": "Sorting", "parameters": PROBLEM.parameters()}
    lines = [line | {"outputs": [right, "no idea"]}, line | {"output": right}]
    file = tmp_path / "outputs.jsonl"
    file.write_text("".join(json.dumps(each) + "\n" for each in lines))
    written, seen = [], []
    report = score([file], pool, write=written.append, watch=seen.append)
    assert seen == [2]
    assert (report.total.outputs, report.total.correct, report.total.failed) == (3, 2, 0)
    assert report.total == report.environments["Sorting"]
    assert report.total.mean_reward == pytest.approx(1 / 3)
    found = [json.loads(text) for text in written]
    assert [each["correct"] for each in found[0]["verdicts"]] == [True, False]
    assert found[1]["verdict"] == {"reward": 1.0, "correct": True, "well_formed": True}
    assert score([file], pool, marker="boxed").total.correct == 0


def test_nothing_at_all(tmp_path, pool):
    file = tmp_path / "outputs.jsonl"
    file.touch()
    report = score([file], pool)
    assert (report.total.accuracy, report.total.mean_reward) == (None, None)
