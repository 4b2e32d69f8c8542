import re
from random import Random

import pytest

from rlve.algorithms.expressions.calculus import derivative
from rlve.algorithms.expressions.parser import parse, parse_written
from rlve.algorithms.expressions.printer import text
from rlve.envs.algebra.differentiate import Differentiate
from rlve.errors import UserError
from support.slopes import compare


def problem(function, reference_answer):
    return Differentiate(node_num=5, function=function, reference_answer=reference_answer)


SQUARE = problem("2*x**2 + 2", "4*x")
LINE = problem("x - 1", "1")
POLE = problem("log(x + 1)", "1/(x + 1)")
WAVE = problem("exp(cos(x))", "-exp(cos(x))*sin(x)")
POWER = problem("x**x", "x**x*(log(x) + 1)")
ZERO = "sin(x)**2 + cos(x)**2 - 1"
TINY = problem("x**2/10**8", "x/(5*10**7)")
SCHEDULE = {0: {"node_num": 2}, 1: {"node_num": 3}, 20: {"node_num": 22}}
REWARDS = [
    (
        SQUARE,
        {
            1.0: [
                "4*x",
                "2*2*x^1",
                "4*x*(sin(x)**2 + cos(x)**2)",
                "((x + 1)**2 - (x - 1)**2)",
                f"4*x + {ZERO}",
                "(2*(x + 1/1000)**2 - 2*(x - 1/1000)**2)*500",  # exact for a parabola
            ],
            0.0: [
                "4*x + 1",
                "4*Abs(x)",
                "4*x + x**2/10**4",
                "0",
                "4*x + sqrt(-1 - x**2)",  # nowhere defined
                "+".join(["sin(x)**2"] * 30),
                "4*x" + "".join(f"+ ({ZERO})/x**{k}" for k in range(1, 9)),  # too long
                "4*x" + "+ 0*log(x, 2)" * 30,
                "exp(exp(exp(exp(x))))",
                "x**x**x**x",
                "4.0000001*x",  # a rounded number
            ],
            -1.0: [
                "4*x" + "+ 0*f(x)" * 30,  # too long, and no expression
                "4*x" + "+ 0*sin(x, 2)" * 30,
                "4*x" + "+ 0*(x" * 30,
                "",
                "hello world",
                "4 x",
                "4x",
                "4*y",
                "F'(x) = 4*x",
                "diff(2*x**2, x)",
                "Derivative(2*x**2 + 2, x)",
                "4*x + 1/0",
                "[4*x]",
                "9**9**9**9",
                "__import__('os').getcwd()",
                "(" * 5000 + "x" + ")" * 5000,
                "4*x" + " " * 10_000 + "+ 0",
            ],
        },
    ),
    (
        LINE,
        {
            1.0: [
                "1",
                "x/x",
                "sin(x)**2 + cos(x)**2",  # more than four times as long as 1, and right
            ],
            0.0: ["2", "x"],
        },
    ),
    (POLE, {1.0: ["1/(x + 1)", "(x + 1)**(-1)", "(x - 1)/(x**2 - 1)"], 0.0: ["1/x + 1"]}),
    (
        WAVE,
        {
            1.0: ["-sin(x)*E**cos(x)", "-2*sin(x/2)*cos(x/2)*exp(cos(x))"],
            0.0: ["sin(x)*exp(cos(x))"],
        },
    ),
    (POWER, {1.0: ["x**x + x**x*log(x)", "exp(x*log(x))*(1 + log(x))"], 0.0: ["x*x**(x - 1)"]}),
    (
        TINY,
        {
            0.0: ["0"]  # 1e-5 is not small for this problem
        },
    ),
]


def reward(problem, answer):
    return problem.verify(f"<answer>{answer}</answer>").reward


@pytest.mark.parametrize(
    ("function", "slope"),
    [
        ("exp(x)", "cosh(x) + sinh(x)"),
        ("log(x + 3)", "(x - 3)/(x**2 - 9)"),
        ("sin(x)", "2*cos(x/2)**2 - 1"),
        ("cos(x)", "-2*sin(x/2)*cos(x/2)"),
        ("tan(x/2)", "1/(2*cos(x/2)**2)"),
        ("asin(x/3)", "1/sqrt(9 - x**2)"),
        ("acos(x/3)", "-1/(3*sqrt(1 - x**2/9))"),
        ("atan(x)", "cos(atan(x))**2"),
        ("sinh(x)", "(exp(x) + exp(-x))/2"),
        ("cosh(x)", "(exp(x) - exp(-x))/2"),
        ("tanh(x)", "1/cosh(x)**2"),
        ("asinh(x)", "1/cosh(asinh(x))"),
        ("acosh(x + 4)", "1/sinh(acosh(x + 4))"),
        ("atanh(x/3)", "3/(9 - x**2)"),
        ("sqrt(x + 3)", "exp(-log(x + 3)/2)/2"),
        ("(x + 3)**x", "(x + 3)**x*(log(x + 3) + x/(x + 3))"),
        ("x**3", "3*pi*x**2/(4*atan(1))"),
    ],
)
@pytest.mark.parametrize("h", ["/10**3", "/10**7"])
def test_a_difference_quotient_is_no_derivative(function, slope, h):
    task = problem(function, text(derivative(parse(function))))
    assert reward(task, slope) == 1.0
    after, before = (re.sub(r"\bx\b", f"(x {sign} 1{h})", function) for sign in "+-")
    assert reward(task, f"({after} - {before})/(2{h})") == 0.0
    far_after, far_before = (re.sub(r"\bx\b", f"(x {sign} 2{h})", function) for sign in "+-")
    five_points = f"(8*{after} - 8*{before} - {far_after} + {far_before})/(12{h})"
    assert reward(task, five_points) == (function == "x**3")  # of which it is the derivative


def test_eight_values_of_the_function_are_no_derivative():
    terms = "".join(
        f"{weight}*(cos(x + {k}/1000000000) - cos(x - {k}/1000000000))"
        for k, weight in enumerate(("4/5", "-1/5", "+4/105", "-1/280"), 1)
    )
    answer = f"({terms})*1000000000"
    assert parse_written(answer, most=40).expression is not None
    assert reward(problem("cos(x)", "-sin(x)"), answer) == 0.0


@pytest.mark.parametrize(
    "term", ["sin(10**16*x)/10**20", "tanh(10**7*x)/10**20", "sqrt(x**2 - 3*x + 2)/10**9"]
)
def test_a_term_that_is_hard_to_compute_hides_no_difference(term):
    task = problem("cos(x)", "-sin(x)")
    quotient = "(cos(x + 1/100000) - cos(x - 1/100000))*50000"
    assert reward(task, f"{quotient} + {term}") == 0.0
    assert reward(task, f"-sin(x) + {term}") == 0.0


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
        rng = Random(seed)
        compared += compare(problem.function, problem.reference_answer, rng, points=10)
    assert compared > 500
