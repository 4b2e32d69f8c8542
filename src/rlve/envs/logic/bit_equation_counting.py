from random import Random
from typing import NamedTuple, Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import INVALID, closeness
from rlve.sampling.trees import random_binary_tree

OPERATORS = "&|^"


class BitEquationCounting(Environment[int]):
    """Count the ways to fill the blanks of a Boolean expression so that it is 1."""

    N: int
    expression: str  # _ is a blank
    reference_answer: int

    max_difficulty = 50  # at 65, answers are too long to parse

    template = """
        In the expression below each _ stands for 0 or 1; different _ can have different values.
        The operators are & (and), | (or) and ^ (exclusive or), and parentheses show their order.

        {expression}

        There are 2^{N} ways to replace the {N} _ by 0 or 1. For how many of them is the value of
        the expression 1?

        Output format: one integer.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(2, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        part = random_binary_tree(
            rng,
            N,
            lambda: Subexpression("_", 1, 1),
            lambda a, b: combined(a, rng.choice(OPERATORS), b),
        )
        return cls(N=N, expression=part.text[1:-1], reference_answer=part.ones)

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        if not 0 <= answer <= 1 << self.N:
            return INVALID
        return closeness(answer, self.reference_answer) ** 10


class Subexpression(NamedTuple):
    """A part of an expression, and how many ways to fill it make it 1 or 0."""

    text: str
    ones: int
    zeros: int


def combined(a: Subexpression, operator: str, b: Subexpression) -> Subexpression:
    everything = (a.ones + a.zeros) * (b.ones + b.zeros)
    if operator == "&":
        ones = a.ones * b.ones
    elif operator == "|":
        ones = everything - a.zeros * b.zeros
    else:
        ones = a.ones * b.zeros + a.zeros * b.ones
    return Subexpression(f"({a.text} {operator} {b.text})", ones, everything - ones)
