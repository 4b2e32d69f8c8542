from collections.abc import Iterator
from itertools import pairwise
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer_rows
from rlve.rewards import INVALID, exact
from rlve.sampling.rejection import prefer
from rlve.text import counted, grid, spaced
from rlve.work import Work, search


class KPartition(Environment[list[list[int]]]):
    """Split numbers into groups of the same size and the same sum.

    Every such split is right. Multisets of one repeated number are redrawn.
    """

    N: int
    K: int  # the size of a group
    T: int  # the sum of a group
    Multiset_S: list[int]
    reference_answer: str

    max_difficulty = 1_000  # the highest difficulty measured
    unique_up_to = None  # several answers can be right

    template = """
        Split these {N} numbers into {groups} groups of exactly {K} numbers each:

        {numbers}

        Each number must be used in the groups exactly as often as it occurs in this list, and the
        numbers of each group must sum to {T}. There is such a split; if there are several, any of
        them is right.

        Output format: {groups} lines, one per group, each with the {K} numbers of the group,
        separated by spaces. The order of the groups, and of the numbers in a group, does not
        matter.
        """

    def prompt(self) -> str:
        return self.fill(groups=self.N // self.K, numbers=", ".join(map(str, self.Multiset_S)))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": (d + 2) * K, "K": K} for K in (2, 3, 4, 5)]

    @classmethod
    def sample(cls, rng: Random, N: int, K: int) -> Self:
        def draw() -> tuple[int, list[list[int]]]:
            T = rng.randint(max(K, N * K // 10), N * K)
            return T, [composition(rng, T, K) for _ in range(N // K)]

        T, groups = prefer(draw, until=lambda drawn: len({x for g in drawn[1] for x in g}) > 1)
        numbers = [x for group in groups for x in group]
        rng.shuffle(numbers)
        return cls(N=N, K=K, T=T, Multiset_S=numbers, reference_answer=grid(groups))

    def parse(self, text: str) -> list[list[int]]:
        return integer_rows(text)

    def score(self, answer: list[list[int]]) -> float:
        if len(answer) != self.N // self.K or any(len(group) != self.K for group in answer):
            return INVALID
        if sorted(x for group in answer for x in group) != sorted(self.Multiset_S):
            return INVALID
        return exact(all(sum(group) == self.T for group in answer))

    def work(self) -> Work[str | None]:
        others = counted(self.K - 1, "other")
        yield f"Take the largest number left with {others} to make the sum {self.T}, and so on."
        yield "If that fails, go back and change an earlier group."

        def options(groups: list[tuple[int, ...]]) -> Iterator[tuple[int, ...]]:
            left = list(self.Multiset_S)
            for x in (x for group in groups for x in group):
                left.remove(x)
            left.sort(reverse=True)
            return ((left[0], *rest) for rest in parts(left[1:], self.K - 1, self.T - left[0]))

        found = yield from search(
            options,
            lambda groups, group: None,
            lambda groups: len(groups) == self.N // self.K,
            lambda group: f"[{spaced(group)}]",
        )
        if found is None:
            return None
        for group in found:
            yield f"{' + '.join(map(str, group))} = {self.T}"
        return grid(found)


def composition(rng: Random, total: int, parts: int) -> list[int]:
    """Positive integers with this total, in random order."""
    cuts = sorted(rng.sample(range(1, total), parts - 1))
    return [b - a for a, b in pairwise([0, *cuts, total])]


def parts(numbers: list[int], size: int, total: int) -> Iterator[tuple[int, ...]]:
    """Different choices of so many of the numbers, which descend, with this total."""
    if size == 0 and total == 0:
        yield ()
    for i, x in enumerate(numbers):
        if size > 0 and x <= total <= x * size and numbers[i - 1 : i] != [x]:
            for rest in parts(numbers[i + 1 :], size - 1, total - x):
                yield x, *rest
