from itertools import combinations, permutations
from math import gcd
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.geometry import Point, angle, convex_hull, vector
from rlve.answers import integers
from rlve.foundation.pictures import Points
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import redraw
from rlve.text import lines, spaced
from rlve.work import Work

NOT_CONVEX = -0.2


class LargestConvexPolygon(Environment[list[int]]):
    """Choose as many of the given points as possible as the corners of a convex polygon.

    At d = 0, all 5 points are right in 4 of 10 problems. Those are not redrawn: without them, a
    fixed choice of 4 points would be right even more often.
    """

    N: int
    points: list[Point]  # label i is at index i - 1
    gold_answer: int  # the largest number of points

    max_difficulty = 90  # at 115, generating a problem takes too long
    unique_up_to = None  # several answers can be right
    picture = Points(first=1, answer="polygon")

    template = """
        There are {N} points in the plane, labelled from 1 to {N}. All are distinct, and no three of
        them lie on one line. Each line below is a label and the coordinates (x, y) of its point:

        {points}

        Choose at least 3 of these points such that they are in convex position: each chosen point
        is a corner of the convex hull of the chosen points. Points that are not chosen may lie
        anywhere, also inside the hull. Choose as many points as possible.
        If several choices have the largest number of points, any of them is right.

        Output format: one line with the labels of the chosen points in any order, each once,
        separated by spaces.
        """

    def prompt(self) -> str:
        return self.fill(points=lines(f"{i}: {p}" for i, p in enumerate(self.points, 1)))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 5 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        points = redraw(lambda: random_points(rng, N), lambda points: len(points) == N)
        return cls(N=N, points=points, gold_answer=len(largest_convex_polygon(points)))

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        labels = set(answer)
        if len(labels) != len(answer) or not all(1 <= label <= self.N for label in labels):
            return INVALID
        corners = convex_hull(self.points[label - 1] for label in labels)
        if len(labels) < 3 or len(corners) < len(labels):
            return NOT_CONVEX
        return ratio(len(labels), self.gold_answer) ** 5

    def reference(self) -> str:
        return spaced(1 + i for i in largest_convex_polygon(self.points))

    def work(self) -> Work[str]:
        order = sorted(range(1, self.N + 1), key=lambda label: self.points[label - 1])
        places = ", ".join(f"{self.points[label - 1]} is {label}" for label in order)
        yield f"From left to right, then up: {places}"
        yield "A convex polygon is two chains from its first to its last corner; the lower one only"
        yield "turns left, the upper right. With (x, y) from a to b and (u, v) from a to c, turn"
        yield "a b c is left (b is below the line from a to c) if x * v - y * u > 0, else right."
        yield "Of the points on one side, try all as a chain, then all but one, and so on. One"
        yield "point is always a chain."
        best: list[int] = []
        ends = combinations(range(self.N), 2)
        for first, last in sorted(ends, key=lambda pair: pair[0] - pair[1]):
            if last - first + 1 <= len(best):
                break
            spare = last - first - len(best)
            corners = yield from find_chains(self.points, order[first : last + 1], spare)
            if len(corners) > len(best):
                best = corners
                yield f"So {spaced(best)} are {len(best)} corners"
            else:
                yield f"So no more than {len(best)} here"
        if len(best) < self.N:
            yield f"Between other ends are too few points for more than {len(best)}"
        return spaced(best)


def find_chains(points: list[Point], order: list[int], spare: int) -> Work[list[int]]:
    """The most corners of a convex polygon from the first to the last of these points.

    There are none if more than `spare` of the points must be left out.
    """
    first, *between, last = order
    sides: dict[bool, list[int]] = {True: [], False: []}  # by whether they turn left
    yield f"From {first} to {last}, between: {spaced(between)}" + (
        f" (to beat {len(between) + 1 - spare}, leave out at most {spare})"
        if spare < len(between)
        else ""
    )
    for p in between:
        left, text = show_turn(points, first, p, last)
        sides[left].append(p)
        yield f"{text}, {'below' if left else 'above'}"
    corners = [first, last]
    for left, side in sides.items():
        chosen = yield from find_chain(points, [first, *side, last], left, spare)
        spare -= len(side) - len(chosen)
        if spare < 0:
            return []
        corners += chosen
    return corners


def find_chain(points: list[Point], order: list[int], left: bool, spare: int) -> Work[list[int]]:
    """The most points for a chain with only such turns between the first and the last of these."""
    first, *side, last = order
    for size in range(len(side), max(1, len(side) - spare - 1), -1):
        for chosen in combinations(side, size):
            chain = [first, *chosen, last]
            turns = [show_turn(points, *chain[i : i + 3]) for i in range(size)]
            wrong = [text for turns_left, text in turns if turns_left != left]
            if not wrong:
                yield f"Take {spaced(chain)}; {'; '.join(text for _, text in turns)}"
                return list(chosen)
            yield f"Not {spaced(chain)}; {wrong[0]}"
    if 1 < len(side) <= spare + 1:
        yield f"Only one of them: {side[0]}"
    return side[:1]


def show_turn(points: list[Point], a: int, b: int, c: int) -> tuple[bool, str]:
    """Whether the way from a over b to c turns left, and why."""
    (x, y), (u, v) = (vector(points[a - 1], points[p - 1]) for p in (b, c))
    value = x * v - y * u
    return value > 0, f"{a} {b} {c}: {x} * {v} - {y} * {u} = {value}".replace("- -", "+ ")


def random_points(rng: Random, n: int) -> list[Point]:
    """Up to n points in the square from 0 to n, no three on a line; fewer if no more fit."""
    points: list[Point] = []
    for _ in range(100 * n):
        point = rng.randint(0, n), rng.randint(0, n)
        if point not in points and not on_a_line_with_two(point, points):
            points.append(point)
        if len(points) == n:
            break
    return points


def on_a_line_with_two(point: Point, others: list[Point]) -> bool:
    return len({direction(point, other) for other in others}) < len(others)


def direction(a: Point, b: Point) -> Point:
    """The direction of the line through two points, the same whichever comes first."""
    dx, dy = max(vector(a, b), vector(b, a))
    divisor = gcd(dx, dy)
    return dx // divisor, dy // divisor


def largest_convex_polygon(points: list[Point]) -> list[int]:
    """The indices of the most points in convex position, counter-clockwise; no three are in line.

    The sides of a convex polygon, counter-clockwise from its lowest corner, have increasing angles.
    So one pass over all sides by angle finds the longest way from a lowest corner to each point
    above it, and back.
    """
    height = [(y, x) for x, y in points]
    sides = sorted(
        permutations(range(len(points)), 2),
        key=lambda side: angle(vector(points[side[0]], points[side[1]])),
    )
    largest: list[int] = []
    for lowest in range(len(points)):
        ways = {lowest: [lowest]}
        for s, t in sides:
            if s not in ways or height[t] < height[lowest]:
                continue
            way = ways[s]
            if t == lowest:
                largest = max(largest, way, key=len)
            elif len(way) >= len(ways.get(t, ())):
                ways[t] = [*way, t]
    return largest
