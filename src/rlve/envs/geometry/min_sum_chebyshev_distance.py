from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integers
from rlve.foundation.pictures import Points
from rlve.levels import grow
from rlve.rewards import ratio
from rlve.text import lines, spaced
from rlve.work import Work


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
    picture = Points(None, "X", "Y")

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

    def work(self) -> Work[str]:
        yield "With p = x + y, q = x - y, P = X + Y and Q = X - Y, max(|x - X|, |y - Y|) is half of"
        yield "|p - P| + |q - Q|. So p is best as a median of P, where half of the weight is"
        yield "reached (a move would go away from at least half of it), and q as one of Q."
        sums = [a + b for a, b in zip(self.X, self.Y, strict=True)]
        differences = [a - b for a, b in zip(self.X, self.Y, strict=True)]
        for name, sign, values in (("P", "+", sums), ("Q", "-", differences)):
            rows = zip(self.X, self.Y, values, strict=True)
            yield f"{name}: " + ", ".join(f"{a} {sign} {b} = {value}" for a, b, value in rows)
        p = yield from find_median("P", sums, self.T)
        q = yield from find_median("Q", differences, self.T)
        if (p + q) % 2:
            yield "p + q is odd, but x = (p + q) / 2, so one of them moves by 1; farther is never"
            yield "better. Twice the sum grows by the weights that it moves away from, less those"
            yield "it comes nearer to:"
            steps = yield from weigh_moves("p", p, sums, self.T)
            steps += yield from weigh_moves("q", q, differences, self.T)
            _, name, to = min(steps)
            p, q = (to, q) if name == "p" else (p, to)
            yield f"Least for {name} = {to}"
        x, y = (p + q) // 2, (p - q) // 2
        sums = f"x = ({p} + {q}) / 2 = {x}, y = ({p} - {q}) / 2 = {y}"
        yield sums.replace("+ -", "- ").replace("- -", "+ ")
        return f"{x} {y}"


def find_median(name: str, values: list[int], weights: list[int]) -> Work[int]:
    """The first value up to which there is half of the weight."""
    pairs = sorted(zip(values, weights, strict=True))
    total, so_far = sum(weights), 0
    yield f"{name} ascending: " + ", ".join(f"{value} (weight {w})" for value, w in pairs)
    yield f"Total weight {' + '.join(str(w) for _, w in pairs)} = {total}"
    for value, weight in pairs:
        so_far += weight
        enough = 2 * so_far >= total
        relation = f"{2 * so_far} {'>=' if enough else '<'} {total}"
        yield f"Up to {value}: {so_far - weight} + {weight} = {so_far}, 2 * {so_far} = {relation}"
        if enough:
            yield f"So {name.lower()} is {value}"
            return value
    raise ValueError("no values")


def weigh_moves(
    name: str, at: int, values: list[int], weights: list[int]
) -> Work[list[tuple[int, str, int]]]:
    """How the sum grows if a median moves by 1 down or up."""
    moves: list[tuple[int, str, int]] = []
    for step in (-1, 1):
        away = [w for value, w in zip(values, weights, strict=True) if (value - at) * step <= 0]
        nearer = [w for value, w in zip(values, weights, strict=True) if (value - at) * step > 0]
        terms = " + ".join(map(str, away)) + "".join(f" - {w}" for w in nearer)
        moves.append((sum(away) - sum(nearer), name, at + step))
        grows = f" = {moves[-1][0]}" if len(weights) > 1 else ""
        yield f"{name} = {at} {'+' if step > 0 else '-'} 1 = {at + step}: {terms}{grows}"
    return moves


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
