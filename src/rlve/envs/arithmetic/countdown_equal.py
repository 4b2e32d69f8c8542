from fractions import Fraction
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.countdown import expression_for
from rlve.algorithms.expressions import integers_written, rational
from rlve.errors import Unparseable
from rlve.rewards import INVALID, exact
from rlve.sampling.rejection import redraw
from rlve.text import spaced


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
