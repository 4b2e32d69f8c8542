"""A pool says why an answer could not be read."""

import pytest

import rlve
from support.misbehaving import Misbehaving


@pytest.fixture(scope="module")
def pool():
    with rlve.Pool(workers=1, deadline=1) as found:
        yield found


def test_the_parser_says_why(pool):
    problem = rlve.environment("Sorting").generate(difficulty=0, seed=0)
    right = f"<answer>{problem.reference()}</answer>"
    assert pool.explain(problem, right) == (problem.verify(right), None)
    assert pool.explain(problem, "<answer>1</answer>") == (
        problem.verify("<answer>1</answer>"),
        None,
    )
    verdict, why = pool.explain(problem, "<answer>a b</answer>")
    assert not verdict.well_formed
    assert "a" in why
    verdict, why = pool.explain(problem, "nothing")
    assert "no answer is marked" in why


def test_what_hangs_is_given_up(pool):
    found = pool.explain(Misbehaving(tag=1), "<answer>loop</answer>")
    assert isinstance(found, rlve.Failure)
    assert found.kind == "deadline"
