from collections import Counter
from random import Random

import pytest

from rlve.algorithms.expressions.build import X
from rlve.algorithms.expressions.calculus import derivative
from rlve.algorithms.expressions.nodes import TooLarge, Undefined
from rlve.algorithms.expressions.parser import parse
from rlve.algorithms.expressions.printer import text
from rlve.errors import GenerationError
from rlve.sampling.expressions import random_expression, random_function


def test_the_smallest_trees():
    assert random_expression(Random(0), 1) == X
    rng = Random(1)
    drawn = Counter(text(random_expression(rng, 2)) for _ in range(4000))
    expected = {
        "sin(x)": 0.1,
        "cos(x)": 0.1,
        "exp(x)": 0.05,
        "log(x)": 0.05,
        **{f"x**{k}": 0.1 / 6 for k in (2, 3, 4)},
        **dict.fromkeys(("sqrt(x)", "x**(1/3)", "x**(1/4)"), 0.1 / 6),
        **{f"x {sign} {k}": 0.25 / 4 for sign in "+-" for k in (1, 2)},
        **{f"{sign}{k}*x": 0.25 / 6 for sign in ("", "-") for k in (2, 3, 4)},
        **{f"x/{k}": 0.1 / 3 for k in (2, 3, 4)},
    }
    assert drawn.keys() == expected.keys()
    for expression, share in expected.items():
        assert drawn[expression] / 4000 == pytest.approx(share, abs=0.02)


def test_two_leaves():
    rng = Random(2)
    drawn = Counter()
    for _ in range(4000):
        try:
            drawn[text(random_expression(rng, 3))] += 1
        except (TooLarge, Undefined):  # log(0) and the like
            drawn["none"] += 1
    assert drawn["x**x"] / 4000 == pytest.approx(0.5 * 0.1, abs=0.02)
    assert drawn["0"] / 4000 == pytest.approx(0.5 * 0.2, abs=0.02)


def test_functions_are_fit():
    for seed in range(40):
        function, slope = random_function(Random(seed), 2 + seed % 20, lambda F, f: F.has_variable)
        assert function.has_variable
        assert slope == derivative(function)
        assert parse(text(function)) == function
        assert parse(text(slope)) == slope


def test_there_may_be_none():
    with pytest.raises(GenerationError):
        random_function(Random(0), 2, lambda F, f: False)
