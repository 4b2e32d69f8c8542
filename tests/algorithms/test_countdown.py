from fractions import Fraction
from random import Random

import pytest

from rlve.algorithms import countdown
from rlve.algorithms.countdown import closest_expression, expression_for
from rlve.algorithms.expressions.parser import integers_written, rational


@pytest.mark.parametrize("tabled", [2, 4])  # 2: what six numbers take, with three and four
def test_finds_what_trying_everything_finds(monkeypatch, tabled):
    monkeypatch.setattr(countdown, "TABLED", tabled)
    rng = Random(tabled)
    for _ in range(60):
        numbers = [rng.randint(1, 12) for _ in range(3)]
        check(numbers, rng.randint(0, 40))
    for _ in range(4):
        numbers = [rng.randint(1, 12) for _ in range(4)]
        check(numbers, rng.randint(0, 100))


def check(numbers, target):
    values = everything([Fraction(n) for n in numbers])
    value, expression = closest_expression(numbers, target)
    assert abs(value - target) == min(abs(v - target) for v in values)
    confirm(expression, numbers, value)
    for whole in (False, True):
        reachable = everything([Fraction(n) for n in numbers], whole=whole)
        expression = expression_for(numbers, target, whole=whole)
        assert (expression is not None) == (target in reachable)
        if expression is not None:
            confirm(expression, numbers, target)


def confirm(expression, numbers, value):
    assert sorted(integers_written(expression)) == sorted(numbers)
    assert rational(expression) == value


def everything(values, whole=False):
    """All results of combining two of the values, again and again, until one is left."""
    if len(values) == 1:
        return {values[0]}
    found = set()
    for i, a in enumerate(values):
        for j, b in enumerate(values):
            if i == j:
                continue
            rest = [v for k, v in enumerate(values) if k not in (i, j)]
            results = [a + b, a * b] * (i < j) + [a - b] + ([a / b] if b else [])
            for result in results:
                if not whole or (result >= 0 and result.denominator == 1):
                    found |= everything([*rest, result], whole)
    return found


@pytest.mark.parametrize("whole", [False, True])
def test_expressions_of_many_numbers(whole):
    rng = Random(0)
    for count in range(5, 24):
        numbers = [rng.randint(1, 48) for _ in range(count)]
        target = rng.randint(0, 480)
        expression = expression_for(numbers, target, whole=whole)
        assert expression is not None or count < 7
        if expression is not None:
            confirm(expression, numbers, target)


def test_a_target_out_of_reach():
    assert expression_for([1] * 7, 10_000) is None
    assert closest_expression([1] * 6, 100)[0] == 9  # (1 + 1 + 1) * (1 + 1 + 1)
    assert closest_expression([2, 2, 9], 0) == (Fraction(0), "9 * (2 - 2)")
