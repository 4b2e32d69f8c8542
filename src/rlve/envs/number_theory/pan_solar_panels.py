from math import gcd
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.floor_sums import quotient_blocks
from rlve.answers import integers
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import redraw
from rlve.work import Work


class PanSolarPanels(Environment[list[int]]):
    """Choose one number from each of two intervals so that their gcd is as large as possible."""

    MAX_A_B_C_D: int
    A: int
    B: int
    C: int
    D: int
    gold_answer: int  # the largest gcd

    max_difficulty = 45  # at 55, generating a problem takes too long
    unique_up_to = None  # several answers can be right

    template = """
        Choose an integer X with {A} <= X <= {B} and an integer Y with {C} <= Y <= {D} so that the
        greatest common divisor of X and Y is as large as possible. If several pairs are best, any
        one of them is right.

        Output format: the two integers X and Y on one line, separated by a space.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_A_B_C_D": grow(10, d, by=1.5, plus=0)}]

    @classmethod
    def sample(cls, rng: Random, MAX_A_B_C_D: int) -> Self:
        a, b, c, d = redraw(
            lambda: sorted(rng.randint(1, MAX_A_B_C_D) for _ in range(4)),
            until=lambda ends: ends[1] < ends[2],
        )
        if rng.random() < 0.5:
            a, b, c, d = c, d, a, b
        return cls(MAX_A_B_C_D=MAX_A_B_C_D, A=a, B=b, C=c, D=d, gold_answer=largest_gcd(a, b, c, d))

    def parse(self, text: str) -> list[int]:
        return integers(text, count=2)

    def score(self, answer: list[int]) -> float:
        X, Y = answer
        if not (self.A <= X <= self.B and self.C <= Y <= self.D):
            return INVALID
        return ratio(gcd(X, Y), self.gold_answer) ** 3

    def reference(self) -> str:
        g = self.gold_answer
        return f"{self.B // g * g} {self.D // g * g}"

    def work(self) -> Work[str]:
        g = min(self.B, self.D)
        yield f"The greatest common divisor g is at most min({self.B}, {self.D}) = {g}."
        yield "Try each g from there down: it needs a multiple in each range."
        while True:
            x, y = self.B // g, self.D // g
            if x * g < self.A:
                yield f"g = {g}: the last multiple up to {self.B} is {x} * {g} = {x * g} < {self.A}"
            elif y * g < self.C:
                yield f"g = {g}: the last multiple up to {self.D} is {y} * {g} = {y * g} < {self.C}"
            else:
                yield f"g = {g}: X = {x} * {g} = {x * g} and Y = {y} * {g} = {y * g} both fit"
                return f"{x * g} {y * g}"
            g -= 1


def largest_gcd(a: int, b: int, c: int, d: int) -> int:
    """The largest g with a multiple in a .. b and another in c .. d.

    While b // g and d // g stay the same, a larger g is never worse, so only the ends are tried.
    """
    ends = (last for _, last in quotient_blocks(min(b, d), b, d))
    return max(g for g in ends if b // g > (a - 1) // g and d // g > (c - 1) // g)
