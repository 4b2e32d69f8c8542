from math import gcd
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.modular import extended_gcd
from rlve.answers import integers
from rlve.rewards import INVALID, ratio
from rlve.text import spaced
from rlve.work import Work, divide, is_easy, multiply, say, subtract

DRAWS = 1024  # for each element of A


class BezoutIdentity(Environment[list[int]]):
    """Make a linear combination of given integers positive and as small as possible."""

    N: int
    MAX_A: int
    A: list[int]
    gold_answer: int  # the smallest positive sum, which is the gcd of A
    reference_answer: str

    max_difficulty = 250  # at 290, generating a problem takes too long
    unique_up_to = None  # several answers can be right

    template = """
        Here are the {N} integers A[1] to A[{N}], in this order:

        {A}

        Find {N} integers X[1] to X[{N}] such that the sum S of the products A[i] * X[i] over all i
        from 1 to {N} is strictly positive and as small as possible. Each X[i] can be positive,
        negative or zero; any choice that reaches the smallest possible S is right.

        Output format: one line with X[1] to X[{N}] in this order, separated by spaces.
        """

    def prompt(self) -> str:
        return self.fill(A=", ".join(map(str, self.A)))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 2 + d, "MAX_A": 32 * 2**d}]

    @classmethod
    def sample(cls, rng: Random, N: int, MAX_A: int) -> Self:
        A: list[int] = []
        for _ in range(N):
            a = related(rng, A, MAX_A)
            A.append(a if rng.random() < 0.5 else -a)
        rng.shuffle(A)
        return cls(
            N=N,
            MAX_A=MAX_A,
            A=A,
            gold_answer=gcd(*A),
            reference_answer=spaced(coefficients(A)),
        )

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if len(answer) != self.N:
            return INVALID
        total = sum(a * x for a, x in zip(self.A, answer, strict=True))
        if total <= 0:
            return INVALID
        return ratio(self.gold_answer, total) ** 5

    def work(self) -> Work[str]:
        yield "The smallest positive sum is the greatest common divisor g of all the integers."
        yield "Take one after the other: Euclid's algorithm finds the new g from g and |A[i]|."
        yield "Write numbers as u times g plus v times |A[i]|."
        yield "For g, u = 1 and v = 0; for |A[i]|, u = 0 and v = 1."
        yield "As a mod b = a - (a // b) * b, find its u and v likewise from those of a and b."
        yield "For the new g, multiply the X so far by u; X[i] is v, or -v if A[i] is negative."
        g, factors = abs(self.A[0]), [1 if self.A[0] > 0 else -1]
        yield f"g = {g} with X[1] = {factors[0]}"
        for i, a in enumerate(self.A[1:], 2):
            if a % g == 0:
                yield f"{a} is a multiple of {g}: X[{i}] = 0"
                factors.append(0)
                continue
            g, u, v = yield from combine(g, abs(a))
            scaled: list[int] = []
            for j, x in enumerate(factors, 1):
                text = yield from say("*", u, x)
                scaled.append(u * x)
                if x:
                    yield f"X[{j}]: {text}"
            yield f"X[{i}]: {v}" if a > 0 else f"X[{i}]: {v} * -1 = {-v}, as {a} is negative"
            factors = [*scaled, v if a > 0 else -v]
            yield f"g = {g} with X = {spaced(factors)}"
        yield f"So the sum is {g} for X = {spaced(factors)}"
        return spaced(factors)


def combine(a: int, b: int) -> Work[tuple[int, int, int]]:
    """g, u and v with g = u * a + v * b, the greatest common divisor of a and b."""
    large, small = [a, 1, 0], [b, 0, 1]
    if a < b:
        large, small = small, large
    quotient, rest = yield from divide(large[0], small[0])
    while rest:
        made: list[str] = []
        for before, now in zip(large[1:], small[1:], strict=True):
            product = quotient * now
            if not is_easy("*", quotient, now) or not is_easy("-", before, product):
                yield from multiply(quotient, now)
                yield from subtract(before, product)
                made.append(str(before - product))
            else:
                made.append(f"{before} - {quotient} * {now} = {before - product}")
        after = [x - quotient * y for x, y in zip(large, small, strict=True)]
        yield f"u = {made[0]}, v = {made[1]}"
        yield f"{rest} is {after[1]} times {a} plus {after[2]} times {b}"
        large, small = small, after
        quotient, rest = yield from divide(large[0], small[0])
    return small[0], small[1], small[2]


def related(rng: Random, chosen: list[int], high: int) -> int:
    """The first of the draws from 2 .. high that shares a factor with most of those chosen."""
    best, most = 0, -1
    for _ in range(DRAWS):
        draw = rng.randint(2, high)
        count = sum(gcd(draw, a) > 1 for a in chosen)
        if count > most:
            best, most = draw, count
        if most == len(chosen):
            break
    return best


def coefficients(A: list[int]) -> list[int]:
    """X for which the sum of A[i] * X[i] is the gcd of A.

    All coefficients but that of the smallest element, the pivot, only matter modulo the pivot, and
    are reduced by it; its own coefficient then makes up the difference. So X stays short.
    """
    pivot = min(range(len(A)), key=lambda i: abs(A[i]))
    modulus = abs(A[pivot])
    result = [0] * len(A)
    g = modulus
    for i, a in enumerate(A):
        if a % g == 0:
            continue
        g, u, v = extended_gcd(g, a)
        result = [x * u % modulus for x in result]
        result[i] = v
    result = [balanced(x, modulus) for x in result]
    result[pivot] = (g - sum(a * x for a, x in zip(A, result, strict=True))) // A[pivot]
    return result


def balanced(x: int, modulus: int) -> int:
    """The representative of x nearest zero."""
    return (x + modulus // 2) % modulus - modulus // 2
