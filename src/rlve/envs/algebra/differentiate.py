from functools import lru_cache
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.expressions import (
    Expression,
    Written,
    differ,
    equal,
    parse,
    parse_written,
    text,
    values_confirm,
)
from rlve.answers import MAX_CHARS
from rlve.errors import Unparseable, UserError
from rlve.rewards import WRONG, exact
from rlve.sampling.expressions import random_function
from rlve.sampling.rejection import prefer


class Differentiate(Environment[Written]):
    """Find the derivative of an expression in x.

    Answers are read by our own grammar and judged in real arithmetic. An answer is right if it has
    the same form as the reference once simplified. It is also right if it agrees with it at 256 or
    more of 1024 points of [-2, 2], disagrees nowhere there by more than rounding and 1e-5 (or 1e-5
    times its median size, if that is smaller), and agrees with it far away wherever both are
    defined. More digits expose (F(x + h) - F(x - h))/(2*h), which passes these tests for any F, and
    rounded numbers. An expression that is defined nowhere, such as 1/0 or log(0), is unparseable.
    As written, an answer may have up to four times as many operations as the reference, or 40 if
    that is more. Functions whose derivative is a number, more than half of all draws at d = 0, are
    redrawn. Those whose derivative is 2*x, a third of the others at d = 1, are redrawn once.
    """

    node_num: int  # nodes of the tree that the function is built from
    function: str
    reference_answer: str  # its derivative

    max_difficulty = 50  # at 67, generating a problem takes too long
    unique_up_to = None  # several answers can be right

    template = """
        A function F of a real variable x is given in SymPy syntax, where ** is the power and log is
        the natural logarithm:

        F(x) = {function}

        Find its derivative F'(x): any expression in x that has the same value as the derivative
        for all real x where both are defined, and there must be such x. It need not be simplified.

        Write F'(x) in SymPy syntax: numbers, x, pi, E, the operators + - * / and ** (or ^),
        parentheses, and the functions sqrt, exp, log or ln (the natural logarithm), log(u, b) (to
        the base b), sin, cos, tan, sec, csc, cot, asin, acos, atan, sinh, cosh, tanh, asinh, acosh,
        atanh and Abs or abs. Write every multiplication sign, and no unevaluated derivative. Use at
        most {limit} operations (signs, operators and functions).

        Output format: one expression and nothing else, such as x*exp(3*x)/2 - log(Abs(x)).
        """

    def __post_init__(self) -> None:
        """Refuse to load a record that could not be judged."""
        try:
            stored(self.reference_answer)
        except Unparseable as error:
            raise UserError(f"reference_answer is not an expression in x: {error}") from None

    def prompt(self) -> str:
        return self.fill(limit=self.limit)

    @property
    def limit(self) -> int:
        """How many operations an answer can have."""
        return 4 * max(10, stored(self.reference_answer).operations)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"node_num": d + 2}]

    @classmethod
    def sample(cls, rng: Random, node_num: int) -> Self:
        def draw() -> Self:
            function, slope = prefer(
                lambda: random_function(rng, node_num, is_fit),
                until=lambda pair: pair[1].has_variable,
            )
            return cls(node_num=node_num, function=text(function), reference_answer=text(slope))

        return prefer(draw, until=lambda problem: problem.reference_answer != "2*x", tries=2)

    def parse(self, text: str) -> Written:
        return parse_written(text, most=self.limit)

    def score(self, answer: Written) -> float:
        if answer.expression is None:  # too many operations
            return WRONG
        slope = stored(self.reference_answer)
        return exact(equal(answer.expression, slope) and not differ(answer.expression, slope))


def is_fit(F: Expression, f: Expression) -> bool:
    """Whether there is something to differentiate, and values can identify right answers."""
    return F.has_variable and values_confirm(F, f, f)


@lru_cache(maxsize=256)
def stored(expression: str) -> Expression:
    """An expression of the record; it can be longer than an answer."""
    return parse(expression, max_chars=MAX_CHARS)
