from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.errors import Unparseable
from rlve.rewards import INVALID, exact
from rlve.text import spaced
from rlve.work import Work


class PowerNest(Environment[str]):
    """Write a number as a sum of powers of two whose exponents are written in the same way.

    Anything else is ill-formed, with the published reward of -0.5.
    """

    max_number: int
    number: int
    reference_answer: str

    max_difficulty = 1_000  # the highest difficulty measured

    template = """
        A positive integer is written as a sum of different powers of two, from the largest to the
        smallest, joined by +. Each power is written as follows:
        - 2^0 is written 2(0);
        - 2^1 is written 2;
        - 2^k with k >= 2 is written 2(E), where E is k, itself written by these rules.

        For example, 1089 = 2^10 + 2^6 + 2^0, with 10 = 2^3 + 2^1, 6 = 2^2 + 2^1, 3 = 2^1 + 2^0 and
        2 = 2^1. So 1089 is written 2(2(2+2(0))+2)+2(2(2)+2)+2(0).

        Write {number} by these rules.

        Output format: the expression on one line, without spaces.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"max_number": 4 * 2**d}]

    @classmethod
    def sample(cls, rng: Random, max_number: int) -> Self:
        number = rng.randint(1, max_number)
        return cls(max_number=max_number, number=number, reference_answer=expression(number))

    def parse(self, text: str) -> str:
        if not is_expression(text):
            raise Unparseable("not an expression of powers of two", reward=INVALID)
        return text

    def score(self, answer: str) -> float:
        return exact(answer == self.reference_answer)

    def work(self) -> Work[str]:
        yield from write(self.number, set())
        return expression(self.number)


def write(number: int, known: set[int]) -> Work[None]:
    """How a number is written, after the exponents in it."""
    rest, exponents = number, list[int]()
    while rest:
        k = rest.bit_length() - 1
        exponents.append(k)
        yield f"2^{k} = {2**k}, {rest} - {2**k} = {rest - 2**k}"
        rest -= 2**k
    yield f"So {number} has the exponent{'s' * (len(exponents) > 1)} {spaced(exponents)}"
    for k in exponents:
        if k >= 2 and k not in known:
            yield from write(k, known)
    known.add(number)
    yield f"So {number} is written {expression(number)}"


def expression(number: int) -> str:
    exponents = (k for k in reversed(range(number.bit_length())) if number >> k & 1)
    return "+".join(power_of_two(k) for k in exponents)


def power_of_two(exponent: int) -> str:
    if exponent == 1:
        return "2"
    return f"2({expression(exponent)})" if exponent else "2(0)"


FOLLOWERS = {"": "2", "2": "()+", "(": "20", "0": ")", ")": ")+", "+": "2"}


def is_expression(text: str) -> bool:
    """Whether the text has the form E = T or T+E, with T = 2 or 2(0) or 2(E).

    It does if its parentheses match and each character may follow the one before it.
    """
    depth, last = 0, ""
    for character in text:
        if character not in FOLLOWERS[last]:
            return False
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth < 0:
            return False
        last = character
    return depth == 0 and last in ("2", ")")
