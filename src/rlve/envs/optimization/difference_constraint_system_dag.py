from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integers
from rlve.levels import grow
from rlve.rewards import WRONG, ratio
from rlve.sampling.graphs import random_arcs
from rlve.sampling.rejection import prefer
from rlve.text import lines, spaced
from rlve.work import Work, state

SYMBOLS = {1: "=", 2: "<", 3: ">=", 4: ">", 5: "<="}
DENSITIES = (1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9, 2.0)


class DifferenceConstraintSystemDAG(Environment[list[int]]):
    """Find the positive integers with the smallest sum that satisfy given comparisons.

    Systems solved by all ones are redrawn.
    """

    N: int
    M: int  # how many relations were asked for
    relations: list[tuple[int, int, int]]  # (code, a, b): how x[a] compares with x[b]
    reference_answer: str
    gold_answer: int  # the smallest sum

    max_difficulty = 45  # at 52, generating a problem takes too long

    template = """
        Find {N} positive integers x[0] to x[{last}] that satisfy all of these relations:

        {relations}

        Make the sum of the {N} integers as small as possible. There are integers that satisfy all
        relations.

        Output format: one line with x[0] to x[{last}] in this order, separated by spaces.
        """

    def prompt(self) -> str:
        return self.fill(
            last=self.N - 1,
            relations=lines(f"x[{a}] {SYMBOLS[code]} x[{b}]" for code, a, b in self.relations),
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        N = grow(3, d)
        return [{"N": N, "M": int(m * N)} for m in DENSITIES]

    @classmethod
    def sample(cls, rng: Random, N: int, M: int) -> Self:
        def draw() -> Self:
            x = [rng.randint(1, N) for _ in range(N)]
            pairs = random_arcs(rng, N, min(M, N * (N - 1)))
            relations = [(rng.choice(codes(x[a], x[b])), a, b) for a, b in pairs]
            least = least_solution(N, relations)
            return cls(
                N=N,
                M=M,
                relations=relations,
                reference_answer=spaced(least),
                gold_answer=sum(least),
            )

        return prefer(draw, until=lambda problem: problem.gold_answer > N)

    def parse(self, text: str) -> list[int]:
        return integers(text, count=self.N)

    def score(self, answer: list[int]) -> float:
        if min(answer) < 1:
            return WRONG
        kept = sum(code in codes(answer[a], answer[b]) for code, a, b in self.relations)
        reward = 0.5 * ratio(kept, len(self.relations)) ** 5
        if kept < len(self.relations):
            return reward
        return reward + 0.5 * ratio(self.gold_answer, sum(answer)) ** 5

    def work(self) -> Work[str]:
        yield "Begin with 1 everywhere, and raise a number only as far as a relation requires."
        yield "So no solution has a smaller number in any place."
        x = [1] * self.N
        settled = False
        yield state("x", x)
        while not settled:
            settled = True
            for code, a, b in self.relations:
                for lower, upper, gap in at_least(code, a, b):
                    least = x[lower] + gap
                    if x[upper] < least:
                        settled = False
                        x[upper] = least
                        to = f"{x[lower]} + 1 = {least}" if gap else str(least)
                        relation = f"x[{a}] {SYMBOLS[code]} x[{b}]"
                        yield f"{relation}: raise x[{upper}] to {to}. {state('x', x)}"
        yield "Now all relations hold."
        return spaced(x)


def codes(a: int, b: int) -> tuple[int, ...]:
    """The relations that hold between two numbers."""
    if a == b:
        return 1, 3, 5
    return (2, 5) if a < b else (3, 4)


def least_solution(N: int, relations: list[tuple[int, int, int]]) -> list[int]:
    """The smallest value of each unknown, which all can take at the same time.

    Unknowns are raised from 1 only as far as a relation requires. There must be a solution.
    """
    rises = [rise for relation in relations for rise in at_least(*relation)]
    x = [1] * N
    settled = False
    while not settled:
        settled = True
        for lower, upper, gap in rises:
            if x[upper] < x[lower] + gap:
                x[upper] = x[lower] + gap
                settled = False
    return x


def at_least(code: int, a: int, b: int) -> list[tuple[int, int, int]]:
    """A relation as triples (lower, upper, gap): x[upper] >= x[lower] + gap."""
    if code == 1:
        return [(a, b, 0), (b, a, 0)]
    gap = int(code in (2, 4))
    return [(a, b, gap) if code in (2, 5) else (b, a, gap)]
