from collections import Counter
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.polynomials import expanded
from rlve.answers import integers
from rlve.rewards import ratio
from rlve.text import listed, spaced
from rlve.work import Work, add, is_easy, multiply, state


class PolynomialFactorization(Environment[list[int]]):
    """Find the integer roots of a polynomial."""

    N: int  # the degree
    gold_answer: list[int]  # the roots
    reference_answer: str
    coefficients: list[int]  # of x^i at index i

    max_difficulty = 120  # at 170, a prompt exceeds 32,000 characters
    unique_up_to = sorted

    template = """
        A polynomial of degree {N} is given in expanded form:

        P(x) = {P}

        It is the product {product} for {N} integers a_i, which need
        not be different. Find them.

        Output format: one line with the {N} integers in any order, separated by spaces. A root of
        multiplicity k is written k times.
        """

    def prompt(self) -> str:
        return self.fill(
            P=expanded(self.coefficients), product=listed("(x - a_{})", 1, self.N, " * ")
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 3 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        roots = [rng.randint(-N, N) for _ in range(N)]
        coefficients = [1]
        for a in roots:  # multiply by x - a
            times_x, times_1 = [0, *coefficients], [*coefficients, 0]
            coefficients = [x - a * y for x, y in zip(times_x, times_1, strict=True)]
        return cls(
            N=N, gold_answer=roots, reference_answer=spaced(roots), coefficients=coefficients
        )

    def parse(self, text: str) -> list[int]:
        return integers(text, count=self.N)

    def score(self, answer: list[int]) -> float:
        right = (Counter(answer) & Counter(self.gold_answer)).total()
        return ratio(right, self.N) ** 5

    def work(self) -> Work[str]:
        left, roots, a = self.coefficients[::-1], list[int](), 1
        yield state("Coefficients, highest power first", left)
        while left[-1] == 0:
            left.pop()
            roots.append(0)
            yield f"The last one is 0, so 0 is a root. {state('Left', left)}"
        yield "A root a divides the constant term. Try the small ones: add a times the last result"
        yield "to the next coefficient. If the end is 0, the results before it are the quotient."
        while len(left) > 1:
            row = [] if left[-1] % a else (yield from horner(left, a))
            if row and row[-1] == 0:
                roots.append(a)
                left = row[:-1]
                yield f"So {a} is a root. {state('Left', left)}"
            else:
                a = -a if a > 0 else 1 - a
        yield state("Roots", roots)
        return spaced(roots)


def horner(coefficients: list[int], a: int) -> Work[list[int]]:
    """The quotient by x - a and, at the end, the remainder."""
    row = coefficients[:1]
    steps = [f"Try {a}: {row[0]}"]
    for c in coefficients[1:]:
        value = c + a * row[-1]
        if is_easy("*", a, row[-1]) and is_easy("+", c, a * row[-1]):
            steps.append(f"{c} {'-' if a < 0 else '+'} {abs(a)} * {row[-1]} = {value}")
        else:
            yield ", ".join(steps)
            product = yield from multiply(a, row[-1])
            yield from add(c, product)
            steps = [f"Next {value}"]
        row.append(value)
    yield ", ".join(steps)
    return row
