"""What evaluation frameworks ask and report."""

import pytest

import rlve
from rlve.datasets.rows import ProblemRow
from rlve.evaluate.questions import Suite
from rlve.formats import CHAT
from rlve.integrations.scores import prompts_of, scores


def row(name):
    problem = rlve.environment(name).generate(difficulty=1, seed=2)
    return ProblemRow(id=name, environment=name, parameters=problem.parameters())


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
    wrong, why = scores(problem, "nothing", "any")
    assert (wrong, why) == ({"correct": 0.0, "forgiving": 0.0, "reward": -1.0}, None)
