from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integers
from rlve.levels import grow
from rlve.rewards import ratio
from rlve.text import lines, spaced


class MinSumChebyshevDistance(Environment[list[int]]):
    """Find the integer point with the least total weighted Chebyshev distance to given points."""

    N: int
    X: list[int]
    Y: list[int]
    T: list[int]
    reference_answer: str
    gold_answer: int  # the smallest sum

    max_difficulty = 45  # at 52, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right

    template = """
        There are {N} points in the plane. Point i has the coordinates (X[i], Y[i]) and the weight
        T[i]:

        {points}

        Find integers x and y such that the sum of T[i] * max(|x - X[i]|, |y - Y[i]|) over all
        points i is as small as possible. They can be any integers. If several points (x, y) have
        the smallest sum, any of them is right.

        Output format: one line with the two integers x and y, separated by a space.
        """

    def prompt(self) -> str:
        values = enumerate(zip(self.X, self.Y, self.T, strict=True))
        return self.fill(
            points=lines(f"X[{i}]={x} Y[{i}]={y} T[{i}]={t}" for i, (x, y, t) in values)
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(2, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        X, Y = ([rng.randint(1, 2 * N) for _ in range(N)] for _ in "XY")
        T = [rng.randint(1, N) for _ in range(N)]
        x, y = best_point(X, Y, T)
        return cls(
            N=N,
            X=X,
            Y=Y,
            T=T,
            reference_answer=spaced((x, y)),
            gold_answer=total(X, Y, T, x, y),
        )

    def parse(self, text: str) -> list[int]:
        return integers(text, count=2)

    def score(self, answer: list[int]) -> float:
        x, y = answer
        return ratio(self.gold_answer, total(self.X, self.Y, self.T, x, y)) ** 5


def total(X: list[int], Y: list[int], T: list[int], x: int, y: int) -> int:
    points = zip(X, Y, T, strict=True)
    return sum(weight * max(abs(x - a), abs(y - b)) for a, b, weight in points)


def best_point(X: list[int], Y: list[int], T: list[int]) -> tuple[int, int]:
    """The best integer point, by way of p = x + y and q = x - y.

    max(|x|, |y|) = (|p| + |q|) / 2, so p and q are weighted medians, each on its own. Both must be
    even or both odd; if they are not, one of them moves by 1 and the other stays at its best.
    """
    p = weighted_median([a + b for a, b in zip(X, Y, strict=True)], T)
    q = weighted_median([a - b for a, b in zip(X, Y, strict=True)], T)
    rotated = [(p, q)] if (p + q) % 2 == 0 else [(p - 1, q), (p + 1, q), (p, q - 1), (p, q + 1)]
    candidates = [((p + q) // 2, (p - q) // 2) for p, q in rotated]
    return min(candidates, key=lambda point: total(X, Y, T, *point))


def weighted_median(values: list[int], weights: list[int]) -> int:
    left = sum(weights)
    for value, weight in sorted(zip(values, weights, strict=True)):
        left -= 2 * weight
        if left <= 0:
            return value
    raise ValueError("no values")
