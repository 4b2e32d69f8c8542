import math
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlve.envs.algebra.integral import Integral
from rlve.errors import UserError


def problem(reference_answer, f_prime):
    return Integral(node_num=5, reference_answer=reference_answer, f_prime=f_prime)


SQUARE = problem("2*x**2 + 2", "4*x")  # of 3 operations: answers can have 12
POLE = problem("log(x + 1)", "1/(x + 1)")  # 2 operations: 8
FAR_POLE = problem("log(x - 5)", "1/(x - 5)")
ROOT = problem("sqrt(x) + x", "1 + 1/(2*sqrt(x))")
WAVE = problem("sin(x)*exp(cos(x))", "exp(cos(x))*cos(x) - exp(cos(x))*sin(x)**2")  # 4: 16
TINY = problem("x**2/10**8", "x/(5*10**7)")


def reward(problem, answer):
    return problem.verify(f"<answer>{answer}</answer>").reward


def test_schedule():
    assert [Integral.level(d) for d in (0, 1, 20)] == [
        [{"node_num": 2}],
        [{"node_num": 3}],
        [{"node_num": 22}],
    ]


@pytest.mark.parametrize(
    ("problem", "answer", "expected"),
    [
        (SQUARE, "2*x**2 + 2", 1.0),
        (SQUARE, "2*x^2", 1.0),
        (SQUARE, "2 + 2*x**2 - pi*E**2", 1.0),
        (SQUARE, "(2*x)*(x + 0.5) - x + 10**1233", 1.0),
        (SQUARE, "2*(x - 1)*(x + 1)", 1.0),
        (SQUARE, "2*x**2 + Abs(x)/x", 1.0),  # a jump at one point
        (SQUARE, "-2*x**2", 0.0),
        (SQUARE, "2*x*Abs(x)", 0.0),
        (SQUARE, "0", 0.0),
        (SQUARE, "x", 0.0),
        (SQUARE, "2*x**2 + x/1000", 0.0),
        (SQUARE, "2*x**2 + x/10**9", 0.0),  # the derivatives differ by a number
        (SQUARE, "2.000001*x**2", 0.0),  # a rounded number
        (SQUARE, "2*x**2 + log(-1)", 0.0),  # has no real value
        (SQUARE, "2*x**2 + exp(-(x - 50)**2)", 0.0),  # right on [-2, 2]
        (SQUARE, "2*x**2 + exp(-(x - 777)**2)", 0.0),
        (SQUARE, "+" * 12 + "2*x**2", 0.0),  # too many signs
        (SQUARE, "2*x**2 + sqrt(-1 - x**2)", 0.0),  # nowhere defined
        (SQUARE, "2*x**2 + sin(x)**2 + cos(x)**2", 1.0),
        (SQUARE, "2*x**2 + sin(x)**2 + cos(x)**2 + sin(2*x)**2 + cos(2*x)**2", 0.0),  # too long
        (SQUARE, "4*x*atan(tan(10**9*x))/10**9", 0.0),  # its derivative is 4*x + 10**-9*(...)
        (SQUARE, "4*x*sin(1023*pi*(x + 2)/2)/(1023*pi/2)", 0.0),  # made for a grid of points
        (SQUARE, "exp(exp(exp(exp(x))))", 0.0),
        (SQUARE, "x**x**x**x", 0.0),
        (POLE, "log(x + 1)", 1.0),
        (POLE, "log(Abs(x + 1))", 1.0),
        (POLE, "ln(2*x + 2)", 1.0),
        (POLE, "log((x + 1)**2)/2", 1.0),
        (POLE, "log(x)", 0.0),
        (POLE, "log(-(x + 1)**2)/2", 0.0),  # has no real value
        (POLE, "log(x + 1, E)", 1.0),
        (POLE, "log(x + 1, 10)", 0.0),
        (FAR_POLE, "log(x - 5)", 1.0),  # has no real value on [-2, 2], but its derivative has
        (FAR_POLE, "log(5 - x)", 1.0),
        (FAR_POLE, "log(Abs(x - 5))", 1.0),
        (ROOT, "x + x**(1/2)", 1.0),
        (ROOT, "x + x**0.5", 1.0),
        (ROOT, "x + sqrt(Abs(x))", 1.0),  # where the derivative of sqrt(x) is defined
        (ROOT, "x - sqrt(x)", 0.0),
        (WAVE, "exp(cos(x))*sin(x)", 1.0),
        (WAVE, "sqrt(1 - cos(x)**2)*exp(cos(x))", 0.0),  # wrong for negative x
        (WAVE, "exp(cos(x))*cos(x - pi/2)", 1.0),
        (WAVE, "exp(cos(x))*cos(x - 1.5708)", 0.0),  # off by less than 1e-5, but off
        (WAVE, "exp(cos(x))*cos(x - 1.571)", 0.0),
        (TINY, "0", 0.0),  # 1e-5 is not small for this problem
        (TINY, "x**2/100000001", 0.0),
        (SQUARE, "", -1.0),
        (SQUARE, "hello world", -1.0),
        (SQUARE, "1 2", -1.0),
        (SQUARE, "2*x**2 2 +", -1.0),
        (SQUARE, "2x**2", -1.0),
        (SQUARE, "2*x**2 + C", -1.0),
        (SQUARE, "F(x) = 2*x**2", -1.0),
        (SQUARE, "y", -1.0),
        (SQUARE, "Integral(4*x, x)", -1.0),
        (SQUARE, "integrate(4*x, x)", -1.0),
        (SQUARE, "2*x**2 + 1/0", -1.0),
        (SQUARE, "2*x**2 + log(0)", -1.0),
        (SQUARE, "9**9**9**9", -1.0),
        (SQUARE, "__import__('os').getcwd()", -1.0),
        (SQUARE, "(" * 5000 + "x" + ")" * 5000, -1.0),
        (SQUARE, "2*x**2" + " " * 10_000 + "+ 1", -1.0),
    ],
)
def test_rewards(problem, answer, expected):
    assert reward(problem, answer) == expected


