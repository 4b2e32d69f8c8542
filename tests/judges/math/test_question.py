import pytest

from rlve.contract import Verdict
from rlve.judges.math import MathQuestion
from rlve.pool import Pool

pytest.importorskip("math_verify")


def test_hostile_answers_end_at_the_deadline_and_cost_only_themselves():
    question = MathQuestion(question="?", ground_truth="3+x")
    hostile = [
        r"9^{9^{9^{9}}}",
        r"\binom{10^{9}}{5\cdot 10^{8}}",
        r"((((9!)!)!)!)!",
        r"\prod_{k=1}^{10^{8}} \sin k",
        "(" * 300 + "x" + ")" * 300,
        "(x+1)^{99999}",
        r"\sum_{k=1}^{\infty}\frac{\cos(kx)}{k^{3}}",  # ends at the deadline
    ]
    outputs = [rf"\boxed{{{answer}}}" for answer in hostile]
    mixed = [output for wrong in outputs for output in (wrong, r"\boxed{x+3}")]
    with Pool(1, deadline=6) as pool:
        pool.judge([(question, r"\boxed{y}")])  # imports are not an answer's fault
        judged = pool.judge([(question, output) for output in mixed])
    right = [isinstance(each, Verdict) and each.correct for each in judged]
    assert right == [False, True] * len(hostile)


@pytest.mark.parametrize(
    ("question", "right"),
    [("What percentage of them?", True), ("How many of them?", False)],
)
def test_the_sign_of_a_percentage_may_be_left_out_where_one_is_asked_for(question, right):
    for truth, answer in (("8%", "8"), ("8", r"8\%")):
        problem = MathQuestion(question=question, ground_truth=truth)
        assert problem.verify(f"\\boxed{{{answer}}}").correct is right
        assert not problem.verify(r"\boxed{80}").correct
