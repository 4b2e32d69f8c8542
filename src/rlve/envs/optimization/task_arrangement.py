from itertools import accumulate, pairwise
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.arrays import cheapest_blocks, is_increasing
from rlve.answers import integers
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import spread
from rlve.text import counted, lines, spaced


class TaskArrangement(Environment[list[int]]):
    """Cut a sequence of tasks into batches so that the weighted finishing times are smallest.

    With few tasks, a single batch is best too often, so other answers are made as likely.
    """

    N: int
    S: int
    T: list[int]
    F: list[int]
    reference_answer: str
    reference_answer_cost: int  # the smallest total cost

    max_difficulty = 35  # at 42, generating a problem takes too long
    unique_up_to = None  # several answers can be right

    template = """
        {N} tasks, numbered from 1 to {N}, are processed in this order. Task i takes T[i] units of
        time and has the weight F[i]:

        {tasks}

        Cut the sequence of tasks into one or more batches of consecutive tasks. The batches are
        processed one after the other, starting at time 0. Each batch first takes {units} of time
        to start up, and then the sum of T[i] over its tasks. All tasks of a batch finish at the
        moment when the whole batch ends. The cost of task i is its finishing time times F[i].

        Make the total cost of all tasks as small as possible. If several divisions have the
        smallest cost, any of them is right.

        Output format: one line with the last task of each batch, in increasing order, separated by
        spaces; the last one is {N}. For example, if there were 3 tasks, "2 3" would mean that the
        tasks 1 and 2 are a batch, and task 3 is another one.
        """

    def prompt(self) -> str:
        tasks = enumerate(zip(self.T, self.F, strict=True), 1)
        return self.fill(
            tasks=lines(f"T[{i}]={t} F[{i}]={f}" for i, (t, f) in tasks),
            units=counted(self.S, "unit"),
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(4, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> Self:
            S = rng.randint(0, 3 * N)
            T, F = ([rng.randint(1, N) for _ in range(N)] for _ in "TF")
            ends = best_division(S, T, F)
            return cls(
                N=N,
                S=S,
                T=T,
                F=F,
                reference_answer=spaced(ends),
                reference_answer_cost=total_cost(S, T, F, ends),
            )

        return spread(rng, draw, by=lambda problem: problem.reference_answer)

    def parse(self, text: str) -> list[int]:
        return integers(text, at_least=1)

    def score(self, answer: list[int]) -> float:
        if answer[0] < 1 or answer[-1] != self.N or not is_increasing(answer):
            return INVALID
        return ratio(self.reference_answer_cost, total_cost(self.S, self.T, self.F, answer)) ** 3


def total_cost(S: int, T: list[int], F: list[int], ends: list[int]) -> int:
    time = cost = 0
    for start, stop in pairwise([0, *ends]):
        time += S + sum(T[start:stop])
        cost += time * sum(F[start:stop])
    return cost


def best_division(S: int, T: list[int], F: list[int]) -> list[int]:
    """Each batch is charged up front for the time by which it delays itself and all that follow."""
    times, weights = list(accumulate(T, initial=0)), list(accumulate(F, initial=0))

    def charge(start: int, stop: int) -> int:
        return (S + times[stop] - times[start]) * (weights[-1] - weights[start])

    return cheapest_blocks(len(T), charge)
