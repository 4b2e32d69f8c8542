"""The grader of mathematics on a corpus of our own: answer, truth, and whether they mean the same.

A wrong answer that is accepted is worse than a right one that is refused. Most of the wrong answers
here are close to the truth, and many of them are accepted by math-verify alone.
"""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlve.errors import Unparseable
from rlve.judges.math import MathQuestion, equal, expression
from rlve.judges.math.reading import Items, Named, Value, explicit, normal, read
from rlve.pool import Pool

pytest.importorskip("math_verify")

CORPUS = json.loads(Path(__file__).with_name("math_corpus.json").read_text(encoding="utf-8"))


def test_the_corpus_is_large_and_has_both_verdicts():
    triples = [triple for topic in CORPUS.values() for triple in topic]
    assert len(triples) >= 200
    assert min(sum(right for *_, right in triples), sum(not right for *_, right in triples)) >= 200
    assert len({(answer, truth) for answer, truth, _ in triples}) == len(triples)


@pytest.mark.parametrize("topic", CORPUS)
def test_corpus(topic):
    wrong = [
        (answer, truth, right)
        for answer, truth, right in CORPUS[topic]
        if equal(truth, answer) is not right
    ]
    assert wrong == []


@pytest.mark.parametrize("topic", CORPUS)
def test_whatever_is_right_is_right_both_ways_round(topic):
    # A truth may leave something open that an answer says, and the other way round.
    one_way = [
        (answer, truth)
        for answer, truth, right in CORPUS[topic]
        if right and not equal(answer, truth)
    ]
    assert one_way == []


def test_hostile_answers_end_at_the_deadline_and_cost_only_themselves():
    question = MathQuestion(question="?", ground_truth="3+x")
    hostile = [
        r"9^{9^{9^{9}}}",
        r"\binom{10^{9}}{5\cdot 10^{8}}",
        r"((((9!)!)!)!)!",
        r"\prod_{k=1}^{10^{8}} \sin k",
        "(" * 300 + "x" + ")" * 300,
        "(x+1)^{99999}",
        r"\gcd((x+1)^{900}+x,(x+2)^{901}+1)",  # ends at the deadline
    ]
    outputs = [rf"\boxed{{{answer}}}" for answer in hostile]
    mixed = [output for wrong in outputs for output in (wrong, r"\boxed{x+3}")]
    with Pool(1, deadline=6) as pool:
        pool.verify([(question, r"\boxed{y}")])  # imports are not an answer's fault
        verdicts = pool.verify([(question, output) for output in mixed])
    assert [verdict.correct for verdict in verdicts] == [False, True] * len(hostile)


def test_numbers_too_large_are_refused_at_once():
    for answer in ("9^{9^{9^{9}}}", "(10^{100000})!", r"\binom{10^{12}}{10^{6}}", "2^{10^{9}}"):
        with pytest.raises(Unparseable):
            expression(answer)


TRUTHS = ["5", r"\frac{1}{2}", "(1,2)", r"\{1,2\}", "x^2+1", "x=3", r"[0,\infty)", "1,2,3"]
PIECES = [*"0123456789xyn+-*/^_!=<>()[]{},.;|%$' ", "\\frac", "\\sqrt", "\\{", "\\}", "\\left("]
PIECES += ["\\right)", "\\cup", "\\pm", "\\pi", "\\infty", "\\text{", "\\text{cm}", "\\le", "\\in"]
PIECES += ["\\binom", "\\lfloor", "\\rfloor", "^\\circ", "\\boxed{", "\\approx", " and ", "\\\\"]


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(TRUTHS), st.lists(st.sampled_from(PIECES), max_size=8).map("".join))
def test_no_string_is_an_error(truth, answer):
    assert equal(truth, answer) in (True, False)


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=40))
def test_every_text_equals_itself(text):
    assert equal(text, text)


@settings(deadline=None)
@given(st.integers(-(10**9), 10**9), st.integers(-(10**9), 10**9), st.integers(1, 10**6))
def test_numbers_are_compared_exactly(a, b, d):
    assert equal(str(a), str(b)) is (a == b)
    assert equal(f"{a}/{d}", f"\\frac{{{a}}}{{{d}}}")
    assert equal(str(a), f"{a:,}")
    assert equal(f"{a / 8}", f"\\frac{{{a}}}{{8}}") is (len(f"{a / 8}") < 17)
    assert not equal(f"{a}/{d}", f"{a + 1}/{d}")


@settings(deadline=None)
@given(st.lists(st.integers(-20, 20), min_size=2, max_size=5), st.randoms(use_true_random=False))
def test_lists_are_compared_in_any_order_and_tuples_in_theirs(values, rng):
    shuffled = rng.sample(values, len(values))
    text, other = (", ".join(map(str, numbers)) for numbers in (values, shuffled))
    assert equal(text, other)
    assert equal(rf"\{{{text}\}}", rf"\left\{{{other}\right\}}")
    assert equal(f"({text})", f"({other})") is (values == shuffled)
    assert not equal(text, f"{other}, {values[0]}")
    assert not equal(f"({text})", f"({text}, {values[0]})")


@pytest.mark.parametrize(
    ("question", "right"),
    [("What percentage of them?", True), ("How many of them?", False)],
)
def test_the_sign_of_a_percentage_may_be_left_out_where_one_is_asked_for(question, right):
    for truth, answer in (("8%", "8"), ("8", r"8\%")):
        problem = MathQuestion(question=question, ground_truth=truth)
        assert problem.verify(f"\\boxed{{{answer}}}").correct is right
        assert not problem.verify(r"\boxed{80}").correct


def test_what_is_read():
    half_line = Items("(", (Value("-\\infty"), Value("2")), "]")
    assert read(normal(r"x \in \left(-\infty, 2\right]")) == Named("x", half_line)
    assert read(normal(r"x \leq 2")) == Named("x", half_line)
    assert read(normal(r"3 \mathrm{~cm}^{2}")) == Value("3", "cm^2")
    assert explicit("2 (3)") == r"2\cdot (3)"
    assert explicit(r"2 \frac{1}{3}") == r"(2+\frac{1}{3})"
    for text in (
        "2 3",
        "x2",
        "1/2x",
        "123_7",
        "n!!",
        "f'(x)",
        r"\foo",
        "(1",
        "1)",
        "x^",
        r"\frac1",
    ):
        with pytest.raises(Unparseable):
            explicit(text)
