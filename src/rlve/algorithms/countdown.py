"""The Countdown numbers game: expressions that use each given number once, with + - * / and ().

An expression for a value >= 0 never needs negative intermediate results: rewriting it without them
can at most change the sign of its value. So all values here are non-negative.
"""

from bisect import bisect_left
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from math import gcd, inf
from typing import TypeAlias

TABLED = 4  # up to this many numbers, all values are tabulated; beyond, values are searched for
COMPLETE = 6  # up to this many numbers, the search for a value is complete
ATTEMPTS = 200  # searches of what is left after splitting off numbers
ROUNDING = 1e-9  # far more than the rounding errors of the floats that values are sorted by

Value: TypeAlias = tuple[int, int]  # numerator and denominator, in lowest terms
Part: TypeAlias = tuple[int, ...]  # some of the numbers, in ascending order
Table: TypeAlias = dict[Value, str]  # an expression for each value


def expression_for(numbers: list[int], target: int, *, whole: bool = False) -> str | None:
    """An expression with that value; None if there is none or, beyond 6 numbers, none is found.

    With `whole`, all intermediate results are integers.
    """
    return Countdown(whole=whole).search(tuple(sorted(numbers)), (target, 1))


def closest_expression(numbers: list[int], target: int) -> tuple[Fraction, str]:
    """The value closest to the target and an expression for it; meant for up to 6 numbers."""
    game = Countdown()
    part = tuple(sorted(numbers))
    found = game.search(part, (target, 1))
    return (Fraction(target), found) if found is not None else game.closest(part, target)


class Countdown:
    """Finds values and expressions of parts of the numbers."""

    def __init__(self, *, whole: bool = False) -> None:
        self.whole = whole
        self.attempts = ATTEMPTS
        self.tables: dict[Part, Table] = {}

    def values(self, part: Part) -> Table:
        """All values of a part."""
        if part not in self.tables:
            self.tables[part] = self._values(part)
        return self.tables[part]

    def _values(self, part: Part) -> Table:
        if len(part) == 1:
            return {(part[0], 1): str(part[0])}
        table: Table = {}
        for some, rest in splits(part):
            others = self.values(rest).items()
            for a, left in self.values(some).items():
                for b, right in others:
                    for symbol, swapped, n, d in results(a, b):
                        common = gcd(n, d)
                        value = n // common, d // common
                        if value not in table and (value[1] == 1 or not self.whole):
                            table[value] = written(symbol, swapped, left, right)
        return table

    def search(self, part: Part, target: Value) -> str | None:
        """An expression of the part for the target, if one is found."""
        if len(part) <= TABLED:
            return self.values(part).get(target)
        self.attempts -= len(part) == COMPLETE
        for some, rest in splits(part, singly=len(part) > COMPLETE):
            for a, left in self.values(some).items():
                if a[0] == target[0] == 0:
                    return written("*", False, left, "+".join(map(str, rest)))
                for symbol, swapped, b in partners(a, target):
                    if self.attempts < 0 or (self.whole and b[1] != 1):
                        continue
                    right = self.search(rest, b)
                    if right is not None:
                        return written(symbol, swapped, left, right)
        return None

    def closest(self, part: Part, target: int) -> tuple[Fraction, str]:
        """The value of the part that is closest to the target, with an expression."""
        found: list[tuple[Fraction, Fraction, str]] = []  # with their distances, ever closer
        limit = inf
        for some, rest in splits(part):
            table = sorted((n / d, (n, d)) for n, d in self.values(rest))
            for a, left in self.values(some).items():
                for b in near_values(table, a, target):
                    for symbol, swapped, n, d in results(a, b):
                        if abs(n / d - target) > limit:
                            continue
                        value = Fraction(n, d)
                        distance = abs(value - target)
                        if not found or distance < found[-1][0]:
                            text = written(symbol, swapped, left, self.values(rest)[b])
                            found.append((distance, value, text))
                            limit = float(distance) + ROUNDING
        _, value, text = found[-1]
        return value, text


def splits(part: Part, *, singly: bool = False) -> Iterator[tuple[Part, Part]]:
    """Ways to split a part in two, halves first, or into one number and the rest."""
    seen: set[Part] = set()
    for size in [1] if singly else range(len(part) // 2, 0, -1):
        for chosen in combinations(range(len(part)), size):
            some = tuple(part[i] for i in chosen)
            rest = tuple(number for i, number in enumerate(part) if i not in chosen)
            if some not in seen:
                seen.update((some, rest))
                yield some, rest


def results(a: Value, b: Value) -> Iterator[tuple[str, bool, int, int]]:
    """What a and b make: the operator, whether b comes first, numerator and denominator."""
    (p, q), (r, s) = a, b
    x, y, z = p * s, r * q, q * s  # a = x/z and b = y/z
    yield "+", False, x + y, z
    yield "-", x < y, abs(x - y), z
    yield "*", False, p * r, z
    if y:
        yield "/", False, x, y
    if x:
        yield "/", True, y, x


def partners(a: Value, target: Value) -> list[tuple[str, bool, Value]]:
    """All b that give the target together with a: the operator, whether b comes first, and b."""
    (p, q), (r, s) = a, target
    x, y, z = p * s, r * q, q * s  # a = x/z and the target is y/z
    found = [("-", True, y + x, z)]
    found.append(("+", False, y - x, z) if y >= x else ("-", False, x - y, z))
    if x:
        found += [("*", False, y, x), ("/", True, p * r, z)]
        if y:
            found.append(("/", False, x, y))
    values = [
        (symbol, swapped, (n // gcd(n, d), d // gcd(n, d))) for symbol, swapped, n, d in found
    ]
    return sorted(values, key=lambda way: way[2][::-1])  # simple ones first


def near_values(table: list[tuple[float, Value]], a: Value, target: int) -> list[Value]:
    """The values that bring a closest to the target, whatever the operation."""
    nearest = [table[0], table[-1]]
    for _, _, (n, d) in partners(a, (target, 1)):
        i = bisect_left(table, n / d, key=lambda entry: entry[0])
        nearest += table[max(0, i - 2) : i + 2]
    return [value for _, value in nearest]


def written(symbol: str, swapped: bool, left: str, right: str) -> str:
    """The two expressions joined; anything but a single number is in parentheses."""
    left, right = (part if part.isdigit() else f"({part})" for part in (left, right))
    return f"{right} {symbol} {left}" if swapped else f"{left} {symbol} {right}"
