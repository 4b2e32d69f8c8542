from itertools import permutations
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.strings import border_lengths
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import exact
from rlve.sampling.rejection import redraw
from rlve.sampling.strings import random_string
from rlve.text import counted, lines
from rlve.work import Work, find_smallest

Costs = list[list[int]]


class ChoHamsters(Environment[int]):
    """Find the length of a shortest text in which given words occur often enough."""

    N: int
    MAX_M: int
    S: list[str]
    M: int
    reference_answer: int

    max_difficulty = 35  # at 45, generating a problem takes too long

    template = """
        These strings of the letters a and b are given, {N} in all:

        {S}

        For a string T, count how many times each of these strings occurs in T as a contiguous
        substring, and add these counts up. Occurrences may overlap.

        What is the smallest length of a string T with at least {occurrences} in all?

        Output format: one integer, the smallest length.
        """

    def prompt(self) -> str:
        return self.fill(
            S=lines(f"S[{i}]={word}" for i, word in enumerate(self.S)),
            occurrences=counted(self.M, "occurrence"),
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 1 + d, "MAX_M": grow(4, d, by=1.5)}]

    @classmethod
    def sample(cls, rng: Random, N: int, MAX_M: int) -> Self:
        S = redraw(lambda: [random_word(rng, N) for _ in range(N)], until=is_free_of_containment)
        M = rng.randint(1, MAX_M)
        return cls(N=N, MAX_M=MAX_M, S=S, M=M, reference_answer=shortest_length(S, M))

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact(answer == self.reference_answer)

    def work(self) -> Work[str]:
        yield "No string is part of another, so each occurrence ends after the one before it. After"
        yield "S[i], S[j] adds the fewest letters if it shares the longest end of S[i], but not all"
        yield "of it, that S[j] begins with. Letters that S[j] adds:"
        words = list(enumerate(self.S))
        for i, a in words:
            shown: list[str] = []
            for j, b in words:
                common = overlap(a, b)
                shared = f"shares {b[:common]}" if common else "shares nothing"
                shown.append(f"S[{j}] {shared}, {len(b)} - {common} = {len(b) - common}")
            yield f"After S[{i}]: {'; '.join(shown)}"
        best = [len(word) for word in self.S]
        yield "For each number of occurrences, the shortest length if the last one is S[j]:"
        yield "1: " + ", ".join(f"S[{j}] {length}" for j, length in enumerate(best))
        for count in range(2, self.M + 1):
            after: list[int] = []
            shown = []
            for _, b in words:
                sums = [best[i] + len(b) - overlap(a, b) for i, a in words]
                terms = ", ".join(f"{best[i]} + {len(b) - overlap(a, b)}" for i, a in words)
                shown.append(
                    f"min({terms}) = {min(sums)}" if len(words) > 1 else f"{terms} = {sums[0]}"
                )
                after.append(min(sums))
            yield f"{count}: {'; '.join(shown)}"
            best = after
        if len(best) > 1:
            yield "The last one can be any string: find the smallest of these."
            return str((yield from find_smallest(best)))
        return str(best[0])


def random_word(rng: Random, N: int) -> str:
    length = rng.randint(2 * N, 3 * N)
    return random_string(rng, length, rng.random(), "ab")


def is_free_of_containment(words: list[str]) -> bool:
    return not any(a in b for a, b in permutations(words, 2))


def shortest_length(words: list[str], count: int) -> int:
    """The lightest walk over `count` words.

    No word contains another, so the occurrences in a text have the same order by start and by end,
    and each costs the letters by which it goes beyond the one before.
    """
    steps = [[len(b) - overlap(a, b) for b in words] for a in words]
    best = [len(word) for word in words]
    remaining = count - 1
    while remaining:
        if remaining & 1:
            best = min_plus([best], steps)[0]
        steps = min_plus(steps, steps)
        remaining >>= 1
    return min(best)


def overlap(a: str, b: str) -> int:
    """The length of the longest proper suffix of a that b starts with."""
    return border_lengths(f"{b} {a[1:]}")[-1]


def min_plus(a: Costs, b: Costs) -> Costs:
    """The matrix product with + in place of *, and min in place of the sum."""
    columns = list(zip(*b, strict=True))
    return [
        [min(x + y for x, y in zip(row, column, strict=True)) for column in columns] for row in a
    ]
