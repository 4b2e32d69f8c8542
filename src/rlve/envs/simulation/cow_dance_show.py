from heapq import heapreplace
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.rewards import exact
from rlve.text import indexed
from rlve.work import Work, find_largest, state


class CowDanceShow(Environment[int]):
    """Find when the last of the cows that take turns on a small stage finishes."""

    N: int
    d: list[int]
    K: int
    reference_answer: int

    max_difficulty = 1_000  # the highest difficulty measured

    template = """
        {N} cows, numbered from 1 to {N}, dance on a stage that has room for {K} cows at a time.
        Cow i dances for d[i] units of time:

        {d}

        At time 0, cows 1 to {K} start to dance. Whenever a cow finishes, it leaves the stage, and
        the cow with the smallest number among those that have not started yet, if there is one,
        starts at the same moment. If several cows finish at the same moment, as many can start.

        At what time does the last cow finish?

        Output format: one integer, the time.
        """

    def prompt(self) -> str:
        return self.fill(d=indexed("d", self.d, start=1))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": d + 4}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        times = [rng.randint(1, N) for _ in range(N)]
        K = rng.randint(2, N - 1)
        return cls(N=N, d=times, K=K, reference_answer=finishing_time(times, K))

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact(answer == self.reference_answer)

    def work(self) -> Work[str]:
        yield "Each cow takes the place that is free first. Note when each place becomes free."
        free = [0] * self.K
        yield state("Free at", free)
        for cow, time in enumerate(self.d, 1):
            start = min(free)
            free[free.index(start)] = start + time
            yield f"Cow {cow}: {start} + {time} = {start + time}. {state('Free at', free)}"
        yield "The last cow finishes at the largest of these times."
        return str((yield from find_largest(free)))


def finishing_time(times: list[int], K: int) -> int:
    """Each cow starts at the earliest time at which a place is free."""
    free = [0] * K
    for time in times:
        heapreplace(free, free[0] + time)
    return max(free)
