from collections.abc import Sequence
from random import Random
from typing import Self

from rlve import Level
from rlve.dialogue import Command, Dialogue, Player, command
from rlve.levels import grow
from rlve.rewards import exact
from rlve.text import spaced


class WeighCoins(Dialogue[Command]):
    """Find the light coin with a balance."""

    N: int
    fake: int

    template = """
        There are {N} coins, numbered from 1 to {N}. One is a fake, and lighter than the others,
        which all weigh the same. Find it with a balance. To weigh, name an even number of different
        coins: the first half of them goes on the left pan, the second half on the right. I say
        which pan is lighter (`left` or `right`), or `equal`. When you know the fake, name it; that
        ends the dialogue.

        Output format: `weigh` and the coins, such as `weigh 1 2 3 4` for the coins 1 and 2 against
        3 and 4; or `answer` and the number of the fake, such as `answer 4`.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(4, d, by=1.3, plus=2)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        return cls(N=N, fake=rng.randint(1, N))

    @property
    def turns(self) -> int:
        weighings = 0
        while 3**weighings < self.N:
            weighings += 1
        return weighings + 1

    def parse(self, text: str) -> Command:
        return command(text, weigh=None, answer=1)

    def reply(self, moves: Sequence[Command]) -> str | float:
        word, coins = moves[-1]
        if word == "answer":
            return exact(coins == [self.fake])
        if len(coins) % 2 or len(set(coins)) < len(coins):
            return "Not allowed: name an even number of different coins."
        if not all(1 <= coin <= self.N for coin in coins):
            return f"Not allowed: the coins are numbered from 1 to {self.N}."
        if self.fake not in coins:
            return "equal"
        return "left" if self.fake in coins[: len(coins) // 2] else "right"

    def play(self) -> Player:
        """Weigh a third of the suspects against another third."""
        suspects = list(range(1, self.N + 1))
        while len(suspects) > 1:
            third = (len(suspects) + 1) // 3
            parts = {
                "left": suspects[:third],
                "right": suspects[third : 2 * third],
                "equal": suspects[2 * third :],
            }
            suspects = parts[(yield f"weigh {spaced(suspects[: 2 * third])}")]
        yield f"answer {suspects[0]}"
