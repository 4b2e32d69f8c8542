"""problem.explain() judges as verify() does, and says why."""

import re
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
        ("SAT", "0", "The answer is not in the output format: expected "),
        ("KnightsAndKnaves", "knight knight", "The answer "),
    ],
)
def test_it_is_said_why_an_answer_is_wrong(name, answer, reason):
    found = explained(name, f"So <answer> {answer}\n</answer>")
    assert found.read == answer
    assert reason in found.reason
    assert found.reason.endswith(".")


@pytest.mark.parametrize(
    ("name", "answer", "clause"),
    [
        ("BitEquationCounting", "99", "is not between 0 and 4"),
        ("CatalanNumberMod", "-1", "is not between 0 and 497274771"),  # asked in exact_residue()
        ("SubsetSum", "0 7", "has 7, which is not between 0 and 2"),
        ("GasFireExtinguishers", "0 0 0", "has 0, which is not between 1 and 2"),
        ("MYJ", "-1 2 3", "has -1, which is less than 0"),
        ("BucketSorting", "9" * 99, "has a very long number, which is not among those given"),
        ("ODLDistance", "0 0 0", "has 0, which is not allowed there"),
        ("SaladBar", "2 1", "has 2 and 1, which are not in order"),
        ("ShortestPath", "1 2", "begins with 1, not with 0"),
        ("HamiltonianPath", "0 1 1", "lacks 2"),
        ("Josephus", "1 2 2", "is not a permutation of 1 to 3"),
        ("Knapsack", "2 2", "repeats a value"),
        ("Knapsack", "0 1 2", "comes to 7, which is more than 3"),
        ("MinimumSpanningTree", "0 1 1 2", "has 2 pairs, 3 expected"),
        ("MinimumSpanningTree", "0 0 1 1 2 2", "has 1 1, which is not among those given"),
        ("MinimumChromaticNumber", "3 3 3 3 3", "has 3 for both 1 and 4"),
        ("HungryRabbit", "1 2", "has 1 line, 3 expected"),
        ("SkyscraperPuzzle", "0 1 2\n" * 3, "not have each number once in every row and column"),
        ("CampfireParty", "0 0 0", "repeats a value"),
        ("BezoutIdentity", "0 0", "breaks a rule of the problem"),  # not a common one
    ],
)
def test_the_rule_that_is_broken_is_put_into_words(name, answer, clause):
    found = explained(name, f"<answer>{answer}</answer>")
    assert found.reward < 0
    assert found.reason.endswith(f" {clause}.")


def near_misses(reference):
    """Answers of the same form as the reference, most of which break a rule."""
    words = reference.split() or ["0"]
    yield " ".join(words[::-1])
    yield " ".join(["0"] * len(words))
    yield " ".join([words[0]] * len(words))
    yield "\n".join(reference.splitlines()[:-1]) or "1 2 3"
    for number in ("1005", "-5", "9" * 60):
        yield re.sub(r"\d+", number, reference)


@pytest.mark.parametrize("name", rlve.environments())
def test_no_reason_quotes_code(name):
    problem = rlve.environment(name).generate(difficulty=2, seed=1)
    for answer in near_misses(problem.reference() or ""):
        reason = problem.explain(f"<answer>{answer}</answer>").reason
        assert not re.search(r"self\.|\.py|line \d+\)", reason)
        if "not in the output format" not in reason:
            assert not re.search(r"[=_()\[\]]", reason)


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
        if answer in (2, 4, 8):
            return 0.5
        else:
            return -0.25
    return 0.0


def test_the_rule_is_the_condition_nearest_to_the_reward():
    before = sys.getprofile()
    problem = Guarded(N=10)
    odd = problem.explain("<answer>3</answer>").reason
    assert odd == "The answer has 3, which is not among those given."
    better = problem.explain("<answer>4</answer>").reason
    assert better == "The answer follows the rules, but is not good enough."
    worse = problem.explain("<answer>11</answer>").reason
    assert worse == "The answer is not a correct one."
    assert sys.getprofile() is before


class Counting(Guarded):
    """Scored under a condition that is another one when it is evaluated again."""

    def score(self, answer: int) -> float:
        rest = iter([answer])
        if next(rest) < self.N:
            return -0.25
        return 0.0


def test_a_condition_that_cannot_be_evaluated_again_has_no_words():
    assert Counting(N=10).explain("<answer>3</answer>").reason == (
        "The answer breaks a rule of the problem."
    )


def test_a_program_is_read_as_it_is_judged():
    problem = CodeProblem(
        question_id="1", question_content="", public_test_cases="[]", private_test_cases="[]"
    )
    found = problem.explain("```python\n" + "#" * 100_001 + "\n```")
    assert found.read is not None
    assert found.read.startswith("##")
    assert "must have 1 to 100,000 characters" in found.reason
