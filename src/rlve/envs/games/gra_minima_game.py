from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import exact
from rlve.sampling.rejection import spread
from rlve.text import spaced
from rlve.work import Work, selection_sort


class GraMinimaGame(Environment[int]):
    """Say by how much the first player wins when each move scores the smallest number it takes.

    Each answer among a few draws is equally likely; otherwise 40% of the answers would be N.
    """

    N: int
    A: list[int]
    reference_answer: int

    max_difficulty = 60  # at 70, a prompt exceeds 32,000 characters

    template = """
        Alice and Bob play a game with these {N} integers, some of which may be equal:

        {A}

        They move in turn, and Alice moves first. A move takes one or more of the remaining
        integers, whichever the player likes. The smallest integer taken is added to the player's
        score, and all integers taken are removed. The game ends when no integer is left.

        Both players play optimally, each to maximise their own score minus the opponent's.
        What is Alice's score minus Bob's score at the end?

        Output format: one integer.
        """

    def prompt(self) -> str:
        return self.fill(A=spaced(self.A))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> Self:
            A = [rng.randint(1, 2 * N) for _ in range(N)]
            return cls(N=N, A=A, reference_answer=lead(A))

        return spread(rng, draw, by=lambda problem: problem.reference_answer)

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact(answer == self.reference_answer)

    def work(self) -> Work[str]:
        yield "The largest integer can join any move at no cost. So leaving any above the smallest"
        yield "one taken never lowers the opponent's lead: take all from some size on. Sort them."
        yield "L is the lead of whoever moves with only those so far. The next one joins the best"
        yield "move: then L stays. Or it is taken alone: then the lead is it minus L."
        yield "At first L = 0."
        lead = 0
        values = yield from selection_sort(self.A)
        for value in values:
            alone = value - lead
            yield f"{value} - {lead} = {alone}, L = max({lead}, {alone}) = {max(lead, alone)}"
            lead = max(lead, alone)
        yield f"So the lead is {lead}"
        return str(lead)


def lead(A: list[int]) -> int:
    """The first player's lead at the end.

    It is best to take some of the largest integers. Each step below adds one integer larger than
    all before: the first player either takes it along with what they would take without it, or
    takes it alone.
    """
    best = 0
    for value in sorted(A):
        best = max(best, value - best)
    return best
