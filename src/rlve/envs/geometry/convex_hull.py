from itertools import pairwise
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.geometry import Point, convex_hull, turn, vector
from rlve.answers import integer
from rlve.foundation.pictures import Points
from rlve.levels import grow
from rlve.rewards import closeness
from rlve.sampling.points import points_in_general_position
from rlve.text import lines
from rlve.work import Work, state


class ConvexHull(Environment[int]):
    """Compute twice the area of the convex hull of given points."""

    N: int
    points: list[Point]
    reference_answer: int

    max_difficulty = 25  # at 31, generating a problem takes too long
    picture = Points()

    template = """
        There are {N} points in the plane, with integer coordinates (x, y). All are distinct, and no
        three of them lie on one line:

        {points}

        The convex hull of these points is the smallest convex polygon that contains all of them.
        What is 2 times its area? This is an integer.

        Output format: one integer, two times the area of the convex hull.
        """

    def prompt(self) -> str:
        return self.fill(points=lines(self.points))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(5, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        points = points_in_general_position(rng, N, N)
        return cls(N=N, points=points, reference_answer=doubled_area(convex_hull(points)))

    def parse(self, text: str) -> int:
        return integer(text, low=1)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 5

    def work(self) -> Work[str]:
        yield "Round the hull there are only left turns. So go through the points by x, then y:"
        yield "while the last three turn right, drop the middle one. Then do the same backwards."
        yield "With (x, y) from a to b and (u, v) from a to c, the way from a over b to c turns"
        yield "left if x * v - y * u > 0, else right."
        order = sorted(self.points)
        corners: list[Point] = []
        for points in (order, order[::-1]):
            chain: list[Point] = []
            for point in points:
                while len(chain) >= 2:
                    value, text = show_turn(chain[-2], chain[-1], point)
                    drop = f", drop {chain[-1]}" if value < 0 else ""
                    yield f"{chain[-2]} {chain[-1]} {point}: {text}{drop}"
                    if value > 0:
                        break
                    chain.pop()
                chain.append(point)
            corners += chain[:-1]
        yield state("Corners", corners)
        yield f"Twice the area, with the same formula, by triangles from {corners[0]}:"
        total = 0
        for b, c in pairwise(corners[1:]):
            value, text = show_turn(corners[0], b, c)
            yield f"{b} {c}: {text}, total {total} + {value} = {total + value}"
            total += value
        return str(total)


def show_turn(a: Point, b: Point, c: Point) -> tuple[int, str]:
    """Positive if the way from a over b to c turns left, and how it is calculated."""
    (x, y), (u, v) = vector(a, b), vector(a, c)
    value = x * v - y * u
    return value, f"{x} * {v} - {y} * {u} = {value}".replace("- -", "+ ")


def doubled_area(corners: list[Point]) -> int:
    """Twice the area of a convex polygon whose corners are given counter-clockwise."""
    return sum(turn(corners[0], a, b) for a, b in pairwise(corners))
