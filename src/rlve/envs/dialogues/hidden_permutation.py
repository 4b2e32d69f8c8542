from collections.abc import Sequence
from itertools import combinations
from random import Random
from typing import Self

from rlve import Level
from rlve.dialogue import Command, Dialogue, Player, command, numbers_in
from rlve.rewards import exact
from rlve.text import spaced


class HiddenPermutation(Dialogue[Command]):
    """Find a permutation from the numbers of inversions in its segments."""

    N: int
    p: list[int]

    template = """
        I have a secret permutation p[1], ..., p[{N}] of the integers from 1 to {N}. You may name
        two positions l and r with 1 <= l <= r <= {N}: I tell you the number of inversions from l to
        r, which are the pairs i < j of positions from l to r with p[i] > p[j]. When you know the
        permutation, give it; that ends the dialogue.

        Output format: `ask`, l and r, such as `ask 1 3`; or `answer` and the {N} integers
        p[1], ..., p[{N}], separated by spaces.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 4 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        return cls(N=N, p=rng.sample(range(1, N + 1), N))

    @property
    def turns(self) -> int:
        return self.N  # the inversions of all prefixes of two or more, and the answer

    def parse(self, text: str) -> Command:
        return command(text, ask=2, answer=self.N)

    def reply(self, moves: Sequence[Command]) -> str | float:
        word, values = moves[-1]
        if word == "answer":
            return exact(values == self.p)
        left, right = values
        if not 1 <= left <= right <= self.N:
            return f"Not allowed: it must be that 1 <= l <= r <= {self.N}."
        return str(sum(a > b for a, b in combinations(self.p[left - 1 : right], 2)))

    def play(self) -> Player:
        """The inversions of the prefixes say how many earlier values are larger than each."""
        inversions = [0]
        for r in range(2, self.N + 1):
            inversions += numbers_in((yield f"ask 1 {r}"))
        left, p = list(range(1, self.N + 1)), list[int]()
        for i in range(self.N - 1, -1, -1):
            larger = inversions[i] - inversions[i - 1] if i else 0
            p.append(left.pop(-1 - larger))
        yield f"answer {spaced(reversed(p))}"
