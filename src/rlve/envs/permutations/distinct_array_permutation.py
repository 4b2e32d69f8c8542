from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integers
from rlve.foundation.pictures import Bars
from rlve.rewards import INVALID, exact
from rlve.text import spaced
from rlve.work import Work, state


class DistinctArrayPermutation(Environment[list[int]]):
    """Rearrange an array so that no proper subset of the positions keeps its sum."""

    N: int
    array: list[int]
    reference_answer: str

    max_difficulty = 1_000  # the highest difficulty measured
    unique_up_to = None  # several answers can be right
    picture = Bars("array", answer="heights")

    template = """
        A is this array of {N} distinct integers:

        {array}

        Give a rearrangement B of A with this property: for every set S of positions that is neither
        empty nor the set of all {N} positions, the sum of A over the positions in S differs from
        the sum of B over the same positions. Any such B is accepted, and there is always one.

        Output format: one line with the {N} integers of B in order, separated by spaces.
        """

    def prompt(self) -> str:
        return self.fill(array=spaced(self.array))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": min(3 + d, 22)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        array = rng.sample(range(2 * N), N)
        ranked = sorted(array)
        # Only the largest integer shrinks. So a sum without it grows, and one with it shrinks, as
        # the sum over the other positions grows.
        larger = dict(zip(ranked, ranked[1:] + ranked[:1], strict=True))
        answer = spaced(larger[value] for value in array)
        return cls(N=N, array=array, reference_answer=answer)

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if len(answer) != self.N or sorted(answer) != sorted(self.array):
            return INVALID
        changes = [b - a for a, b in zip(self.array, answer, strict=True)]
        return exact(not keeps_a_sum(changes))

    def work(self) -> Work[str]:
        yield "Replace each integer by the next larger one, and the largest by the smallest. Only"
        yield "the largest falls. So a sum without it grows, and one with it falls, as the sum of"
        yield "the other positions grows and the sum of all stays."
        ranked = sorted(self.array)
        yield state("Sorted", ranked)
        larger = dict(zip(ranked, ranked[1:] + ranked[:1], strict=True))
        yield ", ".join(f"{value} to {larger[value]}" for value in self.array)
        answer = [larger[value] for value in self.array]
        yield state("B", answer)
        return spaced(answer)


def keeps_a_sum(changes: list[int]) -> bool:
    """Whether some of the changes, neither none nor all, add up to 0, as all of them do.

    Either these or the others leave out the first change, so it can be ignored.
    """
    sums: set[int] = set()
    for change in changes[1:]:
        sums |= {total + change for total in sums} | {change}
        if 0 in sums:
            return True
    return False
