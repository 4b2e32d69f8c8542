from itertools import product
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.geometry import Point
from rlve.errors import Unparseable
from rlve.foundation.pictures import Points
from rlve.levels import grow
from rlve.rewards import ratio
from rlve.sampling.rejection import spread
from rlve.text import joined, lines, spaced
from rlve.work import Work, state


class SkaRockGarden(Environment[list[bool]]):
    """Swap the coordinates of points for the smallest bounding box at the lowest cost.

    With few points it is often best to swap none, so other answers are made as likely.
    """

    N: int
    X: list[int]
    Y: list[int]
    M: list[int]
    gold_answer_perimeter: int
    gold_answer_cost: int  # the smallest one at that perimeter
    reference_answer: str

    max_difficulty = 40  # at 50, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right
    picture = Points(None, "X", "Y")

    template = """
        There are {N} points in the plane, numbered from 0 to {last}. Point i has the coordinates
        (X[i], Y[i]), and M[i] is the cost of exchanging them:

        {points}

        You can exchange the two coordinates of any points: point i then becomes (Y[i], X[i]).
        Choose which points are exchanged.

        First of all, make the perimeter of the bounding box of the resulting points as small as
        possible. The bounding box is the smallest rectangle with sides parallel to the axes that
        contains all points; its perimeter is 2 * ((largest x - smallest x) + (largest y - smallest
        y)). Among all choices with the smallest perimeter, make the total cost of the exchanged
        points as small as possible. If several choices are best, any of them is right.

        Output format: one line with {N} characters and nothing between them. The character for
        point i (from point 0 to point {last}) is 1 if the point is exchanged and 0 if it is not.
        """

    def prompt(self) -> str:
        values = enumerate(zip(self.X, self.Y, self.M, strict=True))
        return self.fill(
            last=self.N - 1,
            points=lines(f"X[{i}]={x} Y[{i}]={y} M[{i}]={m}" for i, (x, y, m) in values),
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> Self:
            X, Y = ([rng.randint(0, 2 * N) for _ in range(N)] for _ in "XY")
            M = [rng.randint(1, N) for _ in range(N)]
            best = best_exchange(X, Y, M)
            return cls(
                N=N,
                X=X,
                Y=Y,
                M=M,
                gold_answer_perimeter=perimeter(X, Y, best),
                gold_answer_cost=cost(M, best),
                reference_answer=joined(map(int, best)),
            )

        return spread(rng, draw, by=lambda problem: problem.reference_answer)

    def parse(self, text: str) -> list[bool]:
        if len(text) != self.N or not set(text) <= {"0", "1"}:
            raise Unparseable(f"not {self.N} characters 0 or 1: {text[:40]!r}")
        return [character == "1" for character in text]

    def score(self, answer: list[bool]) -> float:
        reached = perimeter(self.X, self.Y, answer)
        reward = 0.5 * ratio(self.gold_answer_perimeter, reached) ** 5
        if reached == self.gold_answer_perimeter:
            reward += 0.5 * ratio(self.gold_answer_cost, cost(self.M, answer)) ** 5
        return reward

    def work(self) -> Work[str]:
        points = list(zip(self.X, self.Y, strict=True))
        small, large = [min(point) for point in points], [max(point) for point in points]
        yield f"Smaller coordinates: {spaced(small)}. Larger: {spaced(large)}"
        lows, highs = (min(small), min(large)), (max(small), max(large))
        yield f"The smaller are {lows[0]} to {highs[0]}, the larger {lows[1]} to {highs[1]}."
        yield f"One point has nothing above {lows[1]}: both lower ends of a box are at most that,"
        yield f"and one is {lows[0]}. One has nothing below {highs[0]}: both upper ends are at"
        yield f"least that, and one is {highs[1]}. So boxes with these ends are smallest:"
        choices: list[tuple[int, list[bool]]] = []
        boxes = product((lows, exchange(lows)), (highs, exchange(highs)))
        for low, high in dict.fromkeys(boxes):
            box = f"x from {low[0]} to {high[0]}, y from {low[1]} to {high[1]}"
            if low[0] > high[0] or low[1] > high[1]:
                yield f"{box}: there is no such box"
                continue
            yield f"{box}:"
            exchanged = [not fits(point, low, high) for point in points]
            misfit = [
                i
                for i, point in enumerate(points)
                if exchanged[i] and not fits(exchange(point), low, high)
            ]
            swaps = [i for i, swap in enumerate(exchanged) if swap]
            if misfit:
                yield f"Point {misfit[0]} fits neither way"
                continue
            costs = [self.M[i] for i in swaps]
            total = " + ".join(map(str, costs)) + (f" = {sum(costs)}" if len(costs) > 1 else "")
            choices.append((sum(costs), exchanged))
            fit = f"Exchange {spaced(swaps)}, the others fit" if swaps else "All fit"
            yield f"{fit} already: cost {total or 0}"
        least, best = min(choices)
        yield f"The least cost is {least}"
        yield state("Exchanged", map(int, best))
        return joined(map(int, best))


def exchange(point: Point) -> Point:
    return point[1], point[0]


def result(X: list[int], Y: list[int], exchanged: list[bool]) -> list[Point]:
    """All points, with the chosen ones swapped."""
    points = zip(X, Y, strict=True)
    return [exchange(point) if e else point for point, e in zip(points, exchanged, strict=True)]


def perimeter(X: list[int], Y: list[int], exchanged: list[bool]) -> int:
    coordinates = zip(*result(X, Y, exchanged), strict=True)
    return 2 * sum(max(values) - min(values) for values in coordinates)


def cost(M: list[int], exchanged: list[bool]) -> int:
    return sum(m for m, e in zip(M, exchanged, strict=True) if e)


def fits(point: Point, low: Point, high: Point) -> bool:
    """Whether the point lies in the box with these two corners."""
    return low[0] <= point[0] <= high[0] and low[1] <= point[1] <= high[1]


def best_exchange(X: list[int], Y: list[int], M: list[int]) -> list[bool]:
    """The best choice for one of the four boxes of smallest perimeter.

    If all points have x <= y, the perimeter is smallest. Any other box of that perimeter has the
    same two lower ends and the same two upper ends, in one way or another.
    """
    small = [min(x, y) for x, y in zip(X, Y, strict=True)]
    large = [max(x, y) for x, y in zip(X, Y, strict=True)]
    lows, highs = (min(small), min(large)), (max(small), max(large))
    choices: list[list[bool]] = []
    for low, high in product((lows, exchange(lows)), (highs, exchange(highs))):
        exchanged = [not fits((x, y), low, high) for x, y in zip(X, Y, strict=True)]
        points = result(X, Y, exchanged)
        if all(fits(point, low, high) for point in points):
            choices.append(exchanged)
    return min(choices, key=lambda exchanged: cost(M, exchanged))
