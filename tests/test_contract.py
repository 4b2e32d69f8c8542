import json
from random import Random
from typing import ClassVar, Self

import msgspec
import pytest

import rlve
from rlve.answers import integer
from rlve.envs.arrays.sorting import Sorting


class Keyed(rlve.Environment[int]):
    """A little of everything that JSON changes: integer keys, tuples, big integers."""

    N: int
    names: dict[int, tuple[int, str]]
    share: float
    reference_answer: int

    max_difficulty: ClassVar[int | None] = 5
    template = "Literal {{braces}}, {N}, {names}."

    def prompt(self) -> str:
        return self.fill(names="{N}")

    @classmethod
    def level(cls, d: int) -> list[rlve.Level]:
        return [{"N": d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        return cls(N=N, names={1: (rng.randint(0, 9), "a")}, share=1, reference_answer=10**40)

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return 0.5 if answer == 1 else 1.0

    @property
    def passing(self) -> float:
        return 0.5


@pytest.mark.parametrize("difficulty", [-1, 1.5, 2.0, True, "3", None])
def test_a_difficulty_is_a_natural_number(difficulty):
    with pytest.raises(rlve.UserError, match="a difficulty must be an integer"):
        Sorting.generate(difficulty=difficulty, seed=0)


def test_difficulties_end_at_the_highest():
    Keyed.generate(difficulty=5, seed=0)
    with pytest.raises(rlve.UserError, match="highest difficulty of Keyed is 5; 6 was asked"):
        Keyed.generate(difficulty=6, seed=0)


def test_parameters_survive_json():
    problem = Keyed.generate(difficulty=2, seed=1)
    parameters = problem.parameters()
    assert json.loads(json.dumps(parameters)) == parameters
    assert list(parameters["names"]) == ["1"]
    assert Keyed.from_parameters(parameters) == problem
    assert Keyed.from_parameters(parameters | {"unknown": 1}) == problem


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"array": None}, r"Expected `array`, got `null` - at `\$\.array`"),
        ({"N": "3"}, r"Expected `int`, got `str` - at `\$\.N`"),
        ({"array": [1, "x"]}, r"\$\.array\[1\]"),
        ({"N": msgspec.UNSET}, r"Sorting problem: .*required field `N`"),
    ],
)
def test_wrong_parameters_are_named(change, complaint):
    parameters = Sorting.generate(difficulty=0, seed=0).parameters() | change
    parameters = {k: value for k, value in parameters.items() if value is not msgspec.UNSET}
    with pytest.raises(rlve.UserError, match=complaint):
        Sorting.from_parameters(parameters)


def test_a_problem_cannot_be_changed():
    with pytest.raises(AttributeError):
        Sorting.generate(difficulty=0, seed=0).N = 5


def test_values_are_not_templates():
    assert Keyed.generate(difficulty=2, seed=1).prompt() == "Literal {braces}, 2, {N}."


def test_verdicts():
    problem = Keyed.generate(difficulty=0, seed=0)
    assert problem.verify("nothing") == rlve.Verdict(-1.0, correct=False, well_formed=False)
    assert problem.verify("<answer>x</answer>") == rlve.Verdict(-1.0, False, False)
    assert problem.verify("<answer>1</answer>") == rlve.Verdict(0.5, True, True)
    assert problem.verify("<answer>2</answer>", marker="boxed").well_formed is False
    assert problem.reference() == str(10**40)


@pytest.mark.parametrize("output", [None, 3, b"<answer>1</answer>", ["<answer>1</answer>"]])
def test_an_output_is_text(output):
    problem = Keyed.generate(difficulty=0, seed=0)
    with pytest.raises(TypeError, match=r"verify\(\) takes the text of an output, a str, not"):
        problem.verify(output)
    with rlve.Pool(1) as pool, pytest.raises(TypeError, match="the text of an output"):
        pool.judge([(problem, output)])


def test_an_unfinished_environment_says_what_is_missing():
    class Unfinished(rlve.Environment[int]):
        template = ""

    for call in (
        lambda: Unfinished.level(0),
        lambda: Unfinished().parse(""),
        lambda: Unfinished().score(1),
    ):
        with pytest.raises(NotImplementedError, match="Unfinished does not define"):
            call()
    assert Unfinished().reference() is None
    assert issubclass(Unfinished, msgspec.Struct)


@pytest.mark.parametrize("output", ["", "\\boxed{1}", "<answer>$1$</answer>"])
def test_only_known_ways_to_mark_and_read_an_answer(output):
    problem = Sorting.generate(difficulty=0, seed=0)
    with pytest.raises(rlve.UserError, match="must be 'exact' or 'forgiving', not 'Exact'"):
        problem.verify(output, reading="Exact")
    with pytest.raises(rlve.UserError, match="must be 'answer', 'boxed' or 'any', not 'box'"):
        problem.verify(output, marker="box")


def worked_by(work):
    """The worked solution of a problem of an environment with this work()."""
    cls = type("Worked", (Keyed,), {"__doc__": "Solved.", "work": work})
    return cls.generate(difficulty=0, seed=0).worked()


def test_a_worked_solution_is_the_lines_and_the_answer():
    def work(self):
        yield "First this"
        yield "Then that"
        return "7"

    assert worked_by(work) == ["First this", "Then that", "Answer: 7"]


def test_an_answer_of_several_lines_begins_below_its_label():
    def work(self):
        yield "Rows"
        return "1 2\n3 4"

    assert worked_by(work) == ["Rows", "Answer:\n1 2\n3 4"]


def test_there_is_no_worked_solution_by_default_or_on_request():
    def work(self):
        yield "This leads nowhere"

    assert Keyed.generate(difficulty=0, seed=0).worked() == []
    assert worked_by(work) == []


@pytest.mark.parametrize("spare", [0, 1])
def test_a_worked_solution_has_at_most_8000_characters(spare):
    def work(self):
        for _ in range(99):
            yield "x" * 79
        yield "x" * (71 - spare + 1)
        return ""

    lines = worked_by(work)
    assert len("\n".join(lines)) == (8000 if spare else 0)


def test_an_endless_worked_solution_is_given_up():
    def work(self):
        while True:
            yield "and so on"

    assert worked_by(work) == []
