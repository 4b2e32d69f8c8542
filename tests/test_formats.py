from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.faulty_environments import Adding

import rlve
from rlve.catalogue import CATALOGUE
from rlve.errors import UserError
from rlve.formats import BASE, CHAT, FORMATS, PLAIN, Format, prompt_format, readable

PROBLEM = rlve.environment("Sorting").generate(difficulty=2, seed=5)


def text_of(prompt):
    return prompt if isinstance(prompt, str) else "\n".join(turn["content"] for turn in prompt)


def test_chat_is_one_turn_of_the_user():
    (message,) = CHAT.render(PROBLEM)
    assert message["role"] == "user"
    assert message["content"].startswith(PROBLEM.prompt())
    assert "\\boxed{}" in message["content"]
    assert "<answer>" not in message["content"]
    assert CHAT.marker == "boxed"


def test_base_is_a_conversation_that_the_model_continues_with_its_thoughts():
    text = BASE.render(PROBLEM)
    assert isinstance(text, str)
    before, _, after = text.partition(f"User: {PROBLEM.prompt()}")
    assert "<answer>" in before
    only, _, end = after.strip().partition("\n")
    assert "only the final answer" in only
    assert end == "Assistant: Let me solve this step by step.\n<think>"
    assert not text[-1].isspace()
    assert "boxed" not in text
    assert BASE.marker == "answer"


def test_plain_names_both_markers():
    text = PLAIN.render(PROBLEM)
    assert isinstance(text, str)
    assert text.startswith(PROBLEM.prompt())
    assert "<answer>" in text
    assert "\\boxed{}" in text
    assert PLAIN.marker == "any"


@pytest.mark.parametrize("format", FORMATS.values(), ids=list(FORMATS))
def test_an_answer_marked_as_the_format_asks_is_found(format):
    boxed, tagged = f"\\boxed{{{PROBLEM.reference()}}}", f"<answer>{PROBLEM.reference()}</answer>"
    found = {
        marker
        for marker, output in {"boxed": boxed, "answer": tagged}.items()
        if PROBLEM.verify(f"So be it.</think> {output}", marker=format.marker).correct
    }
    assert found == ({"boxed", "answer"} if format.marker == "any" else {format.marker})


@pytest.mark.parametrize("format", FORMATS.values(), ids=list(FORMATS))
@given(text=st.text())
def test_the_text_of_the_problem_is_never_changed(format, text):
    assert text in text_of(format.wrap(text))


def test_a_function_is_a_format_that_accepts_both_markers():
    def shout(text):
        return text.upper()

    format = prompt_format(shout)
    assert (format.name, format.marker) == ("shout", "any")
    assert format.render(PROBLEM) == PROBLEM.prompt().upper()


def test_a_format_of_ones_own_can_look_at_the_problem():
    class Titled(Format):
        def render(self, problem):
            return f"# {type(problem).__name__}\n{problem.prompt()}"

    format = Titled("titled", wrap=str, marker="boxed")
    assert prompt_format(format) is format
    assert format.render(PROBLEM) == f"# Sorting\n{PROBLEM.prompt()}"


def test_a_problem_that_says_how_its_answer_is_marked_is_asked_for_nothing_else():
    class Spoken(rlve.Environment[str]):
        template = "Say it aloud."
        marked = True

    assert CHAT.render(Spoken()) == [{"role": "user", "content": "Say it aloud."}]
    assert PLAIN.render(Spoken()) == "Say it aloud."
    assert prompt_format(str.upper).render(Spoken()) == "SAY IT ALOUD."


def test_an_unknown_format_is_an_error_that_helps():
    with pytest.raises(UserError, match="did you mean 'plain'"):
        prompt_format("plane")
    with pytest.raises(UserError, match="chat, base, plain"):
        prompt_format("xml")
    with pytest.raises(UserError, match="must be 'answer', 'boxed' or 'any', not 'box'"):
        Format("mine", str, "box")


@pytest.mark.parametrize("format", FORMATS.values(), ids=FORMATS.keys())
@pytest.mark.parametrize("name", ["Sorting", "SpiralMatrix", "EuclidGame"])
def test_a_worked_output_is_correct_and_ends_with_the_marked_answer(format, name):
    problem = rlve.environment(name).generate(difficulty=1, seed=2)
    *lines, _ = problem.worked()
    output = format.worked_output(problem)
    assert "\n".join(lines) in output
    assert output.endswith(format.output(problem, problem.reference()))
    assert problem.verify(output, marker=format.marker).correct


def test_without_a_worked_solution_there_is_no_output():
    problem = Adding.generate(difficulty=0, seed=0)
    assert CHAT.worked_output(problem) is None


def test_who_repeats_the_prompt_has_not_answered():
    """Wherever the model begins to repeat it, and in whichever format."""
    found: set[tuple[str, str]] = set()
    for name in sorted(CATALOGUE):
        problem = rlve.environment(name).generate(difficulty=0, seed=1)
        for format in FORMATS.values():
            prompt = readable(format.render(problem))
            echoes = (prompt, f"{prompt} {prompt}", prompt[len(problem.prompt()) :])
            for echo, marker in product(echoes, (format.marker, "any")):
                if problem.verify(echo, marker=marker, reading="forgiving").well_formed:
                    found.add((name, format.name))
    assert not found
