from collections.abc import Mapping
from itertools import combinations
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integers
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import prefer
from rlve.text import lines, spaced
from rlve.work import Work, deduce, state

SETS_PER_ELEMENT = tuple(tenths / 10 for tenths in range(10, 31))
SMALL = 3
RANDOM_HALVES = 5


class SetSplitting(Environment[list[int]]):
    """Split a universe into two parts so that every given subset meets both.

    Problems solved by one of a few random halves, a third of them all, are redrawn. Only one of the
    three splits of three elements may be right.
    """

    N: int
    M: int
    Sets: list[list[int]]
    reference_answer: str

    max_difficulty = 70  # at 90, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right

    template = """
        The universe is the set of the {N} integers 0 to {last}. Here are {M} subsets of it, one per
        line:

        {sets}

        Split the universe into two parts S1 and S2: every integer from 0 to {last} is in exactly
        one of them. Each of the {M} subsets must have at least one element in S1 and at least one
        element in S2. There is such a split; if there are several, any of them is right.

        Output format: one line with the elements of S1, in any order, each once, separated by
        spaces.
        """

    def prompt(self) -> str:
        return self.fill(
            last=self.N - 1, sets=lines(f"{{{spaced(elements)}}}" for elements in self.Sets)
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        N = 3 + d
        return [{"N": N, "M": int(share * N)} for share in SETS_PER_ELEMENT]

    @classmethod
    def sample(cls, rng: Random, N: int, M: int) -> Self:
        def draw() -> Self:
            universe = rng.sample(range(N), N)
            size = rng.randint(1, N - 1)
            parts = universe[:size], universe[size:]
            sets: list[list[int]] = []
            for _ in range(M):
                some = [rng.sample(part, rng.randint(1, len(part))) for part in parts]
                elements = some[0] + some[1]
                rng.shuffle(elements)
                sets.append(elements)
            return cls(N=N, M=M, Sets=sets, reference_answer=spaced(parts[0]))

        def resists(problem: Self) -> bool:
            if N <= SMALL:
                return problem.right_parts() == 2  # the two parts of one split
            halves = [rng.sample(range(N), N // 2) for _ in range(RANDOM_HALVES)]
            return not any(problem.splits(half) == M for half in halves)

        return prefer(draw, resists, tries=12)

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if len(set(answer)) != len(answer) or not all(0 <= x < self.N for x in answer):
            return INVALID
        return ratio(self.splits(answer), self.M) ** 10

    def right_parts(self) -> int:
        sizes = range(1, self.N)
        parts = (part for size in sizes for part in combinations(range(self.N), size))
        return sum(self.splits(list(part)) == self.M for part in parts)

    def splits(self, part: list[int]) -> int:
        """How many of the subsets have elements both in the part and outside it."""
        first = set(part)
        return sum(0 < len(first.intersection(elements)) < len(elements) for elements in self.Sets)

    def work(self) -> Work[str | None]:
        yield "Put the integers into S1 or S2, forced ones first. No subset may lie in one part."

        def conflict(parts: Mapping[int, str], x: int, part: str) -> str | None:
            tried = {**parts, x: part}
            for elements in self.Sets:
                if all(tried.get(y) == part for y in elements):
                    return f"all of {spaced(elements)} would be in it"
            return None

        found = yield from deduce(
            range(self.N),
            lambda x: ("S1", "S2"),
            conflict,
            name=str,
            show=lambda parts: (
                state("S1", members(parts, "S1")) + ". " + state("S2", members(parts, "S2"))
            ),
        )
        if found is None:
            return None
        yield state("S1", members(found, "S1"))
        return spaced(members(found, "S1"))


def members(parts: Mapping[int, str], part: str) -> list[int]:
    return sorted(x for x, its in parts.items() if its == part)
