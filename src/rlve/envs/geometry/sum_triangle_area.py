from itertools import combinations
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.geometry import Point, turn, vector
from rlve.answers import integer
from rlve.foundation.pictures import Points
from rlve.rewards import closeness
from rlve.text import lines
from rlve.work import Work


class SumTriangleArea(Environment[int]):
    """Compute twice the total area of all triangles formed by given points."""

    N: int
    points: list[Point]
    reference_answer: int

    max_difficulty = 150  # at 210, generating a problem takes too long
    picture = Points()

    template = """
        There are {N} distinct points in the plane, with integer coordinates (x, y):

        {points}

        Every three of these points form a triangle, whose area is 0 if the three points lie on one
        line. What is 2 times the sum of the areas of all these triangles? This is an
        integer.

        Output format: one integer, two times the sum of the areas.
        """

    def prompt(self) -> str:
        return self.fill(points=lines(self.points))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 4 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        points = rng.sample([(x, y) for x in range(N + 1) for y in range(N + 1)], N)
        doubled = sum(abs(turn(a, b, c)) for a, b, c in combinations(points, 3))
        return cls(N=N, points=points, reference_answer=doubled)

    def parse(self, text: str) -> int:
        return integer(text, low=0)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10

    def work(self) -> Work[str]:
        yield "With (x, y) and (u, v) from one corner to the two others, twice the area is"
        yield "|x * v - y * u|. Number the points from 1."
        total = 0
        for i, a in enumerate(self.points[:-2], 1):
            vectors = [(j, vector(a, b)) for j, b in enumerate(self.points[i:], i + 1)]
            yield f"From {i}: " + ", ".join(f"to {j} {xy}" for j, xy in vectors)
            for (j, (x, y)), (k, (u, v)) in combinations(vectors, 2):
                here = abs(x * v - y * u)
                area = f"|{x} * {v} - {y} * {u}| = {here}".replace("- -", "+ ")
                yield f"{i} {j} {k}: {area}, total {total} + {here} = {total + here}"
                total += here
        yield f"So the total is {total}"
        return str(total)
