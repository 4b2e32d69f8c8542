from itertools import accumulate
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.foundation.pictures import Bars
from rlve.rewards import exact
from rlve.text import indexed
from rlve.work import Work


class CoinSquareGame(Environment[int]):
    """Say how much the first player gets from a row of coins when ever more can be taken."""

    N: int
    C: list[int]
    reference_answer: int

    max_difficulty = 600  # at 752, generating a problem takes too long
    picture = Bars("C", first=1)

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

    def work(self) -> Work[str]:
        yield "best(i, m) is what a player gets of the coins from i on, if at most m can be taken."
        yield "If m is enough for all of them, the player gets them all."
        yield "Otherwise it is their total minus the least that a move leaves to the opponent."
        yield "Taking k leaves best(i + k, 2k); if fewer than 2k are left, m is their number."
        totals: dict[int, int] = {self.N + 1: 0}
        for i in range(self.N, 0, -1):
            totals[i] = totals[i + 1] + self.C[i - 1]
            yield f"Coins from {i} on: {totals[i + 1]} + {self.C[i - 1]} = {totals[i]}"
        best: dict[tuple[int, int], int] = {}
        for i, m in positions(self.N):
            if m == self.N + 1 - i:
                best[i, m] = totals[i]
                yield f"best({i}, {m}) = {totals[i]}, all of them"
                continue
            after = [best[move] for move in moves(self.N, i, m)]
            best[i, m] = totals[i] - min(after)
            left = ", ".join(f"best({j}, {k}) = {best[j, k]}" for j, k in moves(self.N, i, m))
            least, gets = min(after), best[i, m]
            yield f"best({i}, {m}): {left}, least {least}; {totals[i]} - {least} = {gets}"
        return str(best[1, 2])


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


def moves(n: int, i: int, m: int) -> list[tuple[int, int]]:
    """The first coin, and how many can be taken at most, after each move that leaves some."""
    return [(i + k, min(2 * k, n + 1 - i - k)) for k in range(1, min(m, n - i) + 1)]


def positions(n: int) -> list[tuple[int, int]]:
    """All positions that can come up, later coins first."""
    found = [(1, 2)]
    for i, m in found:
        if m < n + 1 - i:
            found += [move for move in moves(n, i, m) if move not in found]
    return sorted(found, reverse=True)
