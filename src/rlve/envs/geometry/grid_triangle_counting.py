from math import comb, gcd
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.number_theory import totients
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import closeness
from rlve.work import Work, add_all, divide, multiply, multiply_all, subtract


class GridTriangleCounting(Environment[int]):
    """Count the triangles whose corners are points of a grid."""

    MAX_N_M: int
    N: int
    M: int
    reference_answer: int

    max_difficulty = 20  # at 28, generating a problem takes too long

    template = """
        Consider all points (x, y) with integer coordinates, 0 <= x <= {N} and 0 <= y <= {M}.
        How many triangles have three of these points as corners?

        A triangle is a set of three points that do not lie on one line. Two triangles are different
        if their sets of corners are different.

        Output format: one integer, the number of triangles.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N_M": grow(5, d, by=1.5, plus=0)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N_M: int) -> Self:
        N, M = rng.randint(1, MAX_N_M), rng.randint(1, MAX_N_M)
        return cls(MAX_N_M=MAX_N_M, N=N, M=M, reference_answer=triangles(N, M))

    def parse(self, text: str) -> int:
        return integer(text, low=1)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10

    def work(self) -> Work[str | None]:
        if max(self.N, self.M) > 9:  # there are too many slanted lines to list
            return None
        across, up = self.N + 1, self.M + 1
        yield "Count all sets of three points, and take away those on one line."
        yield f"The points: {self.N} + 1 = {across} columns, {self.M} + 1 = {up} rows"
        points = yield from multiply(across, up)
        left = yield from count_triples(points)
        yield f"On a horizontal line, in each of {up} rows:"
        flat = yield from multiply((yield from count_triples(across)), up)
        left = yield from subtract(left, flat)
        yield f"On a vertical line, in each of {across} columns:"
        upright = yield from multiply((yield from count_triples(up)), across)
        left = yield from subtract(left, upright)
        yield "Rising or falling: between ends a apart in x and b in y are gcd(a, b) - 1 points."
        yield "Where there are any, the places of such ends, times these points if several:"
        slanted: list[int] = []
        for a in range(2, across):
            for b in range(2, up):
                if (g := gcd(a, b)) > 1:
                    ways = (across - a) * (up - b)
                    slanted.append((g - 1) * ways)
                    times = f", {ways} * ({g} - 1) = {slanted[-1]}" if g > 2 else ""
                    yield f"a = {a}, b = {b}: ({across} - {a}) * ({up} - {b}) = {ways}{times}"
        if not slanted:
            yield f"Here gcd(a, b) is always 1, so {left} are left"
            return str(left)
        rising = yield from add_all(slanted)
        yield "These lines rise, and as many fall:"
        both = yield from multiply(2, rising)
        return str((yield from subtract(left, both)))


def count_triples(n: int) -> Work[int]:
    """How many sets of three there are of n points."""
    if n < 3:
        yield f"{n} points: 0 sets of three"
        return 0
    yield f"{n} points, sets of three: {n} * ({n} - 1) * ({n} - 2) / 6"
    yield f"{n} - 1 = {n - 1}, {n} - 2 = {n - 2}"
    factors = [n, n - 1, n - 2]
    for divisor in (2, 3):
        i = next(i for i, factor in enumerate(factors) if factor % divisor == 0)
        factors[i], _ = yield from divide(factors[i], divisor)
    return (yield from multiply_all(factors))


def triangles(n: int, m: int) -> int:
    """All triples of points minus those on a horizontal, vertical or slanted line.

    Between the ends of a slanted triple, a apart in x and b in y, lie gcd(a, b) - 1 points, which
    is the sum of the totients of all common divisors g > 1 of a and b.
    """
    straight = (m + 1) * comb(n + 1, 3) + (n + 1) * comb(m + 1, 3)
    phi = totients(min(n, m))
    rising = sum(phi[g] * places(n, g) * places(m, g) for g in range(2, min(n, m) + 1))
    return comb((n + 1) * (m + 1), 3) - straight - 2 * rising


def places(n: int, g: int) -> int:
    """How many pairs of different numbers in 0 .. n differ by a multiple of g."""
    count = n // g
    return count * (n + 1) - g * count * (count + 1) // 2
