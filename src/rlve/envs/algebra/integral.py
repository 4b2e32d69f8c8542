from functools import lru_cache
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.expressions import (
    CONSTANTS,
    Expression,
    differ_by_constant,
    is_antiderivative,
    parse,
    text,
    values_confirm,
    without_constant,
)
from rlve.answers import MAX_CHARS
from rlve.errors import Unparseable, UserError
from rlve.rewards import RIGHT, WRONG, exact
from rlve.sampling.expressions import random_function
from rlve.sampling.rejection import prefer


class Integral(Environment[Expression]):
    """Find an antiderivative of an expression in x.

    Answers are read by our own grammar and judged in real arithmetic on [-2, 2]; log(u) and
    log(Abs(u)) are both right, since their derivatives are the same.
    Right is what differs from the reference by a constant, or has the derivative f_prime by the
    rules of calculus, or agrees with f_prime at 256 or more of 1024 points, and nowhere disagrees
    by more than 1e-5, or 1e-5 times the median of abs(f_prime) if that is smaller, and rounding.
    An antiderivative can jump at single points, as Abs(x)/x does; f*atan(tan(10**9*x))/10**9, which
    jumps everywhere and has nearly the derivative f, is found out by its values.
    The grammar also has ^ for **, ln, log(u, b), abs, sec, csc and cot, as SymPy does.
    What is nowhere defined, such as 1/0 or log(0), is unparseable.
    2*x, which is a third of all draws at d = 1, is drawn again once.
    """

    node_num: int  # nodes of the tree that F is built from
    reference_answer: str  # F
    f_prime: str  # F'

    max_difficulty = 50  # at 60 generating a problem takes long
    unique_up_to = None  # several answers can be right

    template = """
        The derivative of a function F of a real variable x is

        F'(x) = {f_prime}

        Find F(x): any expression in x whose derivative is the one above for all real x where both
        are defined. Additive constants do not matter; leave them out, and do not write C.

        Write F(x) in SymPy syntax: numbers, x, pi, E, the operators + - * / **, parentheses, and
        the functions sqrt, exp, log (the natural logarithm), sin, cos, tan, asin, acos, atan, sinh,
        cosh, tanh, asinh, acosh, atanh and Abs. Write every multiplication sign, and no unevaluated
        integral. Use at most {limit} operations (signs, operators and functions).

        Output format: one expression and nothing else, such as x*exp(3*x)/2 - log(Abs(x)).
        """

    def __post_init__(self) -> None:
        """A record that could not be judged is refused when it is loaded."""
        for name, expression in (
            ("reference_answer", self.reference_answer),
            ("f_prime", self.f_prime),
        ):
            try:
                stored(expression)
            except Unparseable as error:
                raise UserError(f"{name} is not an expression in x: {error}") from None

    def prompt(self) -> str:
        return self.fill(limit=self.limit)

    @property
    def limit(self) -> int:
        """How many operations an answer can have."""
        return 4 * stored(self.reference_answer).operations

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"node_num": d + 2}]

    @classmethod
    def sample(cls, rng: Random, node_num: int) -> Self:
        def draw() -> Self:
            F, f = random_function(rng, node_num, is_fit)
            return cls(node_num=node_num, reference_answer=text(F), f_prime=text(f))

        return prefer(draw, lambda problem: problem.f_prime != "2*x", tries=2)

    def parse(self, text: str) -> Expression:
        return parse(text)

    def score(self, answer: Expression) -> float:
        if answer.operations > self.limit:
            return WRONG
        if differ_by_constant(answer, stored(self.reference_answer)):
            return RIGHT
        return exact(is_antiderivative(answer, stored(self.f_prime)))

    def reference(self) -> str:
        """F without additive constants, which can be imaginary in published records."""
        return text(without_constant(stored(self.reference_answer)))


def is_fit(F: Expression, f: Expression) -> bool:
    """Whether there is something to integrate, and values can tell right answers."""
    return f.has_variable and values_confirm(F, f, f)


@lru_cache(maxsize=256)
def stored(expression: str) -> Expression:
    """An expression of the record; published ones can have imaginary constants."""
    return parse(expression, constants=CONSTANTS | {"I"}, max_chars=MAX_CHARS)
