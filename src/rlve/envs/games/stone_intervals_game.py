from itertools import groupby
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.foundation.pictures import Bars
from rlve.levels import grow
from rlve.rewards import exact
from rlve.text import indexed, spaced
from rlve.work import Work, add_all


class StoneIntervalsGame(Environment[int]):
    """Say how much the first player gets when only piles next to an empty one can be taken."""

    N: int
    A: list[int]
    reference_answer: int

    max_difficulty = 50  # at 62, a prompt exceeds 32,000 characters
    picture = Bars()

    template = """
        {N} piles of stones stand in a row, numbered from 0 to {last}. Pile i has A[i] stones, and
        at least one pile is empty from the start:

        {A}

        Alice and Bob move in turn, and Alice moves first. A move takes all stones of one pile. This
        pile must not be empty, and at least one pile directly next to it must have 0 stones at that
        time. (Pile 0 is only next to pile 1, and pile {last} only next to pile {before}.) The game
        ends when no stones are left.

        Both players play optimally, each to maximise the number of stones they take in total.
        How many stones does Alice take?

        Output format: one integer.
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1, before=self.N - 2, A=indexed("A", self.A))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        A = [rng.randint(1, 2 * N) for _ in range(N)]
        for i in rng.sample(range(N), rng.randint(1, N - 2)):
            A[i] = 0
        return cls(N=N, A=A, reference_answer=first_total(A))

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact(answer == self.reference_answer)

    def work(self) -> Work[str]:
        yield "The lead is what the player to move gets from then on, minus what the other gets."
        yield "Find it for every row of piles that can come up; if all are empty, it is 0."
        yield "It is the best, over all moves, of the stones taken minus the opponent's lead then."
        leads: dict[tuple[int, ...], int] = {(0,) * self.N: 0}

        def find(row: tuple[int, ...]) -> Work[int]:
            if row not in leads:
                moves: list[str] = []
                best = -sum(row)
                for i, pile in enumerate(row):
                    if pile and 0 in row[max(0, i - 1) : i + 2]:
                        after = yield from find((*row[:i], 0, *row[i + 1 :]))
                        moves.append(f"{pile} - {after} = {pile - after}".replace("- -", "+ "))
                        best = max(best, pile - after)
                leads[row] = best
                yield f"Row {spaced(row)}: {', '.join(moves)}; lead {best}"
            return leads[row]

        lead = yield from find(tuple(self.A))
        total = yield from add_all([pile for pile in self.A if pile])
        yield f"They take {total} in all, and the lead of Alice is {lead}"
        yield f"Alice: ({total} + {lead}) // 2 = {(total + lead) // 2}".replace("+ -", "- ")
        return str((total + lead) // 2)


def first_total(A: list[int]) -> int:
    """What the first player takes from a row with an empty pile.

    Once no pile is worth waiting for, the players take what is left in turn, the largest value
    first. After that, someone has to open the pairs at the ends of the row.
    """
    values: list[int] = []
    opening = 0  # the gain from opening the pairs; never positive
    runs = [list(run) for _, run in groupby(A, key=lambda pile: pile == 0)]
    for number, run in enumerate(runs):
        if run[0] == 0:
            continue
        piles = without_peaks(run)
        if number == 0 or number == len(runs) - 1:
            if number == 0:
                piles.reverse()
            opening += take_pairs(piles)
        values += piles
    lead = opening
    for value in sorted(values):
        lead = value - lead
    return (sum(A) + lead) // 2


def without_peaks(run: list[int]) -> list[int]:
    """The run with every pile that neither neighbour exceeds merged with those two neighbours.

    Whoever takes one of the neighbours lets the opponent take the peak, and then takes the other.
    """
    piles: list[int] = []
    for pile in run:
        piles.append(pile)
        while len(piles) > 2 and piles[-3] <= piles[-2] >= piles[-1]:
            x, peak, z = piles[-3:]
            piles[-3:] = [x + z - peak]
    return piles


def take_pairs(piles: list[int]) -> int:
    """Remove the pairs that nobody wants to open from the end of a run at an end of the row.

    A pair is a pile with one that is not smaller behind it. Return what opening them gains.
    """
    gain = 0
    while len(piles) > 1 and piles[-1] >= piles[-2]:
        outer, inner = piles.pop(), piles.pop()
        gain += inner - outer
    return gain
