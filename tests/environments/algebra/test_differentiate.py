import math
from random import Random

import pytest

from rlve.environments.algebra.differentiate import Differentiate
from rlve.errors import UserError


def problem(function, reference_answer):
    return Differentiate(node_num=5, function=function, reference_answer=reference_answer)


SQUARE = problem("2*x**2 + 2", "4*x")
LINE = problem("x - 1", "1")
POLE = problem("log(x + 1)", "1/(x + 1)")
WAVE = problem("exp(cos(x))", "-exp(cos(x))*sin(x)")
POWER = problem("x**x", "x**x*(log(x) + 1)")
ZERO = "sin(x)**2 + cos(x)**2 - 1"
TINY = problem("x**2/10**8", "x/(5*10**7)")


def reward(problem, answer):
    return problem.verify(f"<answer>{answer}</answer>").reward


def test_schedule():
    levels = [Differentiate.level(d) for d in (0, 1, 20)]
    assert levels == [[{"node_num": 2}], [{"node_num": 3}], [{"node_num": 22}]]


@pytest.mark.parametrize(
    ("problem", "answer", "expected"),
    [
        (SQUARE, "4*x", 1.0),
        (SQUARE, "2*2*x^1", 1.0),
        (SQUARE, "4*x*(sin(x)**2 + cos(x)**2)", 1.0),
        (SQUARE, "((x + 1)**2 - (x - 1)**2)", 1.0),
        (SQUARE, "4*x + 1", 0.0),
        (SQUARE, "4*Abs(x)", 0.0),
        (SQUARE, "4*x + x**2/10**4", 0.0),
        (SQUARE, "0", 0.0),
        (SQUARE, "4*x + sqrt(-1 - x**2)", 0.0),  # nowhere defined
        (SQUARE, "+".join(["sin(x)**2"] * 30), 0.0),
        (SQUARE, f"4*x + {ZERO}", 1.0),
        (SQUARE, "4*x" + "".join(f"+ ({ZERO})/x**{k}" for k in range(1, 9)), 0.0),  # too long
        (SQUARE, "exp(exp(exp(exp(x))))", 0.0),
        (SQUARE, "x**x**x**x", 0.0),
        (LINE, "1", 1.0),
        (LINE, "x/x", 1.0),
        (LINE, "sin(x)**2 + cos(x)**2", 1.0),  # more than four times as long as 1, and right
        (LINE, "2", 0.0),
        (LINE, "x", 0.0),
        (POLE, "1/(x + 1)", 1.0),
        (POLE, "(x + 1)**(-1)", 1.0),
        (POLE, "(x - 1)/(x**2 - 1)", 1.0),
        (POLE, "1/x + 1", 0.0),
        (WAVE, "-sin(x)*E**cos(x)", 1.0),
        (WAVE, "sin(x)*exp(cos(x))", 0.0),
        (POWER, "x**x + x**x*log(x)", 1.0),
        (POWER, "x*x**(x - 1)", 0.0),
        (POWER, "exp(x*log(x))*(1 + log(x))", 1.0),
        (TINY, "0", 0.0),  # 1e-5 is not small for this problem
        (SQUARE, "", -1.0),
        (SQUARE, "hello world", -1.0),
        (SQUARE, "4 x", -1.0),
        (SQUARE, "4x", -1.0),
        (SQUARE, "4*y", -1.0),
        (SQUARE, "F'(x) = 4*x", -1.0),
        (SQUARE, "diff(2*x**2, x)", -1.0),
        (SQUARE, "Derivative(2*x**2 + 2, x)", -1.0),
        (SQUARE, "4*x + 1/0", -1.0),
        (SQUARE, "[4*x]", -1.0),
        (SQUARE, "9**9**9**9", -1.0),
        (SQUARE, "__import__('os').getcwd()", -1.0),
        (SQUARE, "(" * 5000 + "x" + ")" * 5000, -1.0),
        (SQUARE, "4*x" + " " * 10_000 + "+ 0", -1.0),
    ],
)
def test_rewards(problem, answer, expected):
    assert reward(problem, answer) == expected


def test_published_records_load():
    record = {
        "node_num": 7,
        "function": "-3*x*(cos(x)**(1/4) + 2)",
        "reference_answer": "3*x*sin(x)/(4*cos(x)**(3/4)) - 3*cos(x)**(1/4) - 6",
    }
    loaded = Differentiate.from_parameters(record)
    assert loaded.parameters() == record
    assert reward(loaded, loaded.reference()) == 1.0
    with pytest.raises(UserError, match="reference_answer"):
        Differentiate.from_parameters(record | {"reference_answer": "diff(x)"})


def test_reference_is_the_slope_of_the_function():
    compared = 0
    for seed in range(100):
        problem = Differentiate.generate(difficulty=seed % 10, seed=seed)
        assert reward(problem, problem.reference()) == 1.0
        F, f = python_function(problem.function), python_function(problem.reference_answer)
        rng = Random(seed)
        for x in (rng.uniform(-2, 2) for _ in range(10)):
            slope, value = central_difference(F, x), f(x)
            if slope is not None and value is not None:
                compared += 1
                assert value == pytest.approx(slope, rel=1e-3, abs=1e-3)
    assert compared > 500


@pytest.mark.parametrize("d", [0, 1])
def test_no_answer_dominates(d):
    references = [Differentiate.generate(difficulty=d, seed=seed).reference() for seed in range(60)]
    assert all("x" in reference.replace("exp", "") for reference in references)
    assert max(map(references.count, references)) <= 20


MATH = {name: getattr(math, name) for name in ("sin", "cos", "exp", "log", "sqrt", "pi")}


def python_function(expression):
    """What Python makes of an expression of ours; None where it has no real value."""
    code = compile(expression, "expression", "eval")

    def function(x):
        try:
            value = eval(code, {"__builtins__": {}}, MATH | {"E": math.e, "x": x})
        except (ArithmeticError, ValueError, TypeError):
            return None
        return value if isinstance(value, (int, float)) and math.isfinite(value) else None

    return function


def central_difference(function, x):
    """The slope at x, or None where it has not settled."""
    slopes = []
    for h in (1e-5, 2e-5):
        before, after = function(x - h), function(x + h)
        if before is None or after is None:
            return None
        slopes.append((after - before) / (2 * h))
    settled = abs(slopes[0] - slopes[1]) <= 1e-4 * (1 + abs(slopes[0]))
    return slopes[0] if settled else None
