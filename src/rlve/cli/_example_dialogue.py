from collections.abc import Sequence
from random import Random
from typing import Self

import rlve
from rlve.answers import integer
from rlve.dialogue import Dialogue, Player, numbers_in
from rlve.rewards import RIGHT, WRONG


class Example(Dialogue[int]):
    """Be the one who says the last number."""

    # Everything that determines a problem. These fields are its JSON record.
    limit: int
    start: int

    # What the model reads first; {start} is the field. The number of turns is added to it.
    template = """
        We count from {start} to {limit}. In turn, each of us adds 1, 2 or 3; you begin. Whoever
        says {limit} wins. I play as well as possible.

        Output format: one integer, the number that you say.
        """

    @classmethod
    def level(cls, d: int) -> list[rlve.Level]:
        """What `sample` takes at difficulty d; it must grow with d."""
        return [{"limit": 13 + 4 * d}]

    @classmethod
    def sample(cls, rng: Random, limit: int) -> Self:
        """One problem that can be won; all randomness comes from rng."""
        return cls(limit=limit, start=rng.choice([n for n in range(4) if (limit - n) % 4]))

    @property
    def turns(self) -> int:
        """How many messages may be sent: what good play needs, and perhaps a few more."""
        return (self.limit - self.start) // 2 + 1  # each round adds 2 or more

    def parse(self, text: str) -> int:
        """The move in an untrusted text; rlve.answers raises Unparseable if there is none."""
        return integer(text)

    def reply(self, moves: Sequence[int]) -> str | float:
        """What is said to the last of all moves so far or, when it is over, the reward."""
        count, said = self.start, ""
        for move in moves:
            if not count < move <= min(count + 3, self.limit):
                said = f"Not allowed: we are at {count}."
                continue
            if move == self.limit:
                return RIGHT
            count = best(move, self.limit)
            if count == self.limit:
                return WRONG
            said = f"I say {count}."
        return said

    def play(self) -> Player:
        """A program that wins: it yields moves and is sent the replies."""
        count = self.start
        while True:
            [count] = numbers_in((yield str(best(count, self.limit))))


def best(count: int, limit: int) -> int:
    """The number to say after this one."""
    return count + ((limit - count) % 4 or 1)
