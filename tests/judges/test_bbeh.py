import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlve.judges.bbeh import BBEHQuestion, bare_answer, bare_truth, matches


@pytest.mark.parametrize(
    ("answer", "truth", "right"),
    [
        ("Yes", "yes", True),
        ("No", "Yes", False),
        ("(A)", "(A)", True),
        ("A", "(A)", True),
        ("(a)", "A", True),
        ("B", "(A)", False),
        ("(AB)", "A", False),
        ("3", "3.0", True),
        ("3.00", "3", True),
        ("3.1", "3", False),
        ("1e1", "10", True),
        ("nan", "nan", True),
        ("inf", "1e999", False),
        ("150,2", "150, 2", True),
        ("150, 2", "150,2", True),
        ("2, 150", "150, 2", False),
        ("yes, no, no", "yes,no,no", True),
        ("yes, no", "yes, no, no", False),
        ("thursday", "[thursday]", True),
        ("[thursday]", "thursday", True),
        ("[emma, lily]", "[lily, emma]", False),
        ("the stranger's dog", "the strangers dog", True),
        ("unknown?", "unknown", True),
        ("unknown", "unknown?", False),
        ("blueberry.", "blueberry", True),
        ("He really cried", "He really cried.", True),
        ("He really cried.", "He really cried.", True),
        (r"\text{African bush elephant}", "african bush elephant", True),
        (r"\text{yes}, \text{no}", "yes, no", True),
        (r"$\text{yes}$", "yes", True),
        (r"\boxed{\texttt{yes}}", "yes", True),
        ("**disproved**", "disproved", True),
        ("The answer is: disproved", "disproved", True),
        ("The final answer is disproved.", "disproved", True),
        ("disproved\nbecause of rule 3", "disproved", True),
        ("proved", "disproved", False),
        ("not disproved", "disproved", False),
        ("disproved, proved", "disproved", False),
        ("abcd", "ABCD", True),
        ("", "x", False),
    ],
)
def test_the_rules(answer, truth, right):
    assert matches(bare_answer(answer), bare_truth(truth)) is right


def test_a_question():
    question = BBEHQuestion(question="Which?", ground_truth="(C)")
    assert question.verify(r"It is \boxed{\text{C}}.").correct
    assert question.verify("<answer>c</answer>").correct
    assert not question.verify(r"\boxed{D}").correct
    assert question.verify(r"\boxed{D}").well_formed
    for output in ("C", r"\boxed{ }", r"\boxed{" + "C" * 20_000 + "}"):
        assert not question.verify(output).well_formed
    assert question.reference() == "(C)"


@settings(deadline=None)
@given(st.text(max_size=50), st.text(max_size=50))
def test_no_answer_is_an_error(answer, truth):
    assert BBEHQuestion(question="", ground_truth=truth).score(answer) in (0.0, 1.0)
