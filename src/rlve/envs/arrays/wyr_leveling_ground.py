from heapq import heapify, heapreplace
from itertools import pairwise
from math import gcd
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.foundation.pictures import Bars
from rlve.levels import grow
from rlve.rewards import exact
from rlve.text import indexed
from rlve.work import Work, add_all, divide, find_best, is_easy


class WYRLevelingGround(Environment[int]):
    """Level an array to zero with the fewest additions of +A, -A, +B or -B to subarrays."""

    N: int
    A: int
    B: int
    H: list[int]
    reference_answer: int

    max_difficulty = 50  # at 60, a prompt exceeds 32,000 characters
    picture = Bars("H")

    template = """
        An array H has {N} integers:

        {H}

        One operation picks a non-empty contiguous subarray and does one of the following:
        - add {A} to each of its elements;
        - subtract {A} from each of its elements;
        - add {B} to each of its elements;
        - subtract {B} from each of its elements.

        What is the minimum number of operations that make all elements of H equal to 0? It can be
        done, and elements may take any integer value in between.

        Output format: one integer, the minimum number of operations.
        """

    def prompt(self) -> str:
        return self.fill(H=indexed("H", self.H))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(2, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        A, B = rng.sample(range(1, 2 * N + 1), 2)
        negative_a, negative_b = rng.random(), rng.random()

        def coefficient(negative: float) -> int:
            value = rng.randint(0, 2 * N)
            return -value if rng.random() < negative else value

        H = [coefficient(negative_a) * A + coefficient(negative_b) * B for _ in range(N)]
        return cls(N=N, A=A, B=B, H=H, reference_answer=fewest_operations(H, A, B))

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact(answer == self.reference_answer)

    def work(self) -> Work[str]:
        common = gcd(self.A, self.B)
        a, b = sorted((self.A // common, self.B // common))
        yield "An operation adds a number to one difference in 0, H, 0 and takes it off another."
        yield "All must become 0."
        steps = list(pairwise([0, *self.H, 0]))
        yield ", ".join(
            f"{after} - {before if before >= 0 else f'({before})'} = {after - before}"
            for before, after in steps
        )
        goals = [after - before for before, after in steps]
        if common > 1:
            yield f"{self.A}, {self.B} and all of these are multiples of {common}. Divide:"
            for i, goal in enumerate(goals):
                goals[i] = yield from quotient(goal, common)
        yield f"Write each as {a} * x + {b} * y. An operation changes two x, or two y, by 1 and -1,"
        yield "so all x must add up to 0 (then all y do). Operations: half of all |x| + |y|."
        yield f"As x changes by {b}, y does only by {a}, so x near 0 is cheap: take off {a}, x"
        yield f"times, until a multiple of {b} is left. If x > 0, try x - {b}, too."
        yield "Add up the cheaper x."
        pairs: list[tuple[int, int]] = []
        for goal in goals:
            pairs.append((yield from cheapest(goal, a, b)))
        excess = yield from add_all([x for x, _ in pairs])
        yield f"The x add up to {excess}" + ("" if excess else ", as needed")
        change = -b if excess > 0 else b
        while excess:
            yield f"Change one x by {change}, where it costs least; once more would cost no less."
            changed = [(x + change, y - a * change // b) for x, y in pairs]
            i = yield from find_best(
                (added(*both) for both in zip(pairs, changed, strict=True)), "<"
            )
            pairs[i] = changed[i]
            yield f"The x add up to {excess} {'-' if excess > 0 else '+'} {b} = {excess + change}"
            excess += change
        yield "x, y: " + "; ".join(f"{x}, {y}" for x, y in pairs)
        total = yield from add_all([abs(value) for pair in pairs for value in pair if value])
        yield f"{total} / 2 = {total // 2}"
        return str(total // 2)


def quotient(value: int, by: int, text: str = "") -> Work[int]:
    """A multiple of some number, divided by it; the text goes in front."""
    if is_easy("/", value, by):
        yield f"{text}{value} / {by} = {value // by}"
    else:
        yield f"{text}{value}, to be divided by {by}"
        yield from divide(abs(value), by)
        yield f"So {value} / {by} = {value // by}"
    return value // by


def cheapest(goal: int, a: int, b: int) -> Work[tuple[int, int]]:
    """x and y of the least |x| + |y| with a * x + b * y = goal, for a <= b."""
    x, rest, text = 0, goal, f"{goal}: "
    while rest % b:
        text += f"{rest} - {a} = {rest - a}, "
        x, rest = x + 1, rest - a
    y = yield from quotient(rest, b, text)
    yield f"x = {x}, y = {y}: |{x}| + |{y}| = {abs(x) + abs(y)}"
    if x == 0:
        return x, y
    u, v = x - b, y + a
    yield f"x = {x} - {b} = {u}, y = {y} + {a} = {v}: |{u}| + |{v}| = {abs(u) + abs(v)}"
    return (u, v) if abs(u) + abs(v) < abs(x) + abs(y) else (x, y)


def added(before: tuple[int, int], after: tuple[int, int]) -> tuple[str, int]:
    """What it costs to change x and y."""
    (x, y), (u, v) = before, after
    cost = abs(u) + abs(v) - abs(x) - abs(y)
    signs = "+-" if u > x else "-+"
    changes = f"{x} {signs[0]} {abs(u - x)} = {u}, {y} {signs[1]} {abs(v - y)} = {v}"
    return f"{changes}: {abs(u)} + {abs(v)} - {abs(x)} - {abs(y)} = {cost}", cost


def fewest_operations(H: list[int], A: int, B: int) -> int:
    """The minimum number of operations; the greatest common divisor of A and B divides every H.

    An operation adds a step to one difference between neighbours in 0, H, 0 and subtracts it from
    another. So each difference c must be written as a * x + b * y, with all x summing to 0 (then
    all y do too), and the number of operations is half the sum of |x| + |y|.

    For one c, the x differ by multiples of b, and the cost |x| + |y| is convex in x. So start with
    the cheapest x of each c and, until their sum is 0, make the change by b that costs least.
    """
    common = gcd(A, B)
    a, b = sorted((A // common, B // common))
    inverse = pow(a, -1, b)

    def cost(c: int, x: int) -> int:
        return abs(x) + abs((c - a * x) // b)

    cheapest: list[tuple[int, int]] = []
    for before, after in pairwise([0, *H, 0]):
        c = (after - before) // common
        x = c * inverse % b
        # a <= b: as x moves away from 0 by b, y comes nearer to 0 by no more than a
        cheapest.append((c, x if cost(c, x) <= cost(c, x - b) else x - b))

    total = sum(cost(c, x) for c, x in cheapest)
    excess = sum(x for _, x in cheapest)
    step = -b if excess > 0 else b
    changes = [(cost(c, x + step) - cost(c, x), c, x + step) for c, x in cheapest]
    heapify(changes)
    for _ in range(abs(excess) // b):
        added, c, x = changes[0]
        total += added
        heapreplace(changes, (cost(c, x + step) - cost(c, x), c, x + step))
    return total // 2
