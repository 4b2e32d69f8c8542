from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import prod
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.countdown import expression_for
from rlve.algorithms.expressions.parser import integers_written, rational
from rlve.errors import Unparseable
from rlve.rewards import INVALID, exact
from rlve.sampling.rejection import redraw
from rlve.text import spaced
from rlve.work import Work, is_easy

MANY = 30  # trials after which a search for an expression ends


class CountdownEqual(Environment[Fraction | None]):
    """Write an expression that uses given numbers and has a given value.

    Expressions are read by our own grammar and evaluated exactly, so a value merely close to the
    target is wrong. Powers, floor division and decimal points are unparseable. With more than six
    numbers, problems are redrawn until a search of limited length finds a solution. Text that is
    not an expression and uses other numbers is ill-formed, with the published reward of -0.5.
    """

    num_operands: int
    max_operand: int
    max_target: int
    target: int
    operands: list[int]

    max_difficulty = 90  # at 105, answers are too long to parse
    unique_up_to = None  # several answers can be right

    template = """
        Write an arithmetic expression whose value is exactly {target}. It has to use each of these
        {num_operands} numbers exactly once (a number that is given several times, exactly as many
        times), and no other numbers:

        {operands}

        Use only the operators + - * / (addition, subtraction, multiplication, division) and
        parentheses. Division is exact: 7 / 2 is 3.5. Intermediate results can be negative or
        fractions. Numbers must not be joined to longer ones. There is a solution; if there are
        several, any of them is right.

        Output format: the expression only, without an equals sign. For the numbers 9 2 7 and the
        target 49, it could be (9 - 2) * 7.
        """

    def prompt(self) -> str:
        return self.fill(operands=spaced(self.operands))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [
            {"num_operands": 3 + d, "max_operand": n, "max_target": 10 * n}
            for n in (8, 16, 24, 32, 40, 48)
        ]

    @classmethod
    def sample(cls, rng: Random, num_operands: int, max_operand: int, max_target: int) -> Self:
        def draw() -> Self:
            return cls(
                num_operands=num_operands,
                max_operand=max_operand,
                max_target=max_target,
                target=rng.randint(0, max_target),
                operands=[rng.randint(1, max_operand) for _ in range(num_operands)],
            )

        return redraw(draw, lambda p: expression_for(p.operands, p.target, whole=True) is not None)

    def parse(self, text: str) -> Fraction | None:
        """The value of the expression, or None if it does not use the given numbers."""
        uses_the_numbers = sorted(integers_written(text)) == sorted(self.operands)
        try:
            value = rational(text)
        except Unparseable as error:
            raise Unparseable(str(error), reward=-1.0 if uses_the_numbers else INVALID) from None
        return value if uses_the_numbers else None

    def score(self, answer: Fraction | None) -> float:
        return INVALID if answer is None else exact(answer == self.target)

    def reference(self) -> str | None:
        return expression_for(self.operands, self.target, whole=True) or expression_for(
            self.operands, self.target
        )

    def work(self) -> Work[str | None]:
        found = yield from make_number(self.target, self.operands)
        if found:
            yield f"So {found} = {self.target}"
        return found


def make_number(target: int, numbers: Sequence[int]) -> Work[str | None]:
    """An expression for a number that uses each given one once, with integers >= 0 on the way.

    It is built from the end: a number and an operator come last, and say what the others have to
    make. The result is None if none is found within MANY trials.
    """
    yield f"Let the last step make {target} of one number and an x that the others have to make."
    yield "Try the numbers from the largest, and skip an x above the product of the others (a 1"
    yield "counts as 2). Then make x in the same way."
    yield "Keep to easy steps: no negative numbers, no fractions and no hard products."
    trials = 0

    def make(wanted: int, left: Sequence[int], way: str) -> Work[str | None]:
        nonlocal trials
        if len(left) == 2:
            trials += 1
            steps = list(pair_values(*left))
            found = next((pair for pair, value in steps if value == wanted), None)
            values = ", ".join(f"{pair} = {value}" for pair, value in steps)
            yield f"{way}{': ' if way else ''}{values}: {'no' if found is None else 'yes'}"
            return found
        if way:
            yield way
        before = trials
        for number in dict.fromkeys(left):
            others = list(left)
            others.remove(number)
            for last, step, x in last_steps(wanted, number):
                if trials < MANY and x <= prod(max(2, n) for n in others):
                    way = f"{wanted} = {last}, x = {step} = {x} of {spaced(others)}"
                    found = yield from make(x, others, way)
                    if found is not None:
                        return last.replace("x", f"({found})")
        if way and trials == before:
            yield "There every x is too large"
        return None

    return (yield from make(target, sorted(numbers, reverse=True), ""))


def last_steps(wanted: int, number: int) -> Iterator[tuple[str, str, int]]:
    """Ways to get what is wanted from a number and x: how, and how x comes out."""
    if number > 1 and wanted % number == 0 and is_easy("/", wanted, number):
        yield f"{number} * x", f"{wanted} / {number}", wanted // number
    if number <= wanted:
        yield f"{number} + x", f"{wanted} - {number}", wanted - number
    else:
        yield f"{number} - x", f"{number} - {wanted}", number - wanted
    yield f"x - {number}", f"{wanted} + {number}", wanted + number
    if number > 1 and is_easy("*", wanted, number):
        yield f"x / {number}", f"{wanted} * {number}", wanted * number
    if wanted and number % wanted == 0:
        yield f"{number} / x", f"{number} / {wanted}", number // wanted


def pair_values(a: int, b: int) -> Iterator[tuple[str, int]]:
    """The integers that two numbers make, the larger of which comes first."""
    yield f"{a} + {b}", a + b
    yield f"{a} - {b}", a - b
    if is_easy("*", a, b):
        yield f"{a} * {b}", a * b
    if a % b == 0:
        yield f"{a} / {b}", a // b
