from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlve.envs.algebra.integral import Integral
from rlve.errors import UserError
from support.slopes import compare


def problem(reference_answer, f_prime):
    return Integral(node_num=5, reference_answer=reference_answer, f_prime=f_prime)


SQUARE = problem("2*x**2 + 2", "4*x")  # of 3 operations: answers can have 12
POLE = problem("log(x + 1)", "1/(x + 1)")  # 2 operations: 8
FAR_POLE = problem("log(x - 5)", "1/(x - 5)")
ROOT = problem("sqrt(x) + x", "1 + 1/(2*sqrt(x))")
WAVE = problem("sin(x)*exp(cos(x))", "exp(cos(x))*cos(x) - exp(cos(x))*sin(x)**2")  # 4: 16
TINY = problem("x**2/10**8", "x/(5*10**7)")
SCHEDULE = {0: {"node_num": 2}, 1: {"node_num": 3}, 20: {"node_num": 22}}
REWARDS = [
    (
        SQUARE,
        {
            1.0: [
                "2*x**2 + 2",
                "2*x^2",
                "2 + 2*x**2 - pi*E**2",
                "(2*x)*(x + 0.5) - x + 10**1233",
                "2*(x - 1)*(x + 1)",
                "2*x**2 + Abs(x)/x",  # a jump at one point
                "2*x**2 + sin(x)**2 + cos(x)**2",
            ],
            0.0: [
                "-2*x**2",
                "2*x*Abs(x)",
                "0",
                "x",
                "2*x**2 + x/1000",
                "2*x**2 + x/10**9",  # the derivatives differ by a number
                "2.000001*x**2",  # a rounded number
                "2*x**2 + log(-1)",  # has no real value
                "2*x**2 + exp(-(x - 50)**2)",  # right on [-2, 2]
                "2*x**2 + exp(-(x - 777)**2)",
                "+" * 12 + "2*x**2",  # too many signs
                "2*x**2 + sqrt(-1 - x**2)",  # nowhere defined
                "2*x**2 + sin(x)**2 + cos(x)**2 + sin(2*x)**2 + cos(2*x)**2",  # too long
                "4*x*atan(tan(10**9*x))/10**9",  # its derivative is 4*x + 10**-9*(...)
                "4*x*sin(1023*pi*(x + 2)/2)/(1023*pi/2)",  # made for a grid of points
                "exp(exp(exp(exp(x))))",
                "x**x**x**x",
            ],
            -1.0: [
                "",
                "hello world",
                "1 2",
                "2*x**2 2 +",
                "2x**2",
                "2*x**2 + C",
                "F(x) = 2*x**2",
                "y",
                "Integral(4*x, x)",
                "integrate(4*x, x)",
                "2*x**2 + 1/0",
                "2*x**2 + log(0)",
                "9**9**9**9",
                "__import__('os').getcwd()",
                "(" * 5000 + "x" + ")" * 5000,
                "2*x**2" + " " * 10_000 + "+ 1",
            ],
        },
    ),
    (
        POLE,
        {
            1.0: [
                "log(x + 1)",
                "log(Abs(x + 1))",
                "ln(2*x + 2)",
                "log((x + 1)**2)/2",
                "log(x + 1, E)",
            ],
            0.0: [
                "log(x)",
                "log(-(x + 1)**2)/2",  # has no real value
                "log(x + 1, 10)",
            ],
        },
    ),
    (
        FAR_POLE,
        {
            1.0: [
                "log(x - 5)",  # has no real value on [-2, 2], but its derivative has
                "log(5 - x)",
                "log(Abs(x - 5))",
            ]
        },
    ),
    (
        ROOT,
        {
            1.0: [
                "x + x**(1/2)",
                "x + x**0.5",
                "x + sqrt(Abs(x))",  # where the derivative of sqrt(x) is defined
            ],
            0.0: ["x - sqrt(x)"],
        },
    ),
    (
        WAVE,
        {
            1.0: ["exp(cos(x))*sin(x)", "exp(cos(x))*cos(x - pi/2)"],
            0.0: [
                "sqrt(1 - cos(x)**2)*exp(cos(x))",  # wrong for negative x
                "exp(cos(x))*cos(x - 1.5708)",  # off by less than 1e-5, but off
                "exp(cos(x))*cos(x - 1.571)",
            ],
        },
    ),
    (
        TINY,
        {
            0.0: [
                "0",  # 1e-5 is not small for this problem
                "x**2/100000001",
            ]
        },
    ),
]


def reward(problem, answer):
    return problem.verify(f"<answer>{answer}</answer>").reward


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
        rng = Random(seed)
        compared += compare(problem.reference_answer, problem.f_prime, rng, points=12)
    assert compared > 600


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
