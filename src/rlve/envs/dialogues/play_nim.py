from collections.abc import Sequence
from random import Random
from typing import Self

from rlve import Level
from rlve.algorithms.games import nim_sum
from rlve.answers import integers
from rlve.dialogue import Dialogue, Ending, Player, numbers_in
from rlve.foundation.pictures import Bars
from rlve.rewards import RIGHT, WRONG
from rlve.sampling.rejection import redraw
from rlve.text import spaced


class PlayNim(Dialogue[list[int]]):
    """Win a game of Nim against best play."""

    heaps: list[int]

    picture = Bars("heaps", first=1)

    template = """
        We play with {N} heaps of stones, numbered from 1 to {N}. These are their sizes:

        {heaps}

        We take turns, and you begin. A move takes any number of stones, at least one, from one
        heap. Whoever takes the last stone of all wins. I play as well as possible.

        Output format: two integers, the number of the heap and how many stones you take from it.
        """

    def opening(self) -> str:
        return self.fill(N=len(self.heaps), heaps=spaced(self.heaps))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 2 + (d + 1) // 3, "most": 4 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int, most: int) -> Self:
        heaps = redraw(
            lambda: [rng.randint(2, most) for _ in range(N)], lambda heaps: nim_sum(heaps) > 0
        )
        return cls(heaps=heaps)

    @property
    def turns(self) -> int:
        return (sum(self.heaps) + 1) // 2  # each round takes at least two stones

    def parse(self, text: str) -> list[int]:
        return integers(text, count=2)

    def reply(self, moves: Sequence[list[int]]) -> str | float | Ending:
        heaps, said = list(self.heaps), ""
        for heap, count in moves:
            if not 1 <= heap <= len(heaps) or not 1 <= count <= heaps[heap - 1]:
                said = "Not allowed: take at least one stone from a heap that has as many."
                continue
            heaps[heap - 1] -= count
            if not any(heaps):
                return RIGHT
            mine, taken = best(heaps)
            heaps[mine - 1] -= taken
            said = f"I take {taken} from heap {mine}."
            if not any(heaps):
                return Ending(WRONG, f"{said} No stone is left.")
        return f"{said} The heaps are now: {spaced(heaps)}"

    def play(self) -> Player:
        """Always leave a nim-sum of 0."""
        heaps = self.heaps
        while True:
            said = yield spaced(best(heaps))
            heaps = numbers_in(said.partition("now:")[2])


def best(heaps: list[int]) -> tuple[int, int]:
    """A move that wins or, if there is none, one that prolongs the game: a heap and a number."""
    total = nim_sum(heaps)
    for number, size in enumerate(heaps, 1):
        if size ^ total < size:
            return number, size - (size ^ total)
    return heaps.index(max(heaps)) + 1, 1
