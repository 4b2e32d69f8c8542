import re
from random import Random
from typing import NamedTuple, Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import INVALID, closeness
from rlve.sampling.trees import random_binary_tree
from rlve.text import counted
from rlve.work import Work, add, multiply, subtract

OPERATORS = "&|^"
INNERMOST = re.compile(r"\((\w+) ([&|^]) (\w+)\)")


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

    def work(self) -> Work[str]:
        yield "Count, from the inside out, in how many ways each part is 1 and in how many it is 0."
        parts = {"_": Subexpression("_", 1, 1)}
        yield "_ is 1 in 1 way and 0 in 1 way"
        rest = f"({self.expression})"
        while match := INNERMOST.search(rest):
            left, operator, right = match.groups()
            name = f"P{len(parts)}"
            rest = rest[: match.start()] + name + rest[match.end() :]
            yield f"{name} = {left} {operator} {right}" + (
                f", which leaves {rest}" if rest != name else ""
            )
            parts[name] = combined(parts[left], operator, parts[right])
            yield from count_ways(parts[left], operator, parts[right])
            ones, zeros = (counted(n, "way") for n in parts[name][1:])
            yield f"So {name} is 1 in {ones} and 0 in {zeros}"
        return str(parts[rest].ones)


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


def count_ways(a: Subexpression, operator: str, b: Subexpression) -> Work[None]:
    """In how many ways `a operator b` is 1, and in how many it is 0."""
    every = yield from multiply(a.ones + a.zeros, b.ones + b.zeros)
    if operator == "^":
        yield f"Of {every}, it is 1 where the two differ, 1 and 0 or 0 and 1:"
        first = yield from multiply(a.ones, b.zeros)
        second = yield from multiply(a.zeros, b.ones)
        some = yield from add(first, second)
    elif operator == "&":
        yield f"Of {every}, it is 1 where both are 1:"
        some = yield from multiply(a.ones, b.ones)
    else:
        yield f"Of {every}, it is 0 where both are 0:"
        some = yield from multiply(a.zeros, b.zeros)
    yield from subtract(every, some)
