from itertools import accumulate
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.games import nim_sum
from rlve.answers import word
from rlve.foundation.pictures import Bars
from rlve.rewards import INVALID, exact
from rlve.sampling.rejection import redraw
from rlve.text import indexed, listed
from rlve.work import Work, xor_all

PLAYERS = ("Alice", "Bob")  # in the order in which they move


class DeltaNimGame(Environment[str]):
    """Say who wins a game of Nim in which the piles must stay in ascending order.

    Alice and Bob are equally likely to win, so a guess is right half of the time. Whoever wins, the
    last pile exceeds the one before by at most N, so its size gives nothing away. Any other word is
    ill-formed, with the published reward of -0.5.
    """

    N: int
    reference_answer: str
    A: list[int]

    max_difficulty = 1_000  # the highest difficulty measured
    picture = Bars()

    template = """
        Alice and Bob play a game with {N} piles of stones, numbered from 0 to {last}.
        Pile i has A[i] stones:

        {A}

        They move in turn, and Alice moves first. A move chooses one pile and removes one or more
        stones from it (at most all of them), such that after the move still
        {order}. A player who has no such move loses.

        Who wins if both play optimally?

        Output format: one word, Alice or Bob.
        """

    def prompt(self) -> str:
        return self.fill(
            last=self.N - 1,
            A=indexed("A", self.A),
            order=listed("A[{}]", 0, self.N - 1, " <= "),
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 2 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> list[int]:
            return [rng.randint(1, N), *(rng.randint(0, N) for _ in range(N - 2))]

        winner = rng.choice(PLAYERS)
        differences = redraw(draw, until=lambda drawn: losing_last_difference(drawn) <= N)
        last = losing_last_difference(differences)
        if winner == "Alice":
            last = rng.choice([x for x in range(N + 1) if x != last])
        return cls(N=N, reference_answer=winner, A=list(accumulate([*differences, last])))

    def parse(self, text: str) -> str:
        return word(text, PLAYERS, reward=INVALID)

    def score(self, answer: str) -> float:
        return exact(answer == self.reference_answer)

    def work(self) -> Work[str]:
        yield "Take the difference between each pile and the one before it (for pile 0, all of it)."
        yield "Taking stones lowers a pile's difference and raises the next one's by as much."
        yield "That is staircase Nim: only every second difference, from the last on, matters, as"
        yield "what another one passes on to it can be taken off it at once."
        yield "The player to move loses if and only if the XOR of these is 0."
        counting = range(self.N - 1, -1, -2)
        differences: list[int] = []
        for i in counting:
            before = self.A[i - 1] if i else 0
            differences.append(self.A[i] - before)
            yield f"Pile {i}: {self.A[i]} - {before} = {differences[-1]}"
        value = yield from xor_all(differences)
        winner = PLAYERS[0] if value else PLAYERS[1]
        yield f"The XOR is {value}, so {winner} wins"
        return winner


def losing_last_difference(differences: list[int]) -> int:
    """By how much the last pile must exceed the one before it for the first player to lose.

    Removing stones from a pile moves that many from its difference to the next pile's. This is
    staircase Nim: only every second difference, counted from the last, matters, and the first
    player loses if and only if the XOR of these is 0.
    """
    return nim_sum(differences[-2::-2])
