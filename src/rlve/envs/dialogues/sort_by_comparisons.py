from collections.abc import Sequence
from random import Random
from typing import Self

from rlve import Level
from rlve.dialogue import Command, Dialogue, Player, command
from rlve.rewards import exact
from rlve.text import spaced


class SortByComparisons(Dialogue[Command]):
    """Sort items whose order only comparisons reveal."""

    N: int
    order: list[int]  # the items from the lightest to the heaviest

    template = """
        There are {N} items, numbered from 1 to {N}, of different weights. You may compare two of
        them: I name the lighter one. When you know the order of all items by weight, give it; that
        ends the dialogue.

        Output format: `compare` and two items, such as `compare 1 2`; or `answer` and all {N} items
        from the lightest to the heaviest, separated by spaces.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 3 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        return cls(N=N, order=rng.sample(range(1, N + 1), N))

    @property
    def turns(self) -> int:
        # Binary insertion compares the item that follows k others with k.bit_length() of them.
        return sum(k.bit_length() for k in range(1, self.N)) + 1

    def parse(self, text: str) -> Command:
        return command(text, compare=2, answer=self.N)

    def reply(self, moves: Sequence[Command]) -> str | float:
        word, items = moves[-1]
        if word == "answer":
            return exact(items == self.order)
        if items[0] == items[1] or not set(items) <= set(self.order):
            return f"Not allowed: compare two different items from 1 to {self.N}."
        return f"{min(items, key=self.order.index)} is lighter"

    def play(self) -> Player:
        """Insert each item into those that are sorted, by halving."""
        known: list[int] = [1]
        for item in range(2, self.N + 1):
            low, high = 0, len(known)
            while low < high:
                middle = (low + high) // 2
                said = yield f"compare {item} {known[middle]}"
                if said.startswith(f"{item} "):
                    high = middle
                else:
                    low = middle + 1
            known.insert(low, item)
        yield f"answer {spaced(known)}"
