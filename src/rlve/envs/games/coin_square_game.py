from itertools import accumulate
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.rewards import exact
from rlve.text import indexed


class CoinSquareGame(Environment[int]):
    """Say how much the first player gets from a row of coins when ever more can be taken."""

    N: int
    C: list[int]
    reference_answer: int

    max_difficulty = 600  # at 752, generating a problem takes too long

    template = """
        {N} coins lie in a row. From left to right they have the values

        {C}

        Alice and Bob move in turn, and Alice moves first. A move takes one or more coins from the
        left end of the row. With the first move Alice takes 1 or 2 coins. After that, if the move
        before took k coins, a player takes at least 1 and at most 2k coins, and not more than there
        are. The game ends when no coin is left.

        A player's score is the total value of the coins that the player took. Both players play
        optimally, each to maximise their own score. What is Alice's score?

        Output format: one integer.
        """

    def prompt(self) -> str:
        return self.fill(C=indexed("C", self.C, start=1))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 5 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        C = [rng.randint(1, 2 * N) for _ in range(N)]
        return cls(N=N, C=C, reference_answer=first_score(C))

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact(answer == self.reference_answer)


def first_score(C: list[int]) -> int:
    """What the first player gets.

    best[i][k] is what the player to move gets of the coins from i on if the move before took k: all
    of them minus what the opponent gets after the best move. With k one larger, two more moves are
    possible.
    """
    n = len(C)
    left = list(accumulate(reversed(C), initial=0))[::-1]  # the value of the coins from i on
    best = [[0] * (n + 1) for _ in range(n + 1)]
    for i in reversed(range(n)):
        least = left[i]  # what the opponent can be left with
        for k in range(1, n + 1):
            for taken in range(2 * k - 1, min(2 * k, n - i) + 1):
                least = min(least, best[i + taken][taken])
            best[i][k] = left[i] - least
    return best[0][1]
