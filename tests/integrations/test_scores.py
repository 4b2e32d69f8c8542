"""What evaluation frameworks ask and report; Inspect's task and the harness's both use this."""

import pytest

import rlve
from rlve.datasets.rows import ProblemRow
from rlve.evaluate.questions import Suite
from rlve.formats import CHAT
from rlve.integrations.scores import prompts_of, scores
from support.hostile import HOSTILE

WRONG = {"correct": 0.0, "forgiving": 0.0, "reward": -1.0}


def row(name, **changes):
    parameters = rlve.environment(name).generate(difficulty=1, seed=2).parameters()
    return ProblemRow(id=name, environment=name, parameters=parameters | changes)


def test_problems_that_answer_back_are_refused():
    [(asked, prompt)] = prompts_of(Suite("few", [row("Sorting")]), "chat")
    assert asked.environment == "Sorting"
    assert prompt == CHAT.render(asked.problem())
    with pytest.raises(rlve.UserError, match="GuessNumber is a dialogue"):
        prompts_of(Suite("few", [row("Sorting"), row("GuessNumber")]), "chat")


def test_scores_are_those_of_the_verdict():
    problem = row("Sorting").problem()
    right, why = scores(problem, rf"\boxed{{{problem.reference()}}}", "any")
    assert (right, why) == ({"correct": 1.0, "forgiving": 1.0, "reward": 1.0}, None)


@pytest.mark.parametrize("output", HOSTILE)
def test_a_hostile_output_is_wrong(output):
    found, why = scores(row("Sorting").request(), HOSTILE[output], "any")
    assert found.items() >= {"correct": 0.0, "forgiving": 0.0}.items()
    assert why is None


def test_why_a_row_cannot_be_judged_is_said():
    found, why = scores(row("Sorting", array="\x1b" * 10_000_000).request(), "1 2", "any")
    assert found == WRONG
    assert "not the parameters of a Sorting problem" in why
    assert len(why) < 1_000