def test_published_records_load():
    record = {
        "node_num": 7,
        "reference_answer": "-3*x*(cos(x)**(1/4) + 2)",
        "f_prime": "3*x*sin(x)/(4*cos(x)**(3/4)) - 3*cos(x)**(1/4) - 6",
    }
    loaded = Integral.from_parameters(record)
    assert loaded.parameters() == record
    assert reward(loaded, "-3*x*cos(x)**(1/4) - 6*x") == 1.0
    constant = {"reference_answer": "x**2 + log(2) + I*pi", "f_prime": "2*x"}
    assert Integral.from_parameters(record | constant).reference() == "x**2"
    with pytest.raises(UserError, match="f_prime"):
        Integral.from_parameters(record | {"f_prime": "diff(x)"})


def test_f_prime_is_the_slope_of_the_reference():
    compared = 0
    for seed in range(100):
        problem = Integral.generate(difficulty=seed % 10, seed=seed)
        assert reward(problem, problem.reference()) == 1.0
        assert "x" in problem.f_prime.replace("exp", "")
        F, f = python_function(problem.reference_answer), python_function(problem.f_prime)
        rng = Random(seed)
        for x in (rng.uniform(-2, 2) for _ in range(12)):
            slope, value = central_difference(F, x), f(x)
            if slope is not None and value is not None:
                compared += 1
                assert value == pytest.approx(slope, rel=1e-3, abs=1e-3)
    assert compared > 600


def test_no_answer_dominates():
    answers = [Integral.generate(difficulty=1, seed=seed).f_prime for seed in range(100)]
    assert max(answers.count(answer) for answer in answers) < 30


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            "x 1 0 9 2.5 1e9 pi E + - * / ** ^ ( ) , sin( log( Abs( sqrt( acosh(".split()
        )
    ).map(" ".join)
    | st.text(max_size=30)
)
def test_no_answer_raises(answer):
    assert reward(WAVE, answer) in (-1.0, 0.0, 1.0)


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
