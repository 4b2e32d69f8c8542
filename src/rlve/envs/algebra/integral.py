from functools import lru_cache
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.expressions.build import without_constant
from rlve.algorithms.expressions.equality import (
    differ_by_constant,
    is_antiderivative,
    is_defined,
    values_confirm,
)
from rlve.algorithms.expressions.nodes import Expression
from rlve.algorithms.expressions.parser import CONSTANTS, Written, parse, parse_written
from rlve.algorithms.expressions.printer import text
from rlve.answers import MAX_CHARS
from rlve.errors import Unparseable, UserError
from rlve.rewards import WRONG, exact
from rlve.sampling.expressions import random_function
from rlve.sampling.rejection import prefer


class Integral(Environment[Written]):
    """Find an antiderivative of an expression in x.

    Answers are read by our own grammar and judged in real arithmetic. log(u) and log(Abs(u)) are
    both right, as their derivatives are the same; log(-x**2), which has no real value, is not. An
    answer is right if it differs from the reference by a constant, or if it is defined somewhere
    and has the derivative f_prime, by the rules of calculus or by its values: at 256 or more of
    1024 points of [-2, 2], far away wherever both are defined, and to many digits. An
    antiderivative can jump at single points, as Abs(x)/x does; f*atan(tan(10**9*x))/10**9, which
    jumps everywhere and whose derivative is nearly f, is exposed by its values. An expression that
    is defined nowhere, such as 1/0 or log(0), is unparseable. 2*x, a third of all draws at d = 1,
    is redrawn once.
    """

    node_num: int  # nodes of the tree that F is built from
    reference_answer: str  # F
    f_prime: str  # F'

    max_difficulty = 50  # at 60, generating a problem takes too long
    unique_up_to = None  # several answers can be right

    template = """
        The derivative of a function F of a real variable x is

        F'(x) = {f_prime}

        Find F(x): any expression in x whose derivative is the one above for all real x where both
        are defined. F(x) itself must be defined for some of these x. Additive constants do not
        matter; leave them out, and do not write C.

        Write F(x) in SymPy syntax: numbers, x, pi, E, the operators + - * / and ** (or ^),
        parentheses, and the functions sqrt, exp, log or ln (the natural logarithm), log(u, b) (to
        the base b), sin, cos, tan, sec, csc, cot, asin, acos, atan, sinh, cosh, tanh, asinh, acosh,
        atanh and Abs or abs. Write every multiplication sign, and no unevaluated integral. Use at
        most {limit} operations (signs, operators and functions).

        Output format: one expression and nothing else, such as x*exp(3*x)/2 - log(Abs(x)).
        """

    def __post_init__(self) -> None:
        """Refuse to load a record that could not be judged."""
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

    def parse(self, text: str) -> Written:
        return parse_written(text, most=self.limit)

    def score(self, answer: Written) -> float:
        F = answer.expression
        if F is None:  # too many operations
            return WRONG
        f, reference = stored(self.f_prime), stored(self.reference_answer)
        if differ_by_constant(F, reference):
            return exact(is_defined(F, f) or not is_defined(reference, f))
        return exact(is_defined(F, f) and is_antiderivative(F, f))

    def reference(self) -> str:
        """F without additive constants, which can be imaginary in published records."""
        return text(without_constant(stored(self.reference_answer)))


def is_fit(F: Expression, f: Expression) -> bool:
    """Whether there is something to integrate, and values can identify right answers."""
    return f.has_variable and values_confirm(F, f, f)


@lru_cache(maxsize=256)
def stored(expression: str) -> Expression:
    """An expression of the record; published ones can have imaginary constants."""
    return parse(expression, constants=CONSTANTS | {"I"}, max_chars=MAX_CHARS)
