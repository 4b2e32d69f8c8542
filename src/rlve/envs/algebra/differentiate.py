from functools import lru_cache
from random import Random
from re import fullmatch
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.expressions.build import ONE, subtract
from rlve.algorithms.expressions.equality import equal, values_confirm
from rlve.algorithms.expressions.nodes import Expression, Function, Power, Product, Sum, Variable
from rlve.algorithms.expressions.parser import Written, parse, parse_written
from rlve.algorithms.expressions.printer import text
from rlve.answers import MAX_CHARS
from rlve.errors import Unparseable, UserError
from rlve.rewards import WRONG, exact
from rlve.sampling.expressions import random_function
from rlve.sampling.rejection import prefer
from rlve.work import Work


class Differentiate(Environment[Written]):
    """Find the derivative of an expression in x.

    Answers are read by our own grammar and judged in real arithmetic. An answer is right if it has
    the same form as the reference once simplified. It is also right if it agrees with it at 256 or
    more of 1024 points of [-2, 2], disagrees nowhere there by more than rounding and 1e-5 (or 1e-5
    times its median size, if that is smaller), and agrees with it far away wherever both are
    defined. 320 digits at six of the points expose (F(x + h) - F(x - h))/(2*h), which passes these
    tests for any F, and rounded numbers; what cannot be computed there is not equal. An expression
    that is defined nowhere, such as 1/0 or log(0), is unparseable. As written, an answer may have
    up to four times as many operations as the reference, or 40 if that is more. Functions whose
    derivative is a number, more than half of all draws at d = 0, are redrawn. Those whose
    derivative is 2*x, a third of the others at d = 1, are redrawn once.
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
        return exact(equal(answer.expression, stored(self.reference_answer)))

    def work(self) -> Work[str | None]:
        yield "From the inside out, by the rules for sums, products, powers and chains:"
        slope = yield from differentiate(stored(self.function), {})
        return slope if parse_written(slope, most=self.limit).expression is not None else None


def differentiate(node: Expression, known: dict[Expression, str]) -> Work[str]:
    """The derivative of an expression with x in it, not simplified."""
    if isinstance(node, Variable):
        return "1"
    if node in known:
        return known[node]
    inner: dict[Expression, str] = {}
    for child in node.children:
        if child.has_variable:
            inner[child] = yield from differentiate(child, known)
    known[node] = derivative_of(node, inner)
    less = ""
    if isinstance(node, Power) and node.exponent.operations:
        less = f"{text(node.exponent)} - 1 = {text(subtract(node.exponent, ONE))}, so "
    yield f"{less}({text(node)})' = {known[node]}"
    return known[node]


def derivative_of(node: Expression, inner: dict[Expression, str]) -> str:
    """The rule for the node, given the derivatives of its parts."""
    match node:
        case Sum(terms):
            parts = [inner[term] for term in terms if term in inner]
            return " + ".join(f"({part})" if part.startswith("-") else part for part in parts)
        case Product(factors):
            parts = [
                times(*(inner[f] if i == j else text(f) for j, f in enumerate(factors)))
                for i, f in enumerate(factors)
                if f in inner
            ]
            return " + ".join(parts)
        case Power(base, exponent) if not exponent.has_variable:
            less = text(subtract(exponent, ONE))
            power = text(base) if less == "1" else f"{factor(text(base))}**{factor(less)}"
            return times(text(exponent), power, inner[base])
        case Power(base, exponent):
            rate = times(inner[exponent], f"log({text(base)})")
            if base in inner:
                rate += f" + {factor(times(text(exponent), inner[base]))}/{factor(text(base))}"
            return times(text(node), rate)
        case Function(name, argument):
            u = text(argument)
            outer = {"exp": f"exp({u})", "log": f"1/{factor(u)}", "sin": f"cos({u})"}
            return times(outer.get(name, f"-sin({u})"), inner[argument])
        case _:
            raise ValueError(f"no rule for {text(node)}")


def times(*factors: str) -> str:
    """A product, without factors 1."""
    others = [f for f in factors if f != "1"]
    return "*".join(map(factor, others)) if len(others) > 1 else "".join(others) or "1"


def factor(expression: str) -> str:
    """An expression as a factor: in parentheses, unless it is a number, x or a function of it."""
    return expression if fullmatch(r"\w+(\(\w*\))?", expression) else f"({expression})"


def is_fit(F: Expression, f: Expression) -> bool:
    """Whether there is something to differentiate, and values can identify right answers."""
    return F.has_variable and values_confirm(F, f, f)


@lru_cache(maxsize=256)
def stored(expression: str) -> Expression:
    """An expression of the record; it can be longer than an answer."""
    return parse(expression, max_chars=MAX_CHARS)
