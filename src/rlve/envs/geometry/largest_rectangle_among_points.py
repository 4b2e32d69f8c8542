from itertools import combinations
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.geometry import Point, vector
from rlve.answers import integers
from rlve.foundation.pictures import Points
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import redraw
from rlve.text import lines, spaced
from rlve.work import Work


class LargestRectangle_AmongPoints(Environment[list[int]]):
    """Find four points that are the corners of a rectangle of largest area.

    Points can coincide, as published. Four indices are judged by their coordinates.
    """

    N: int
    points: list[Point]
    gold_answer: int  # the largest area

    max_difficulty = 35  # at 42, generating a problem takes too long
    unique_up_to = None  # several answers can be right
    picture = Points(answer="polygon")

    template = """
        There are {N} points in the plane, numbered from 0 to {last}. Each line below is a number
        and the coordinates (x, y) of its point (different numbers can have the same coordinates):

        {points}

        Choose four different points that are the corners of a rectangle with a positive area. Its
        sides need not be parallel to the axes. Make the area as large as possible. If several
        choices have the largest area, any of them is right.

        Output format: one line with the numbers of the four points, in any order, separated by
        spaces.
        """

    def prompt(self) -> str:
        return self.fill(
            last=self.N - 1, points=lines(f"{i}: {point}" for i, point in enumerate(self.points))
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(5, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def near() -> Point:
            return rng.randint(-N // 2, N // 2), rng.randint(-N // 2, N // 2)

        x, y = near()
        dx, dy = redraw(near, lambda side: side != (0, 0))
        square = [(x, y), (x + dx, y + dy), (x - dy, y + dx), (x + dx - dy, y + dx + dy)]
        others = [(rng.randint(-N, N), rng.randint(-N, N)) for _ in range(N - 4)]
        points = square + others
        rng.shuffle(points)
        best = largest_rectangle(points)
        return cls(N=N, points=points, gold_answer=area([points[i] for i in best]))

    def parse(self, text: str) -> list[int]:
        return integers(text, count=4)

    def score(self, answer: list[int]) -> float:
        if not all(0 <= i < self.N for i in answer):
            return INVALID
        covered = area([self.points[i] for i in answer])
        return ratio(covered, self.gold_answer) ** 5 if covered else INVALID

    def reference(self) -> str:
        return spaced(largest_rectangle(self.points))

    def work(self) -> Work[str]:
        yield "Diagonals with the same middle and the same length make a rectangle, and no others"
        yield "do. So find pairs without a common point and with equal sums of x and of y; compare"
        yield "their squared lengths. With sides (x, y) and (u, v), the area is |x * v - y * u|."
        pairs: dict[Point, list[tuple[int, int]]] = {}
        for i, j in combinations(range(self.N), 2):
            (x, y), (u, v) = self.points[i], self.points[j]
            pairs.setdefault((x + u, y + v), []).append((i, j))
            yield f"{i}-{j}: {x} + {u} = {x + u}, {y} + {v} = {y + v}".replace("+ -", "- ")
        largest, best = 0, list[int]()
        for equal in pairs.values():
            for first, second in combinations(equal, 2):
                if set(first) & set(second):  # points with the same coordinates
                    continue
                yield f"{show_pair(first)} and {show_pair(second)} have equal sums"
                covered = yield from find_area(self.points, first, second)
                if covered > largest:
                    largest, best = covered, [*first, *second]
                    yield f"Best so far: {spaced(best)}, area {largest}"
        return spaced(best)


def show_pair(pair: tuple[int, int]) -> str:
    return f"{pair[0]}-{pair[1]}"


def find_area(points: list[Point], first: tuple[int, int], second: tuple[int, int]) -> Work[int]:
    """The area of the rectangle with two diagonals that have the same middle; 0 if it is none."""
    squares: list[int] = []
    for i, j in (first, second):
        (x, y), (u, v) = points[i], points[j]
        across, up = abs(u - x), abs(v - y)
        squares.append(across**2 + up**2)
        steps = f"|{u} - {x}| = {across}, |{v} - {y}| = {up}".replace("- -", "+ ")
        yield f"{i}-{j}: {steps}, {across}^2 + {up}^2 = {squares[-1]}"
    if squares[0] != squares[1]:
        yield f"{squares[0]} != {squares[1]}, no rectangle"
        return 0
    corner, (b, d) = first[0], second
    (x, y), (u, v) = (vector(points[corner], points[end]) for end in (b, d))
    area = abs(x * v - y * u)
    yield f"Equal. Sides: from {corner} to {b} ({x}, {y}), from {corner} to {d} ({u}, {v})"
    yield f"Area: |{x} * {v} - {y} * {u}| = {area}".replace("- -", "+ ")
    return area


def area(corners: list[Point]) -> int:
    """The area of the rectangle with these four corners in any order; 0 if there is none."""
    a, b, c, d = corners
    for opposite, *others in ((b, c, d), (c, b, d), (d, b, c)):
        if diagonal(a, opposite) == diagonal(*others):
            return area_between(a, opposite, *others)
    return 0


def diagonal(a: Point, b: Point) -> tuple[int, int, int]:
    """The midpoint and the length of a segment; the diagonals of a rectangle share both."""
    return a[0] + b[0], a[1] + b[1], (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2


def area_between(a: Point, c: Point, b: Point, d: Point) -> int:
    """The area of the rectangle with the diagonals ac and bd."""
    return abs((c[0] - a[0]) * (d[1] - b[1]) - (c[1] - a[1]) * (d[0] - b[0])) // 2


def largest_rectangle(points: list[Point]) -> list[int]:
    """The indices of the corners, diagonal by diagonal; a rectangle must exist."""
    alike: dict[tuple[int, int, int], list[tuple[int, int]]] = {}
    for i, j in combinations(range(len(points)), 2):
        alike.setdefault(diagonal(points[i], points[j]), []).append((i, j))
    rectangles = (
        (area_between(points[a], points[c], points[b], points[d]), [a, c, b, d])
        for diagonals in alike.values()
        for (a, c), (b, d) in combinations(diagonals, 2)
    )
    return max(rectangles)[1]
