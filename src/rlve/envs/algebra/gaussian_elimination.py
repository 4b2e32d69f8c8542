from math import gcd
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integers
from rlve.foundation.pictures import Grid
from rlve.levels import grow
from rlve.rewards import ratio
from rlve.sampling.rejection import redraw
from rlve.text import lines, spaced, weighted
from rlve.work import Work

RATIOS = (2.0, 2.1, 2.2, 2.3, 2.4, 2.5, 2.6, 2.7, 2.8, 2.9, 3.0)


class GaussianElimination(Environment[list[int]]):
    """Solve a system of linear equations in integers.

    The system is built from a planted solution. If it has others, they are also right.
    """

    N: int
    M: int
    x: list[int]  # a solution
    reference_answer: str
    equations: list[list[int]]  # the coefficients
    results: list[int]

    max_difficulty = 21  # the next level, 186 equations in 62 unknowns, is too long for a prompt
    unique_up_to = None  # several answers can be right
    picture = Grid("equations", right="results", blank="0")

    template = """
        Find integers x0 to x{last} that satisfy all of these equations:

        {equations}

        The integers can be negative, zero or positive. There is a solution; if there are several,
        any of them is right.

        Output format: one line with x0 to x{last} in this order, separated by spaces.
        """

    def prompt(self) -> str:
        equations = zip(self.equations, self.results, strict=True)
        return self.fill(
            last=self.N - 1, equations=lines(f"{linear(row)} = {c}" for row, c in equations)
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        N = grow(3, d)
        return [{"N": N, "M": int(c * N)} for c in RATIOS]

    @classmethod
    def sample(cls, rng: Random, N: int, M: int) -> Self:
        def coefficient() -> int:
            return rng.randint(1, max(1, N // 5)) if rng.random() < 0.5 else 0

        x = [rng.randint(1, N) for _ in range(N)]
        equations = [redraw(lambda: [coefficient() for _ in range(N)], until=any) for _ in range(M)]
        results = [value(row, x) for row in equations]
        return cls(N=N, M=M, x=x, reference_answer=spaced(x), equations=equations, results=results)

    def parse(self, text: str) -> list[int]:
        return integers(text, count=self.N)

    def score(self, answer: list[int]) -> float:
        equations = zip(self.equations, self.results, strict=True)
        return ratio(sum(value(row, answer) == c for row, c in equations), self.M) ** 10

    def work(self) -> Work[str | None]:
        yield "Take equations with few unknowns first, and remove the unknowns that are dealt with."
        yield "Leave out equations that lose all their unknowns this way: they say nothing new."
        rows = [[*row, result] for row, result in zip(self.equations, self.results, strict=True)]
        solved: dict[int, list[int]] = {}  # by the unknown that is removed from later equations
        for row in sorted(dict.fromkeys(map(tuple, rows)), key=lambda row: -row[:-1].count(0)):
            if len(solved) == self.N:
                break
            reduced = yield from remove(list(row), solved)
            if any(reduced[:-1]):
                lead = min((i for i in range(self.N) if reduced[i]), key=lambda i: abs(reduced[i]))
                solved[lead] = reduced
        x = [0] * self.N
        free = [f"x{i} = 0" for i in range(self.N) if i not in solved]
        if free:
            yield f"Free to choose: {', '.join(free)}"
        for lead, row in reversed(solved.items()):
            others = [(row[i], x[i]) for i in range(self.N) if row[i] and i != lead]
            top = row[-1] - sum(c * value for c, value in others)
            if top % row[lead]:
                return None  # the choice does not give integers
            x[lead] = top // row[lead]
            shown = f"{row[-1]}" + "".join(plus(-c, value) for c, value in others)
            if row[lead] != 1:
                shown = f"({shown}) / {row[lead]}" if others else f"{shown} / {row[lead]}"
            if shown != str(x[lead]):
                yield f"From {equation(row)}: x{lead} = {shown} = {x[lead]}"
        yield f"So the integers are {spaced(x)}"
        return spaced(x)


def remove(row: list[int], solved: dict[int, list[int]]) -> Work[list[int]]:
    """An equation without the unknowns that earlier ones are solved for."""
    steps = [equation(row)]
    for lead, other in solved.items():
        if row[lead]:
            shared = gcd(row[lead], other[lead])
            p, q = other[lead] // shared, row[lead] // shared
            if p < 0:
                p, q = -p, -q
            by = "" if p == 1 else f"times {p}, "
            often = "" if abs(q) == 1 else f"{abs(q)} times "
            verb = "minus" if q > 0 else "plus"
            shown = (f"{row[-1]}" if p == 1 else f"{p} * {row[-1]}") + plus(-q, other[-1])
            row = [p * a - q * b for a, b in zip(row, other, strict=True)]
            steps.append(
                f"{by}{verb} {often}({equation(other)}): {unknowns(row)} = {shown} = {row[-1]}"
            )
    if any(row[:-1]):
        yield ", ".join(steps)
    return row


def plus(factor: int, value: int) -> str:
    """A product as a further term of a sum."""
    term = f"{abs(value)}" if abs(factor) == 1 else f"{abs(factor)} * {abs(value)}"
    return f" - {term}" if factor * value < 0 else f" + {term}"


def unknowns(row: list[int]) -> str:
    return weighted([(c, f"x{i}") for i, c in enumerate(row[:-1])])


def equation(row: list[int]) -> str:
    return f"{unknowns(row)} = {row[-1]}"


def value(coefficients: list[int], x: list[int]) -> int:
    return sum(a * b for a, b in zip(coefficients, x, strict=True))


def linear(coefficients: list[int]) -> str:
    """Write no zero terms and no spaces: prompts are long enough as it is."""
    return "+".join(f"{c}*x{i}" if c > 1 else f"x{i}" for i, c in enumerate(coefficients) if c)
