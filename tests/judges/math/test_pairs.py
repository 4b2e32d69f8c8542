r"""The grader of mathematics on pairs written from how models put answers into \boxed{}.

For each truth, answers that mean the same and answers that do not: other dress, and the slips that
models make (a sign, a bracket, a unit, one solution of two).
"""

import json
from pathlib import Path

import pytest

from rlve.judges.math import equal

pytest.importorskip("mpmath")

PAIRS = json.loads(Path(__file__).with_name("pairs.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("kind", "verdict", "share"), [("right", True, 0.97), ("wrong", False, 0.99)]
)
def test_pairs(kind, verdict, share):
    pairs = [(truth, answer) for truth, kinds in PAIRS.items() for answer in kinds[kind]]
    missed = [(truth, answer) for truth, answer in pairs if equal(truth, answer) is not verdict]
    assert len(pairs) >= 300
    assert len(missed) <= (1 - share) * len(pairs), missed


@pytest.mark.parametrize(
    ("truth", "answer"),
    [
        ("2,-2", r"\pm2"),
        ("x=3,x=-3", r"x=\pm3"),
        (r"\{-1,1\}", r"\{\pm1\}"),
        (r"1+2\sqrt{3},1-2\sqrt{3}", r"1\pm2\sqrt{3}"),
        ("120", "5!=120"),
        ("5", "5 min"),
        ("5", "5 m"),
        ("12", "12 g"),
        ("12", "12cm"),
        (r"(-\infty,\infty)", r"\mathbb R"),
        (r"(3,\infty)", r"\{x \mid x>3\}"),
        (r"(3,\infty)", r"\{x\in\mathbb{R} : x>3\}"),
        (r"\mathbb{R}\setminus\{0\}", r"\mathbb{R}-\{0\}"),
        ("(1,2)", r"\langle 1,2\rangle"),
        (
            r"\begin{pmatrix}1&2\\3&4\end{pmatrix}",
            r"\left[\begin{array}{cc}1&2\\3&4\end{array}\right]",
        ),
        ("120", r"{10 \choose 3}"),
        ("x+y>2", "y>2-x"),
        (r"\frac{\pi}{4}+n\pi", r"\frac{\pi}{4}+k\pi, k\in\mathbb{Z}"),
        (r"\infty", r"\text{infinity}"),
        ("30", r"\text{30 days}"),
        ("3x^2", "f'(x)=3x^2"),
        ("17", r"\text{The answer is }17"),
        ("101_2", "(101)_2"),
    ],
)
def test_common_dress(truth, answer):
    assert equal(truth, answer)


@pytest.mark.parametrize(
    ("truth", "answer"),
    [
        ("1,2,3", "1,2,3,..."),
        ("1,2,3", r"1,2,3,\ldots"),
        ("0.333...", "0.333"),
        (r"(-\infty,1)\cup(3,\infty)", "x<1, y>3"),
        (r"[0,1]\cup[2,3]", r"a\in[0,1], b\in[2,3]"),
        ("y=1,x=2", "1,2"),
        (r"(-\infty,2)", r"-\infty, 2"),
        ("5", "never=5"),
        ("120", "5!=121"),
        ("x+y>2", "y<2-x"),
        ("2n+1", "2k+1"),  # n is what the question calls it
        ("3km", "3"),  # a product, in a truth
        (r"\{-1,1\}", r"\{\pm2\}"),
        (r"(3,\infty)", r"\{y \mid x>3\}"),
        (r"\frac{\pi}{4}+n\pi", r"\frac{\pi}{4}+2k\pi"),
    ],
)
def test_not_the_same(truth, answer):
    assert not equal(truth, answer)
