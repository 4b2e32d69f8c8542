import pytest

from rlve.judges.math import MathQuestion

pytest.importorskip("mpmath")


@pytest.mark.parametrize(
    ("question", "right"),
    [("What percentage of them?", True), ("How many of them?", False)],
)
def test_the_sign_of_a_percentage_may_be_left_out_where_one_is_asked_for(question, right):
    for truth, answer in (("8%", "8"), ("8", r"8\%")):
        problem = MathQuestion(question=question, ground_truth=truth)
        assert problem.verify(f"\\boxed{{{answer}}}").correct is right
        assert not problem.verify(r"\boxed{80}").correct


@pytest.mark.parametrize(("truth", "answer"), [("1", "100"), ("0.5", "50"), ("100%", "1")])
def test_where_a_percentage_is_asked_for_a_number_means_percent(truth, answer):
    problem = MathQuestion(question="What percent of them?", ground_truth=truth)
    assert not problem.verify(f"\\boxed{{{answer}\\%}}").correct
