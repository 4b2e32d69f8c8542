from fractions import Fraction
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integers
from rlve.errors import Unparseable
from rlve.levels import grow
from rlve.rewards import ratio
from rlve.text import lines, spaced, weighted
from rlve.work import Work, state


class VisibleLine(Environment[list[int]]):
    """Find the lines that form part of the upper envelope.

    A line that only touches the envelope at one point is not visible.
    """

    N: int
    lines: list[tuple[int, int]]  # (slope, intercept)
    gold_answer: list[int]  # increasing
    reference_answer: str

    max_difficulty = 40  # at 47, generating a problem takes too long
    unique_up_to = frozenset

    template = """
        There are {N} distinct lines in the plane, numbered from 0 to {last}:

        {equations}

        A line is visible if there is an x at which it lies strictly above all other lines. (Looking
        down from y = +infinity, one sees it on an interval of x of positive length. A line that
        reaches the highest lines only in a single point, where several lines meet, is not visible.)

        Which lines are visible?

        Output format: one line with the numbers of all visible lines, in any order, separated by
        spaces. A number that is repeated counts once.
        """

    def prompt(self) -> str:
        return self.fill(
            last=self.N - 1,
            equations=lines(f"{i}: {equation(A, B)}" for i, (A, B) in enumerate(self.lines)),
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        values = range(-N, N + 1)
        drawn = rng.sample([(A, B) for A in values for B in values], N)
        visible = visible_lines(drawn)
        return cls(N=N, lines=drawn, gold_answer=visible, reference_answer=spaced(visible))

    def parse(self, text: str) -> list[int]:
        indices = integers(text)
        if not all(0 <= i < self.N for i in indices):
            raise Unparseable(f"a number outside 0 .. {self.N - 1}")
        return indices

    def score(self, answer: list[int]) -> float:
        given, gold = set(answer), set(self.gold_answer)
        return ratio(len(given & gold), len(given | gold)) ** 5

    def work(self) -> Work[str]:
        yield "Go through the lines by slope: far to the right, each is above those before. A line"
        yield "is visible from where it meets the one before, until it meets the one after."
        order = sorted(range(self.N), key=lambda i: self.lines[i])
        yield state("By slope", order)
        visible: list[tuple[int, Fraction | None]] = []  # with the x where each one begins
        for i in order:
            begins: Fraction | None = None
            while visible:
                last, since = visible[-1]
                if self.lines[last][0] == self.lines[i][0]:
                    yield f"{last} is parallel to {i} and below it: drop {last}"
                    visible.pop()
                    continue
                begins, text = meeting(self.lines[last], self.lines[i])
                if since is None or begins > since:
                    yield f"{i} meets {last} at x = {text}" + (
                        "" if since is None else f" > {since}"
                    )
                    break
                yield f"{i} meets {last} at x = {text} <= {since}, where {last} begins: drop {last}"
                visible.pop()
                begins = None
            visible.append((i, begins))
            yield state("Visible so far", (line for line, _ in visible))
        return spaced(sorted(line for line, _ in visible))


def meeting(a: tuple[int, int], b: tuple[int, int]) -> tuple[Fraction, str]:
    """The x where two lines meet, and how it is found."""
    x = Fraction(a[1] - b[1], b[0] - a[0])
    difference = f"({a[1]} - {b[1]}) / ({b[0]} - {a[0]})".replace("- -", "+ ")
    return x, f"{difference} = {x}"


def equation(A: int, B: int) -> str:
    return f"y = {weighted([(A, 'x'), (B, '')], times='')}"


def visible_lines(drawn: list[tuple[int, int]]) -> list[int]:
    """The indices of the lines of the upper envelope, built by increasing slope."""
    envelope: list[tuple[int, int, int]] = []  # (slope, intercept, index)
    for slope, intercept, i in sorted((A, B, i) for i, (A, B) in enumerate(drawn)):
        if envelope and envelope[-1][0] == slope:
            envelope.pop()  # a parallel line below this one
        while len(envelope) >= 2 and hidden(envelope[-2], envelope[-1], (slope, intercept, i)):
            envelope.pop()
        envelope.append((slope, intercept, i))
    return sorted(i for _, _, i in envelope)


def hidden(a: tuple[int, int, int], b: tuple[int, int, int], c: tuple[int, int, int]) -> bool:
    """Whether b is nowhere strictly above both a and c; the slopes increase.

    a and c meet at x = (a1 - c1) / (c0 - a0), where b must be higher.
    """
    return (b[1] - a[1]) * (c[0] - a[0]) <= (c[1] - a[1]) * (b[0] - a[0])
