"""problem.explain() judges as verify() does, and says why."""

import sys
from random import Random
from typing import Self

import pytest

import rlve
from rlve.judges.programs import CodeProblem


def explained(name: str, answer: str, **options: str) -> rlve.Explanation:
    problem = rlve.environment(name).generate(difficulty=0, seed=0)
    found = problem.explain(answer, **options)
    assert rlve.Verdict(found.reward, found.correct, found.well_formed) == problem.verify(
        answer, **options
    )
    return found


@pytest.mark.parametrize(
    ("name", "answer", "reason"),
    [
        ("Multiplication", "-1", "The answer is too small."),
        ("Multiplication", "9" * 20, "The answer is too large."),
        ("Multiplication", "x", "The answer is not in the output format: not an integer of "),
        ("Sorting", "0 0 0", "The answer has 0 of 3 values right, and value 1 wrong."),
        ("Sorting", "1", "The answer has 1 value, 3 expected."),
        ("Sorting", "1 2 3 4", "The answer has 4 values, 3 expected."),
        ("MinimumSpanningTree", "0 0 1 1 2 2", " or not weights.keys() >= set(chosen) (minimum_"),
        ("SAT", "0", "The answer is not in the output format: expected "),
        ("KnightsAndKnaves", "knight knight", "The answer "),
    ],
)
def test_it_is_said_why_an_answer_is_wrong(name, answer, reason):
    found = explained(name, f"So <answer> {answer}\n</answer>")
    assert found.read == answer
    assert reason in found.reason
    assert found.reason.endswith(".")


def test_what_needs_no_rule_is_said_as_well():
    problem = rlve.environment("Sorting").generate(difficulty=0, seed=0)
    right = problem.reference()
    assert right is not None
    assert problem.explain(f"\\boxed{{{right}}}").reason == "The answer is correct."
    listed = f"\\boxed{{[{right.replace(' ', ', ')}]}}"
    assert problem.explain(listed).reason.startswith("The answer is right, but not in the output ")
    forgiving = problem.explain(listed, reading="forgiving")
    assert (forgiving.correct, forgiving.reason) == (True, "The answer is correct.")
    none = problem.explain(f"\\boxed{{{right}}}", marker="answer")
    assert none.read is None
    assert none.reason == "No answer is marked (expected <answer>...</answer>)."
    long = problem.explain(f"<answer>{'1 ' * 60_000}</answer>").reason
    assert long == "The answer has 120,000 characters, more than 100,000."
    with pytest.raises(TypeError, match="takes the text of an output"):
        problem.explain(None)  # type: ignore[arg-type]


class Guarded(rlve.Environment[int]):
    """Scored through a helper, with an alternative."""

    N: int
    template = "{N}"

    @classmethod
    def sample(cls, rng: Random) -> Self:
        return cls(N=0)

    def parse(self, text: str) -> int:
        return int(text)

    def score(self, answer: int) -> float:
        return checked(answer, self.N)

    unique_up_to = None


def checked(answer: int, n: int) -> float:
    if answer < n:
        if answer % 2 == 0:
            return 0.5
        else:
            return -0.25
    return 0.0


def test_the_rule_is_the_condition_nearest_to_the_reward():
    before = sys.getprofile()
    problem = Guarded(N=10)
    assert (
        ": not answer % 2 == 0 (test_reasons.py, " in problem.explain("<answer>3</answer>").reason
    )
    better = problem.explain("<answer>4</answer>").reason
    assert better == "The answer follows the rules, but is not good enough."
    worse = problem.explain("<answer>11</answer>").reason
    assert worse == "The answer is not a correct one."
    assert sys.getprofile() is before


def test_a_program_is_read_as_it_is_judged():
    problem = CodeProblem(
        question_id="1", question_content="", public_test_cases="[]", private_test_cases="[]"
    )
    found = problem.explain("```python\n" + "#" * 100_001 + "\n```")
    assert found.read is not None
    assert found.read.startswith("##")
    assert "must have 1 to 100,000 characters" in found.reason
