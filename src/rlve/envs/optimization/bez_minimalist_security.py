from random import Random
from typing import NamedTuple, Self

from rlve import Environment, Level
from rlve.algorithms.graphs import WeightedEdge
from rlve.answers import integers
from rlve.foundation.pictures import Graph
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.sampling.graphs import random_edges
from rlve.sampling.rejection import prefer
from rlve.text import indexed, lines, spaced
from rlve.work import Work, state


class BEZMinimalistSecurity(Environment[list[int]]):
    """Choose bounded integers with prescribed pair sums and the smallest or largest total.

    Instances with only one possible total are redrawn. With many constraints there are few others,
    and the task is to solve the equations.
    """

    N: int
    edge_ratio: float  # constraints per variable
    edges: list[WeightedEdge]  # (u, v, w): Q[u] + Q[v] = w
    P: list[int]  # upper bounds
    minimized_or_maximized: str
    gold_answer: int  # the best total

    max_difficulty = 35  # at 45, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right
    picture = Graph(values="P", answer="values")

    template = """
        Choose {N} integers Q[0] to Q[{last}]. Each Q[i] must be at least 0 and at most P[i],
        where

        {P}

        and all of these equations must hold:

        {edges}

        Among all such choices, make the sum of all Q[i] as {direction} as possible. At least one
        choice satisfies all conditions; if several have the best sum, any of them is right.

        Output format: one line with Q[0] to Q[{last}] in this order, separated by spaces.
        """

    def prompt(self) -> str:
        return self.fill(
            last=self.N - 1,
            P=indexed("P", self.P),
            edges=lines(f"Q[{u}] + Q[{v}] = {w}" for u, v, w in self.edges),
            direction="small" if self.minimise else "large",
        )

    @property
    def minimise(self) -> bool:
        return self.minimized_or_maximized == "minimized"

    @classmethod
    def level(cls, d: int) -> list[Level]:
        N = grow(3, d)
        ratios = [tenths / 10 for tenths in range(10, 31)]
        fitting = [r for r in ratios if int(N * r) <= N * (N - 1) // 2]
        return [{"N": N, "edge_ratio": r} for r in fitting]

    @classmethod
    def sample(cls, rng: Random, N: int, edge_ratio: float) -> Self:
        count = max(1, min(N * (N - 1) // 2, int(edge_ratio * N)))

        def draw() -> tuple[list[WeightedEdge], list[int]]:
            Q = [rng.randint(0, N) for _ in range(N)]
            edges = [(u, v, Q[u] + Q[v]) for u, v in random_edges(rng, N, count)]
            return edges, [q + rng.randint(0, N) for q in Q]

        edges, P = prefer(draw, until=lambda drawn: total(*drawn, True) != total(*drawn, False))
        direction = rng.choice(["minimized", "maximized"])
        return cls(
            N=N,
            edge_ratio=edge_ratio,
            edges=edges,
            P=P,
            minimized_or_maximized=direction,
            gold_answer=total(edges, P, direction == "minimized"),
        )

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if len(answer) != self.N:
            return INVALID
        if not all(0 <= q <= p for q, p in zip(answer, self.P, strict=True)):
            return INVALID
        if any(answer[u] + answer[v] != w for u, v, w in self.edges):
            return INVALID
        reached, gold = sum(answer), self.gold_answer
        return (ratio(gold, reached) if self.minimise else ratio(reached, gold)) ** 5

    def reference(self) -> str:
        return spaced(extreme(self.edges, self.P, self.minimise))

    def work(self) -> Work[str]:
        yield "Express all Q that equations link in terms of one, t, and see how far t can go."
        values: dict[int, int] = {}
        for root in range(self.N):
            if root not in values:
                terms, low, high = yield from linked(root, self.edges, self.P)
                plus, minus = (sum(term.sign == s for term in terms.values()) for s in (1, -1))
                t = high if (plus > minus) != self.minimise and plus != minus else low
                if low < high:
                    kind = "smallest t" if t == low else "largest t"
                    best = kind if plus != minus else "any such t will do"
                    yield f"t counts {plus} - {minus} = {plus - minus} times in their sum: {best}"
                yield f"Take t = {t}"
                for v, term in terms.items():
                    values[v] = term.sign * t + term.offset
                    sum_ = f"{written(term, str(t))} = " if term.offset else ""
                    yield f"Q[{v}] = {sum_}{values[v]}"
        yield state("Q", (values[i] for i in range(self.N)))
        return spaced(values[i] for i in range(self.N))


class Line(NamedTuple):
    """The value sign * t + offset, where t is the value of the first variable of a component."""

    sign: int
    offset: int


def total(edges: list[WeightedEdge], P: list[int], minimise: bool) -> int:
    return sum(extreme(edges, P, minimise))


def extreme(edges: list[WeightedEdge], P: list[int], minimise: bool) -> list[int]:
    """The values with the smallest or the largest total."""
    touching: list[list[tuple[int, int]]] = [[] for _ in P]
    for u, v, w in edges:
        touching[u].append((v, w))
        touching[v].append((u, w))
    values = [0] * len(P)
    written: dict[int, Line] = {}
    for root in range(len(P)):
        if root in written:
            continue
        component = [root]
        written[root] = Line(1, 0)
        low, high = 0, P[root]
        for u in component:
            sign, offset = written[u]
            for v, w in touching[u]:
                here = Line(-sign, w - offset)
                if v not in written:
                    written[v] = here
                    component.append(v)
                elif written[v].sign != here.sign:  # a cycle of odd length fixes t
                    low = high = sign * (here.offset - written[v].offset) // 2
            ends = sign * (0 - offset), sign * (P[u] - offset)
            low, high = max(low, min(ends)), min(high, max(ends))
        rising = sum(written[u].sign for u in component) > 0
        t = low if rising == minimise else high
        for u in component:
            values[u] = written[u].sign * t + written[u].offset
    return values


def linked(
    root: int, edges: list[WeightedEdge], P: list[int]
) -> Work[tuple[dict[int, Line], int, int]]:
    """All variables that equations link to one, t, in terms of t, and the bounds of t."""
    terms = {root: Line(1, 0)}
    low, high = 0, P[root]
    yield f"Let t = Q[{root}]: 0 <= t <= {high}"
    for u in (waiting := [root]):
        for v, w in [(a + b - u, w) for a, b, w in edges if u in (a, b)]:
            sign, offset = terms[u]
            if v not in terms:
                waiting.append(v)
                terms[v] = Line(-sign, w - offset)
                ends = sorted(-sign * (bound - w + offset) for bound in (0, P[v]))
                low, high = max(low, ends[0]), min(high, ends[1])
                less = f", {w} - {offset} = {w - offset}".replace("- -", "+ ") if offset else ""
                yield f"Q[{u}] + Q[{v}] = {w}{less}: Q[{v}] = {written(terms[v], 't')}"
                yield f"0 <= Q[{v}] <= {P[v]}: {limits(terms[v], P[v])}; {low} <= t <= {high}"
            elif terms[v].sign == sign and low < high:
                both = offset + terms[v].offset
                more, fewer = (w, both) if sign > 0 else (both, w)
                low = high = (more - fewer) // 2
                twice = f"2 * t + {both}" if sign > 0 else f"{both} - 2 * t"
                added = f"{offset} + {terms[v].offset} = {both}, so {twice} = {w}"
                yield f"Q[{u}] + Q[{v}] = {w}: {added}".replace("+ -", "- ")
                half = f"2 * t = {more} - {fewer} = {2 * low}".replace("- -", "+ ")
                yield f"{half}, t = {2 * low} / 2 = {low}"
    return terms, low, high


def written(term: Line, t: str) -> str:
    """A value in terms of t: t + 3, t - 2, 5 - t."""
    if term.sign < 0:
        return f"{term.offset} - {t}"
    return f"{t} - {-term.offset}" if term.offset < 0 else f"{t} + {term.offset}"


def limits(term: Line, most: int) -> str:
    """How far t can go if a value is at least 0 and at most `most`."""
    if term.sign < 0:
        return f"t <= {term.offset}, t >= {term.offset} - {most} = {term.offset - most}"
    end = f"{most} - {term.offset} = {most - term.offset}".replace("- -", "+ ")
    return f"t >= {-term.offset}, t <= {end}"
