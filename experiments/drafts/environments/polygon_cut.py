from fractions import Fraction
from random import Random
from typing import Self

import rlve
from rlve.answers import integer


def turn_key(point: list[int]) -> Fraction:
    """Grows with the angle, within the upper and within the lower half-plane."""
    return Fraction(-point[0], point[1])


def left_part(polygon: list[list[int]], p: list[int], q: list[int]) -> int:
    """Twice the area of the part of the polygon to the left of the line from p to q."""

    def side(point: list[int]) -> int:
        return (q[0] - p[0]) * (point[1] - p[1]) - (q[1] - p[1]) * (point[0] - p[0])

    part = []
    for a, b in zip(polygon, polygon[1:] + polygon[:1]):
        sa, sb = side(a), side(b)
        if sa >= 0:
            part.append((Fraction(a[0]), Fraction(a[1])))
        if sa * sb < 0:
            ratio = Fraction(sa, sa - sb)
            part.append((a[0] + (b[0] - a[0]) * ratio, a[1] + (b[1] - a[1]) * ratio))
    total = Fraction(0)
    for a, b in zip(part, part[1:] + part[:1]):
        total += a[0] * b[1] - a[1] * b[0]
    return abs(int(total))  # the line cuts at lattice points


def chain(rng: Random, first: list[int], last: list[int], number: int, size: int, sign: int) -> list[list[int]] | None:
    """Points with growing angle from first to last, with so many random ones between; None if that failed."""
    low, high = turn_key(first), turn_key(last)
    if low >= high:
        return None
    points = {low: first, high: last}
    for _ in range(40 * number + 40):
        if len(points) == number + 2:
            return [points[key] for key in sorted(points)]
        point = [rng.randint(-size, size), sign * rng.randint(1, size)]
        key = turn_key(point)
        if low < key < high and key not in points:
            points[key] = point
    return None


def outline(rng: Random, vertex_num: int, size: int) -> list[list[int]] | None:
    """A polygon, star-shaped around the origin, which the line y = 0 cuts at two lattice points; None if that failed."""
    ends = []
    for cross in (rng.randint(1, size), -rng.randint(1, size)):
        du, dv = rng.randint(-2, 2), rng.randint(1, 2)
        m, n = rng.randint(1, size // 3), rng.randint(1, size // 3)
        ends.append(([cross + du * m, dv * m], [cross - du * n, -dv * n]))
    extra = vertex_num - 4
    above_num = rng.randint(extra // 3, extra - extra // 3)
    above = chain(rng, ends[0][0], ends[1][0], above_num, size, 1)
    below = chain(rng, ends[1][1], ends[0][1], extra - above_num, size, -1)
    return None if above is None or below is None else above + below


def plain_outline(rng: Random, vertex_num: int, size: int) -> list[list[int]]:
    """Such a polygon, made without any trial: directions through different points at height 2 and -2."""
    extra = vertex_num - 4
    above = [[x * t, 2 * t] for x in rng.sample(range(-(size // 2), size // 2 + 1), extra // 2) for t in [rng.randint(1, 2)]]
    number = extra - extra // 2
    below = [[x * t, -2 * t] for x in rng.sample(range(-(size // 2), size // 2 + 1), number) for t in [rng.randint(1, 2)]]
    above.sort(key=turn_key)
    below.sort(key=turn_key)
    return [[size, 2], *above, [-size, 2], [-size, -1], *below, [size, -1]]


def place(
    rng: Random, polygon: list[list[int]], size: int, shear: int
) -> tuple[list[list[int]], list[int], list[int]]:
    """The polygon and two points of the line y = 0 after random maps that keep areas."""
    span = range(-shear, shear + 1)
    a, b = rng.choice([(a, b) for a in span for b in span if shear == 0 or a or b])
    turns = rng.randrange(4)
    shift = [rng.randint(-size, size), rng.randint(-size, size)]

    def move(point: list[int]) -> list[int]:
        u, v = point
        y = v + b * u
        x = u + a * y
        for _ in range(turns):
            x, y = -y, x
        return [x + shift[0], y + shift[1]]

    moved = [move(point) for point in polygon]
    p, q = (move([u, 0]) for u in rng.sample(range(-size, size + 1), 2))
    start = rng.randrange(len(moved))
    moved = moved[start:] + moved[:start]
    if rng.random() < 0.5:
        moved.reverse()
    return moved, p, q


class PolygonCut(rlve.Environment[int]):
    """Twice the area of the part of a lattice polygon on the left of a line."""

    vertex_num: int
    size: int
    shear: int
    polygon: list[list[int]]
    p: list[int]
    q: list[int]
    reference_answer: int

    template = """
        A simple polygon in the plane (it does not cross itself, but it need not be convex) has {vertex_num} vertices. These are their coordinates (x, y) in order round the boundary; the last vertex is joined to the first one:

        {vertices}

        The x axis points to the right and the y axis points up. The straight line through P = {p_text} and Q = {q_text} cuts the polygon into two parts. No vertex lies on this line, and the boundary of the polygon crosses it in exactly two points, which both have integer coordinates.

        Consider the part of the polygon that lies to the left of the line for somebody who walks from P towards Q; these are the points (x, y) of the polygon with (Qx - Px) * (y - Py) - (Qy - Py) * (x - Px) > 0. What is twice the area of this part?

        Output format: one integer, twice the area of the part.
        """

    def prompt(self) -> str:
        return self.fill(
            vertices="\n".join(f"({x}, {y})" for x, y in self.polygon),
            p_text=f"({self.p[0]}, {self.p[1]})",
            q_text=f"({self.q[0]}, {self.q[1]})",
        )

    @classmethod
    def level(cls, d: int) -> list[rlve.Level]:
        return [{"vertex_num": 4 + d, "size": 10 + 2 * d, "shear": 0 if d < 3 else 1 if d < 10 else 2}]

    @classmethod
    def sample(cls, rng: Random, vertex_num: int, size: int, shear: int) -> Self:
        for _ in range(300):
            # Two edges across the line y = 0, at lattice points, and further vertices above and below.
            shape = outline(rng, vertex_num, size)
            if shape is None:
                continue
            polygon, p, q = place(rng, shape, size, shear)
            answer = left_part(polygon, p, q)
            printed = {abs(c) for point in [*polygon, p, q] for c in point} | {vertex_num}
            if answer != left_part(polygon, q, p) and answer not in printed:
                break
        else:
            polygon, p, q = place(rng, plain_outline(rng, vertex_num, size), size, shear)
            answer = left_part(polygon, p, q)
        return cls(
            vertex_num=vertex_num,
            size=size,
            shear=shear,
            polygon=polygon,
            p=p,
            q=q,
            reference_answer=answer,
        )

    def parse(self, text: str) -> int:
        return integer(text, low=0)

    def score(self, answer: int) -> float:
        return 1.0 if answer == self.reference_answer else 0.0
