from fractions import Fraction
from random import Random
from typing import Self

from msgspec import UNSET, UnsetType

from rlve import Environment, Level
from rlve.algorithms.countdown import COMPLETE, closest_expression, expression_for
from rlve.algorithms.expressions.parser import integers_written, rational
from rlve.errors import Unparseable
from rlve.rewards import INVALID, RIGHT, ratio
from rlve.sampling.rejection import redraw
from rlve.text import spaced

# Stored results are floats and carry rounding errors. If six numbers up to 48 miss the target, they
# miss it by more than this: the denominator is at most 48^5.
NOISE = 1e-9


class CountdownClose(Environment[Fraction | None]):
    """Write an expression that uses given numbers and comes as close as possible to a target.

    Expressions are read by our own grammar and evaluated exactly; powers, floor division and
    decimal points are unparseable. With up to six numbers, the closest value is known and passes.
    With more, only the target itself does, so problems are redrawn until a search of limited length
    reaches the target. Text that is not an expression and uses other numbers is ill-formed, with
    the published reward of -0.5.
    """

    num_operands: int
    max_operand: int
    max_target: int
    target: int
    operands: list[int]
    reference_result: float | UnsetType = UNSET  # the closest value, for at most six numbers

    max_difficulty = 90  # at 105, answers are too long to parse
    unique_up_to = None  # several answers can be right

    template = """
        Write an arithmetic expression whose value is as close as possible to {target}: the absolute
        difference between its value and {target} has to be as small as possible. It has to use
        each of these {num_operands} numbers exactly once (a number that is given several times,
        exactly as many times), and no other numbers:

        {operands}

        Use only the operators + - * / (addition, subtraction, multiplication, division) and
        parentheses. Division is exact: 7 / 2 is 3.5. Intermediate results can be negative or
        fractions. Numbers must not be joined to longer ones. If several expressions are equally
        close, any of them is right.

        Output format: the expression only, without an equals sign. For the numbers 9 2 7 and the
        target 50, it could be (9 - 2) * 7.
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
        def draw() -> tuple[int, list[int]]:
            target = rng.randint(0, max_target)
            return target, [rng.randint(1, max_operand) for _ in range(num_operands)]

        if num_operands <= COMPLETE:
            target, operands = draw()
            result = float(closest_expression(operands, target)[0])
        else:
            target, operands = redraw(draw, lambda p: expression_for(p[1], p[0]) is not None)
            result = UNSET
        return cls(
            num_operands=num_operands,
            max_operand=max_operand,
            max_target=max_target,
            target=target,
            operands=operands,
            reference_result=result,
        )

    @property
    def passing(self) -> float:
        if self.reference_result is UNSET:
            return RIGHT
        return 1 / (1 + abs(self.reference_result - self.target) + NOISE)

    def parse(self, text: str) -> Fraction | None:
        """The value of the expression, or None if it does not use the given numbers."""
        uses_the_numbers = sorted(integers_written(text)) == sorted(self.operands)
        try:
            value = rational(text)
        except Unparseable as error:
            raise Unparseable(str(error), reward=-1.0 if uses_the_numbers else INVALID) from None
        return value if uses_the_numbers else None

    def score(self, answer: Fraction | None) -> float:
        if answer is None:
            return INVALID
        distance, scale = abs(answer - self.target).as_integer_ratio()
        return ratio(scale, scale + distance)

    def reference(self) -> str | None:
        if self.num_operands <= COMPLETE:
            return closest_expression(self.operands, self.target)[1]
        return expression_for(self.operands, self.target)
