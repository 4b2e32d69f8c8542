import json
from contextlib import suppress
from fractions import Fraction
from pathlib import Path

import pytest

from rlve.errors import Unparseable
from rlve.judges.math import equal, expressions
from rlve.judges.math.expressions import (
    Evaluation,
    Undefined,
    expression,
    order,
    real_value,
    same_value,
    start_counting,
)

pytest.importorskip("mpmath")


@pytest.fixture(autouse=True)
def work() -> None:
    start_counting()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r"\frac{100!}{99!}", 100),
        (r"\sqrt{\frac{4}{9}}", Fraction(2, 3)),
        (r"\lfloor \sqrt{2}\cdot 10^{30}\rfloor", 1414213562373095048801688724209),
        (r"\binom{5}{7}", 0),
        (r"\gcd(12,18)", 6),
        (r"\sum_{k=1}^{100} k", 5050),
        (r"\prod_{k=1}^{5} k", 120),
        ("0^0", 1),
    ],
)
def test_values_are_exact_where_they_can_be(text: str, value: Fraction):
    assert real_value(expression(text)) == value


@pytest.mark.parametrize(
    "text",
    [
        *("9^{9^{9^{9}}}", "(10^{100000})!", r"\binom{10^{12}}{10^{6}}", "2^{10^{9}}", "1/0"),
        *(r"\ln 0", "0^{-1}", "(-1)!", r"\lfloor \sqrt[3]{8}\rfloor", r"\sum_{k=1}^{10^9} k"),
    ],
)
def test_what_is_too_large_or_undefined_has_no_value(text: str):
    with pytest.raises(Undefined):
        Evaluation({}, 170).value(expression(text).tree)


def test_numbers_are_ordered():
    numbers = ["-10^{30}", r"-\pi", "0", "3.14", r"\pi", "3.15", "10^{30}", "10^{30}+1"]
    for a, one in enumerate(numbers):
        for b, other in enumerate(numbers):
            assert (order(expression(one), expression(other)) > 0) == (a > b)


def test_the_work_is_counted(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(expressions, "MAX_OPERATIONS", 100)
    start_counting()
    with pytest.raises(Unparseable, match="too many operations"):
        same_value(expression("(x+1)^2"), expression("x^2+2x+1"))


HEAVY = json.loads(Path(__file__).with_name("heavy.json").read_text(encoding="utf-8"))
LARGEST_CHARGE = 2_000  # units that one operation can take


@pytest.mark.parametrize("latex", HEAVY)
def test_the_work_is_bounded(latex):
    """How long it takes, benchmarks/judge.py measures."""
    equal(f"{latex}+1", f"{latex}+0")
    assert expressions._left >= -LARGEST_CHARGE


@pytest.mark.parametrize(
    ("latex", "least", "most"),
    [
        (r"\sin(e^{45000})", 1, 100),  # refused at once
        (r"\sum_{k=1}^{10000}\tan(e^{45000}k)", 1, 100),
        (r"\sum_{k=1}^{10000}\sin(k\cdot 2^{60000})", 1, 5_000),
        (r"\binom{2000}{1000}", 100, 1_000),  # charged for what it costs
        (r"\binom{30000}{4400}", 600, 6_000),
    ],
)
def test_work_is_charged_for_what_it_costs(latex, least, most):
    expressions.start_counting()
    before = expressions._left
    with suppress(expressions.Undefined):
        expressions.Evaluation({}, expressions.BITS).value(expressions.expression(latex).tree)
    assert least <= before - expressions._left <= most
