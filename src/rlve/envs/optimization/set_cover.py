from collections.abc import Mapping
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integers
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import prefer
from rlve.text import lines, spaced
from rlve.work import Work, deduce, state

MAX_M_MULTIPLE = 2


class SetCover(Environment[list[int]]):
    """Select sets so that every item lies in exactly one of them (exact cover).

    Problems are redrawn if one set has all items, or if all sets together are a cover.
    """

    N: int
    Sets: list[list[int]]
    reference_answer: str

    max_difficulty = 200  # at 270, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right

    template = """
        There are {N} items, numbered from 0 to {last}, and {M} sets of items, numbered from 0 to
        {last_set}:

        {sets}

        Select some of these sets such that every item lies in exactly one selected set: no item is
        left out, and no item is in two selected sets. How many sets are selected does not matter.
        There is such a selection; if there are several, any of them is right.

        Output format: one line with the numbers of the selected sets, in any order, separated by
        spaces. A number that is repeated counts once.
        """

    def prompt(self) -> str:
        return self.fill(
            last=self.N - 1,
            M=len(self.Sets),
            last_set=len(self.Sets) - 1,
            sets=lines(f"{i}: {{{spaced(items)}}}" for i, items in enumerate(self.Sets)),
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 3 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> Self:
            sets, planted = random_sets(rng, N)
            return cls(N=N, Sets=sets, reference_answer=spaced(planted))

        def has_to_choose(problem: Self) -> bool:
            sizes = [len(items) for items in problem.Sets]
            return max(sizes) < N < sum(sizes)

        return prefer(draw, has_to_choose)

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        selected = set(answer)
        if not all(0 <= i < len(self.Sets) for i in selected):
            return INVALID
        items = [item for i in selected for item in self.Sets[i]]
        if len(set(items)) != len(items):
            return INVALID
        return ratio(len(items), self.N) ** 10

    def work(self) -> Work[str | None]:
        yield "Find the set that covers each item, forced ones first. Selected sets share no item."

        def conflict(covering: Mapping[int, int], item: int, number: int) -> str | None:
            for other in dict.fromkeys(covering.values()):
                shared = set(self.Sets[number]).intersection(self.Sets[other])
                if other != number and shared:
                    return f"shares item {min(shared)} with set {other}"
            return None

        found = yield from deduce(
            range(self.N),
            lambda item: [i for i, items in enumerate(self.Sets) if item in items],
            conflict,
            name=lambda item: f"Set for item {item}",
            show=lambda covering: state("Selected", sorted(set(covering.values()))),
        )
        if found is None:
            return None
        yield state("Selected", sorted(set(found.values())))
        return spaced(sorted(set(found.values())))


def random_sets(rng: Random, n: int) -> tuple[list[list[int]], list[int]]:
    """Non-empty sets of the items 0 .. n-1, and the indices of an exact cover."""
    count = rng.randint(3, MAX_M_MULTIPLE * n)
    parts = rng.randint(2, count - 1)
    cover: list[list[int]] = [[] for _ in range(parts)]
    for item in range(n):
        rng.choice(cover).append(item)
    decoys: list[list[int]] = []
    for _ in range(count - parts):
        chance = rng.random()
        decoys.append([item for item in range(n) if rng.random() < chance])
    marked = [(items, True) for items in cover] + [(items, False) for items in decoys]
    marked = [(items, planted) for items, planted in marked if items]
    rng.shuffle(marked)
    indices = [i for i, (_, planted) in enumerate(marked) if planted]
    return [items for items, _ in marked], indices
