from itertools import pairwise
from math import isqrt
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.arrays import cheapest_blocks, is_increasing
from rlve.answers import integers
from rlve.foundation.pictures import Bars
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import redraw
from rlve.text import indexed, spaced
from rlve.work import Work, state


class CleaningUp(Environment[list[int]]):
    """Cut a sequence into batches that each cost the square of their number of distinct values.

    Neither a single batch nor batches of one element are ever best.
    """

    N: int
    A: list[int]
    gold_answer: int  # the minimum total cost

    max_difficulty = 350  # at 440, generating a problem takes too long
    unique_up_to = None  # several answers can be right
    picture = Bars(first=1, answer="positions")

    template = """
        A sequence A has {N} integers, numbered from 1 to {N}:

        {A}

        Cut it into consecutive non-empty batches, as many as you like. They are given by the
        positions of their last elements, end[1] < end[2] < ... < end[k] = {N}: the first batch is
        A[1] to A[end[1]], the second one A[end[1] + 1] to A[end[2]], and so on.

        A batch with q distinct values costs q * q. Make the total cost of the batches as small as
        possible. If several ways to cut have the smallest cost, any of them is right.

        Output format: one line with end[1] ... end[k], separated by spaces. The last one is {N}.
        """

    def prompt(self) -> str:
        return self.fill(A=indexed("A", self.A, start=1))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 4 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> Self:
            A = draw_array(rng, N)
            return cls(N=N, A=A, gold_answer=cost(A, cheapest_ends(A)))

        return redraw(
            draw,
            until=lambda problem: problem.gold_answer < min(N, len(set(problem.A)) ** 2),
        )

    def parse(self, text: str) -> list[int]:
        return integers(text, at_least=1)

    def score(self, answer: list[int]) -> float:
        if answer[0] < 1 or answer[-1] != self.N or not is_increasing(answer):
            return INVALID
        return ratio(self.gold_answer, cost(self.A, answer)) ** 5

    def reference(self) -> str:
        return spaced(cheapest_ends(self.A))

    def work(self) -> Work[str]:
        yield "best[j] is the smallest cost of the first j elements; best[0] = 0. If their last"
        yield "batch starts at i, the cost is best[i - 1] + q * q."
        best, starts = [0], [0]
        for end in range(1, self.N + 1):
            options: list[tuple[int, int]] = []
            shown: list[str] = []
            for start in range(end, 0, -1):
                q = len(set(self.A[start - 1 : end]))
                options.append((best[start - 1] + q * q, start))
                shown.append(f"i = {start}: {best[start - 1]} + {q} * {q} = {options[-1][0]}")
            cost, start = min(options)
            yield f"j = {end}, {'; '.join(shown)}; best[{end}] = {cost} with i = {start}"
            best.append(cost)
            starts.append(start)
        ends = [self.N]
        while starts[ends[0]] > 1:
            ends.insert(0, starts[ends[0]] - 1)
        yield state("The batch before ends at i - 1. Ends, from the last back", reversed(ends))
        return spaced(ends)


def draw_array(rng: Random, N: int) -> list[int]:
    """Draw blocks that each have few different values."""
    cuts = sorted(rng.sample(range(1, N), rng.randint(1, N - 1)))
    array: list[int] = []
    for start, end in pairwise([0, *cuts, N]):
        values = rng.sample(range(1, N + 1), isqrt(end - start))
        array += rng.choices(values, k=end - start)
    return array


def batch_cost(batch: list[int]) -> int:
    return len(set(batch)) ** 2


def cost(A: list[int], ends: list[int]) -> int:
    return sum(batch_cost(A[start:end]) for start, end in pairwise([0, *ends]))


def cheapest_ends(A: list[int]) -> list[int]:
    return cheapest_blocks(len(A), lambda start, end: batch_cost(A[start:end]))
