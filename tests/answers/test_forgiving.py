"""The dress around answers: what is taken off, and what never changes."""

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rlve
from rlve.answers.forgiving import rewritings
from rlve.catalogue import CATALOGUE
from rlve.contract import Problem

DRESSES: tuple[Callable[[str], str], ...] = (
    lambda text: f"{text}.",
    lambda text: f"${text}$",
    lambda text: f"\\({text}\\)",
    lambda text: f"\\boxed{{{text}}}",
    lambda text: f"```\n{text}\n```",
    lambda text: f"```text\n{text}\n```",
    lambda text: f"`{text}`",
    lambda text: f"**{text}**",
    lambda text: f'"{text}"',
    lambda text: f"**`{text}`**.",
    lambda text: text.replace("-", "\u2212"),
    lambda text: f"Answer: {text}",
    lambda text: f"**Answer:** {text}",
)
LIST_DRESSES: tuple[Callable[[str], str], ...] = (
    lambda text: ", ".join(text.split(" ")),
    lambda text: "[" + ", ".join(text.split(" ")) + "]",
    lambda text: "(" + ", ".join(text.split(" ")) + ")",
    lambda text: "```\n" + ", ".join(text.split(" ")) + "\n```",
    lambda text: " -> ".join(text.split(" ")),
    lambda text: "\\begin{matrix}" + " \\\\ ".join(text.split("\n")) + "\\end{matrix}",
)


@pytest.mark.parametrize(
    ("text", "stands_for"),
    [
        ("42.", "42"),
        ("$42$", "42"),
        (r"\(42\)", "42"),
        (r"\boxed{42}", "42"),
        (r"$\boxed{\text{Yes}}$", "Yes"),
        ("```python\n[1, 2]\n```", "1 2"),
        ("```\n.*.\n*..\n```", ".*.\n*.."),
        ("**42**", "42"),
        ("\u221242", "-42"),
        ("1,234,567", "1234567"),
        ("1{,}234", "1234"),
        ("[1, 2, 3]", "1 2 3"),
        ("{1, 2, 3}", "1 2 3"),
        ("(0, 1), (3, 4)", "0 1 3 4"),
        ("(0, 1), (3, 4)", "0 1\n3 4"),
        ("[[1, 2], [3, 4]]", "1 2\n3 4"),
        ("[A#, #B]", "A# #B"),
        ("yes", "Yes"),
        ("'Alice'.", "Alice"),
        ("Answer: 42", "42"),
        ("**Answer:** 42", "42"),
        ("**Answer**: $42$.", "42"),
        ("The final answer is [1, 2]", "1 2"),
        ("x = 42", "42"),
        ("$x = 42$", "42"),
        ("-42.0", "-42"),
        (r"\begin{matrix}1 & 2 \\ 3 & -4\end{matrix}", "1 2\n3 -4"),
        (r"$\begin{array}{cc}1 & 2 \\ 3 & 4 \\\end{array}$", "1 2\n3 4"),
        (r"\begin{bmatrix}0 & 1 \\ 1 & 0\end{bmatrix}", "01\n10"),
        ("1 2 \\\\ 3 4", "1 2\n3 4"),
        ("1 2; 3 4", "1 2\n3 4"),
        ("1 2 / 3 4", "1 2\n3 4"),
        ("#.<br>.#", "#.\n.#"),
        ("| 1 | 2 |\n|---|---|\n| 3 | 4 |", "1 2\n3 4"),
        (r"1 \quad 2 \quad 3", "1 2 3"),
        ("1 -> 2->3", "1 2 3"),
        ("1~2", "1 2"),
        ("1, 2 and 3", "1 2 3"),
        ("A -> B", "A B"),
        (r"1 \text{ and } 2", "1 2"),
        ("[yes]", "Yes"),
        ("(Alice)", "Alice"),
        ("U R D", "URD"),
        ("U, R", "UR"),
    ],
)
def test_what_a_text_stands_for(text: str, stands_for: str):
    found = [
        "\n".join(" ".join(line.split()) for line in each.splitlines()) for each in rewritings(text)
    ]
    assert stands_for in found


@pytest.mark.parametrize(
    "text", ["42", "(1 + 2)*3", "(X)X", "(()", "x = 5 = y", "1/2", "3 or 4", "12:30", "not 5", ""]
)
def test_what_is_left_alone(text: str):
    assert list(rewritings(text)) == []


@given(st.text(alphabet="0123456789 ,;()[]{}-+.$`*\\\"'\nabYNo_", max_size=60))
def test_rewritings_are_few_and_keep_digits_and_their_order(text: str):
    found = list(rewritings(text))
    assert len(found) <= 24
    for each in found:
        assert digits(each) in (digits(text), digits(re.sub(r"\.0+\b", "", text)))


def digits(text: str) -> str:
    return re.sub(r"\D", "", text)


def test_long_texts_are_read_in_one_pass():
    for text in (
        "```\n" + " " * 99_000,
        "1," * 49_000,
        "(" * 99_000,
        "\\boxed{" * 14_000,
        "a" * 99_000,
        "1 and " * 16_000,
        "1\\text{ and }" * 7_000,
        "U " * 49_000,
        "| 1 " * 24_000,
        "1 2\\\\" * 16_000,
        "answer: " * 12_000,
    ):
        assert len(list(rewritings(text))) <= 24


def test_right_answers_in_another_form():
    problem = rlve.environment("Sorting").generate(difficulty=1, seed=0)
    answer = ", ".join((problem.reference() or "").split())
    output = f"<answer>[{answer}]</answer>"
    assert problem.verify(output) == rlve.Verdict(-1.0, correct=False, well_formed=False)
    assert problem.verify(output, reading="forgiving").correct
    # What is not marked has no form.
    assert not problem.verify(f"[{answer}]", reading="forgiving").well_formed


@pytest.mark.parametrize("name", sorted(CATALOGUE))
def test_no_dress_makes_a_wrong_answer_right(name: str):
    environment = rlve.environment(name)
    problem, other = (environment.generate(difficulty=1, seed=seed) for seed in range(2))
    right = problem.reference() or ""
    wrong = [
        text for text in _wrong_answers(right, other.reference() or "") if _is_wrong(problem, text)
    ]
    for text in wrong:
        for dress in (*DRESSES, *LIST_DRESSES):
            output = f"<answer>{dress(text)}</answer>"
            assert not problem.verify(output, reading="forgiving").correct, (text, output)
    for dress in DRESSES if "`" not in right and "*" not in right and right else ():
        output = f"<answer>{dress(right)}</answer>"
        assert problem.verify(output, reading="forgiving").correct, output


def _is_wrong(problem: Problem, text: str) -> bool:
    return not problem.verify(f"<answer>{text}</answer>").correct


def _wrong_answers(right: str, other: str) -> list[str]:
    """Another problem's answer, and the right one with a part changed, left out or put in."""
    parts = right.split()
    return [
        other,
        " ".join(parts[1:]),
        " ".join([*parts, "1"]),
        " ".join(parts[::-1]),
        right.replace("1", "2", 1),
        right.replace("-", "", 1),
        right.replace(" ", "", 1),
        "1,234",
    ]
