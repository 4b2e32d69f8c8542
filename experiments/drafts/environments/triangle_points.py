from math import gcd
from random import Random
from typing import Self

import rlve
from rlve.answers import integer


def doubled_area(a: list[int], b: list[int], c: list[int]) -> int:
    return abs((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def inside(a: list[int], b: list[int], c: list[int]) -> int:
    """The number of lattice points strictly inside the triangle, by Pick's theorem."""
    border = sum(gcd(p[0] - q[0], p[1] - q[1]) for p, q in ((a, b), (b, c), (c, a)))
    return (doubled_area(a, b, c) - border + 2) // 2


def suits(points: list[list[int]], bound: int) -> bool:
    """The triangle is large enough, and its answer is neither its area nor printed."""
    area = doubled_area(*points)
    if area == 0:
        return False
    answer = inside(*points)
    return (
        answer >= max(5, bound * bound // 8)
        and answer not in (area // 2, (area + 1) // 2, area)
        and answer not in {abs(z) for point in points for z in point}
    )


class TrianglePoints(rlve.Environment[int]):
    """Count the lattice points strictly inside a triangle."""

    bound: int
    a: list[int]
    b: list[int]
    c: list[int]
    reference_answer: int

    template = """
        A lattice point is a point of the plane whose two coordinates are both integers. A triangle has the corners

        A = {a_text}
        B = {b_text}
        C = {c_text}

        How many lattice points lie strictly inside the triangle ABC? Points on its sides and its corners do not count.

        Output format: one integer in decimal digits, the number of lattice points.
        """

    def prompt(self) -> str:
        return self.fill(
            a_text=f"({self.a[0]}, {self.a[1]})",
            b_text=f"({self.b[0]}, {self.b[1]})",
            c_text=f"({self.c[0]}, {self.c[1]})",
        )

    @classmethod
    def level(cls, d: int) -> list[rlve.Level]:
        return [{"bound": round(12 * 1.5**d)}]

    @classmethod
    def sample(cls, rng: Random, bound: int) -> Self:
        for _ in range(200):
            points = [[rng.randint(-bound, bound), rng.randint(-bound, bound)] for _ in range(3)]
            if rng.random() < 0.5:
                # One side becomes a multiple of a shorter vector.
                factor = rng.randint(2, 6)
                reach = 2 * bound // factor
                points[1] = [z + factor * rng.randint(-reach, reach) for z in points[0]]
            if max(abs(z) for z in points[1]) <= bound and suits(points, bound):
                break
        else:
            # A large triangle; one side is twice a shorter vector.
            points = [
                [-bound, -bound],
                [bound, -bound + 2 * rng.randint(0, bound // 4)],
                [rng.randint(-(bound // 2), bound // 2), bound],
            ]
        rng.shuffle(points)
        a, b, c = points
        return cls(bound=bound, a=a, b=b, c=c, reference_answer=inside(a, b, c))

    def parse(self, text: str) -> int:
        return integer(text, low=0)

    def score(self, answer: int) -> float:
        return 1.0 if answer == self.reference_answer else 0.0
