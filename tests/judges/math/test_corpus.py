"""The grader of mathematics on a corpus of our own: answer, truth, and whether they mean the same.

A wrong answer that is accepted is worse than a right one that is refused. Most of the wrong answers
here are close to the truth.
"""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlve.judges.math import equal

pytest.importorskip("mpmath")

CORPUS = json.loads(Path(__file__).with_name("corpus.json").read_text(encoding="utf-8"))


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
