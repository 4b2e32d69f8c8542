from itertools import pairwise
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.foundation.pictures import Points
from rlve.levels import grow
from rlve.rewards import ratio
from rlve.sampling.rejection import prefer
from rlve.text import lines, spaced
from rlve.work import Work, multiply


class MinSumDistanceSquare(Environment[int]):
    """Find where the sum of squared distances to the nearest point of each group is smallest.

    Problems for which the sum of the groups' first points, or of their last, is right are redrawn.
    """

    M: int
    N: int
    points: list[list[int]]  # by group
    reference_answer: int
    gold_answer: int  # N^2 times the smallest cost

    max_difficulty = 45  # at 57, generating a problem takes too long
    unique_up_to = None  # several answers can be right
    picture = Points()

    template = """
        Some points on a line are divided into {N} groups. These are their coordinates, one line per
        group:

        {groups}

        For a real number X, the cost of a group is the square of the distance between X and the
        point of the group that is nearest to X. Choose X such that the sum of the costs of the {N}
        groups is as small as possible. There is a best X of the form X = X' / {N} with an integer
        X'. If there are several such X', any of them is right.

        Output format: one integer, only the value of X' (that is, {N} times X).
        """

    def prompt(self) -> str:
        return self.fill(
            groups=lines(f"Group {i}: {spaced(group)}" for i, group in enumerate(self.points))
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"M": grow(2, d)}]

    @classmethod
    def sample(cls, rng: Random, M: int) -> Self:
        return prefer(lambda: cls.draw(rng, M), lambda problem: not problem.is_sum_of_ends())

    @classmethod
    def draw(cls, rng: Random, M: int) -> Self:
        coordinates = [rng.randint(-M, M) for _ in range(M)]
        N = rng.randint(2, M)
        labels = [*range(N), *(rng.randrange(N) for _ in range(M - N))]
        rng.shuffle(labels)
        points: list[list[int]] = [[] for _ in range(N)]
        for label, x in zip(labels, coordinates, strict=True):
            points[label].append(x)
        best = best_place(points)
        return cls(M=M, N=N, points=points, reference_answer=best, gold_answer=total(points, best))

    def is_sum_of_ends(self) -> bool:
        sums = (sum(group[end] for group in self.points) for end in (0, -1))
        return any(total(self.points, place) == self.gold_answer for place in sums)

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return ratio(self.gold_answer, total(self.points, answer)) ** 5

    def work(self) -> Work[str]:
        yield "While the nearest points stay the same, the best X is their mean: X' is their sum S."
        yield f"If their squares add up to Q, {self.N} times the cost is then Q * {self.N} - S * S."
        yield "If other points are nearer to that X, those are tried too, and give a smaller cost."
        nearest = [min(group) for group in self.points]
        changes = sorted(
            (a + b, i, a, b)
            for i, group in enumerate(self.points)
            for a, b in pairwise(sorted(set(group)))
        )
        yield f"Far to the left, the nearest points are {spaced(nearest)}"
        found = [(yield from least_cost(nearest))]
        for _, i, a, b in changes:
            nearest[i] = b
            halfway = f"({a} + {b}) / 2".replace("+ -", "- ")
            yield f"Halfway, at {halfway}, group {i} goes from {a} to {b}: {spaced(nearest)}"
            found.append((yield from least_cost(nearest)))
        cost, place = min(found)
        yield f"The smallest is {cost}, with S = {place}"
        return str(place)


def least_cost(nearest: list[int]) -> Work[tuple[int, int]]:
    """N times the least sum of squared distances to these N points, and the sum of the points."""
    total, squares = sum(nearest), sum(x * x for x in nearest)
    yield f"S = {' + '.join(map(str, nearest))} = {total}".replace("+ -", "- ")
    yield f"Q = {' + '.join(f'{abs(x)}^2' for x in nearest)} = {squares}"
    yield from multiply(squares, len(nearest))
    yield from multiply(total, total)
    cost = squares * len(nearest) - total * total
    yield f"{squares * len(nearest)} - {total * total} = {cost}"
    return cost, total


def total(points: list[list[int]], place: int) -> int:
    """N^2 times the sum of the costs at place / N."""
    n = len(points)
    return sum(min((place - n * x) ** 2 for x in group) for group in points)


def best_place(points: list[list[int]]) -> int:
    """From left to right, the nearest points change where X passes halfway between two neighbours.

    As long as they do not change, the best X is their mean, and X' their sum.
    """
    position = sum(map(min, points))
    positions = [position]
    steps = sorted((a + b, b - a) for group in points for a, b in pairwise(sorted(group)))
    for _, step in steps:
        position += step
        positions.append(position)
    return min(positions, key=lambda position: total(points, position))
