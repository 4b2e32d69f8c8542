from heapq import heapify, heappop, heappush
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.arrays import is_permutation
from rlve.algorithms.graphs import Edge
from rlve.answers import integers
from rlve.foundation.pictures import Graph
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import prefer, redraw
from rlve.text import lines, spaced
from rlve.work import Work, state

MOST_BEFORE_ONE = 3  # how many conditions may put something before the same number


class TopologicalSort_MinimalLexicographicalOrder(Environment[list[int]]):
    """Order numbers so that conditions hold and 0, then 1, then 2, ... come as early as possible.

    Problems whose answer is 0, 1, 2, ... are redrawn.
    """

    N: int
    before_conditions: list[Edge]  # (a, b): a comes before b
    gold_answer: list[int]
    reference_answer: str

    max_difficulty = 40  # at 50, a prompt exceeds 32,000 characters
    picture = Graph("before_conditions", directed=True, answer="order")

    template = """
        Arrange the {N} integers from 0 to {last} in a line, each of them once, such that all these
        conditions hold:

        {conditions}

        Before means nearer to the start of the line.

        Of all arrangements that satisfy the conditions, find the one in which 0 stands as near to
        the start as possible; among those in which 0 stands there, the one in which 1 stands as
        near to the start as possible; then the same for 2, and so on up to {last}.
        (So the positions of 0, 1, 2, ... are compared in this order. This is in general not the
        arrangement that is smallest when read from its start.)

        Output format: one line with the {N} integers in the order in which they are arranged,
        separated by spaces.
        """

    def prompt(self) -> str:
        conditions = (f"{a} must come before {b}" for a, b in self.before_conditions)
        return self.fill(last=self.N - 1, conditions=lines(conditions))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> tuple[list[Edge], list[int]]:
            conditions = redraw(lambda: random_conditions(rng, N), until=bool)
            return conditions, earliest_order(N, conditions)

        conditions, gold = prefer(draw, until=lambda drawn: drawn[1] != list(range(N)))
        return cls(
            N=N, before_conditions=conditions, gold_answer=gold, reference_answer=spaced(gold)
        )

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if not is_permutation(answer, self.N):
            return INVALID
        position = {value: i for i, value in enumerate(answer)}
        satisfied = sum(position[a] < position[b] for a, b in self.before_conditions)
        if satisfied < len(self.before_conditions):
            return 0.5 * ratio(satisfied, len(self.before_conditions)) ** 5
        right = sum(x == gold for x, gold in zip(answer, self.gold_answer, strict=True))
        return 0.5 + 0.5 * ratio(right, self.N) ** 5

    def work(self) -> Work[str]:
        yield "Fill the line from its end. A number can be last if none of those left must come"
        yield "after it; take the largest. Were a smaller one last, moving the largest to the end"
        yield "would make that smaller one earlier and only the largest later, which is better."
        after = {v: [b for a, b in self.before_conditions if a == v] for v in range(self.N)}
        yield "After: " + "; ".join(f"{v} has {spaced(b) or 'none'}" for v, b in after.items())
        line: list[int] = []
        while len(line) < self.N:
            left = [v for v in after if v not in line]
            free = [v for v in left if not any(b in left for b in after[v])]
            line.insert(0, max(free))
            yield f"Left: {spaced(left)}. Can be last: {spaced(free)}, place {line[0]}"
        yield state("Line", line)
        return spaced(line)


def random_conditions(rng: Random, n: int) -> list[Edge]:
    """Conditions that a hidden order satisfies."""
    order = rng.sample(range(n), n)
    conditions = [
        (order[earlier], order[i])
        for i in range(1, n)
        for earlier in rng.sample(range(i), rng.randint(0, min(i, MOST_BEFORE_ONE)))
    ]
    rng.shuffle(conditions)
    return conditions


def earliest_order(n: int, conditions: list[Edge]) -> list[int]:
    """From the end: the largest number that nothing left must follow can come last."""
    before: list[list[int]] = [[] for _ in range(n)]
    followers = [0] * n
    for a, b in conditions:
        before[b].append(a)
        followers[a] += 1
    free = [-v for v in range(n) if not followers[v]]
    heapify(free)
    backwards: list[int] = []
    while free:
        v = -heappop(free)
        backwards.append(v)
        for a in before[v]:
            followers[a] -= 1
            if not followers[a]:
                heappush(free, -a)
    return backwards[::-1]
