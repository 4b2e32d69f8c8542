"""Plain reward functions, given what a trainer such as TRL's gives one."""

import json

import pytest

import rlve
from rlve.integrations import rewards
from rlve.integrations.rewards import compute_score, correct, reward
from rlve.pool import Failure


def batch():
    """Two problems with two outputs each; parameters come as a record or as JSON."""
    sorting = rlve.environment("Sorting").generate(difficulty=1, seed=1)
    division = rlve.environment("Division").generate(difficulty=0, seed=1)
    outputs = [
        rf"\boxed{{{sorting.reference()}}}",
        [{"role": "assistant", "content": "no idea"}],
        f"<answer>{division.reference()}</answer>",
        rf"\boxed{{{division.reference()}}}",
    ]
    columns = {
        "environment": ["Sorting", "Sorting", "Division", "Division"],
        "parameters": [sorting.parameters()] * 2 + [json.dumps(division.parameters())] * 2,
        "marker": ["boxed", "boxed", "answer", "answer"],
    }
    return outputs, columns


def test_each_output_is_judged_by_its_row():
    outputs, columns = batch()
    others = {"prompts": ["?"] * 4, "completion_ids": [[1]] * 4, "trainer_state": None}
    assert reward(completions=outputs, **columns, **others) == [1.0, -1.0, 1.0, -1.0]
    assert correct(completions=outputs, **columns, **others) == [1.0, 0.0, 1.0, 0.0]
    del columns["marker"]  # then any mark counts
    assert correct(completions=outputs, **columns) == [1.0, 0.0, 1.0, 1.0]
    assert reward([], environment=[], parameters=[]) == []


def test_an_output_that_cannot_be_judged_teaches_nothing(monkeypatch):
    outputs, columns = batch()

    class Pool:
        def judge(self, items, *, marker):
            judged = [problem.verify(output, marker=marker) for problem, output in items]
            return [judged[0], Failure("deadline", "too slow")]

    monkeypatch.setattr(rewards, "shared_pool", Pool)
    assert reward(outputs, **columns) == [1.0, 1.0, 1.0, 1.0]


def test_rows_of_an_environment_of_ones_own_name_its_file():
    own = {"environment": ["RomanSum"], "parameters": ["{}"], "defined_in": ["roman_sum.py"]}
    with pytest.raises(rlve.UserError, match=r"own environment, from 'roman_sum\.py'.*import it"):
        reward(["12"], **own)


def test_verl_passes_a_row_as_json():
    problem = rlve.environment("Sorting").generate(difficulty=1, seed=1)
    row = {
        "environment": "Sorting",
        "parameters": json.dumps(problem.parameters()),
        "marker": "boxed",
        "source": "somebody_elses.py:Sorting",  # never loaded
        "completion": None,
    }
    right = rf"\boxed{{{problem.reference()}}}"
    assert compute_score("rlve/Sorting", right, json.dumps(row), {}) == 1.0
    assert compute_score("rlve/Sorting", "no idea", json.dumps(row), {}, unknown=1) == -1.0


def test_rows_of_another_kind_are_refused():
    with pytest.raises(rlve.UserError, match="no columns environment and parameters"):
        reward(["an output"], prompts=["?"])
