from collections.abc import Sequence
from random import Random
from typing import Self, TypeAlias

from rlve import Level
from rlve.answers import integers
from rlve.dialogue import Dialogue, Player
from rlve.rewards import RIGHT
from rlve.text import lines, spaced

Shift: TypeAlias = tuple[int, int]
PEGS = (1, 2, 3)


class TowersOfHanoi(Dialogue[Shift]):
    """Bring all discs to one peg, never a larger one onto a smaller one."""

    pegs: list[int]  # where each disc is, from the smallest
    goal: int
    moves: int  # that are needed

    template = """
        There are three pegs, 1, 2 and 3, and {N} discs of the sizes 1 to {N}. These are the discs
        on each peg, from the bottom to the top:

        {state}

        A move takes the top disc of a peg to another peg, which must be empty or have a larger disc
        on top. Bring all discs to peg {goal} to win.

        Output format: two integers, the peg to take a disc from and the peg to put it on.
        """

    def opening(self) -> str:
        return self.fill(N=len(self.pegs), state=shown(self.pegs))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"moves": 3 + 2 * d}]

    @classmethod
    def sample(cls, rng: Random, moves: int) -> Self:
        goal = rng.choice(PEGS)
        N = moves.bit_length() + 1  # so many that the largest disc alone makes it long enough
        pegs = [rng.choice(PEGS) for _ in range(N)]
        pegs[-1] = rng.choice([peg for peg in PEGS if peg != goal])
        way = solution(pegs, goal)
        for shift in way[: len(way) - moves]:
            pegs[pegs.index(shift[0])] = shift[1]
        return cls(pegs=pegs, goal=goal, moves=moves)

    @property
    def turns(self) -> int:
        return self.moves + self.moves // 4 + 1  # with room for a few mistakes

    def parse(self, text: str) -> Shift:
        source, target = integers(text, count=2)
        return source, target

    def reply(self, moves: Sequence[Shift]) -> str | float:
        pegs, note = list(self.pegs), ""
        for source, target in moves:
            note = _fault(pegs, source, target)
            if not note:
                pegs[pegs.index(source)] = target
            if all(peg == self.goal for peg in pegs):
                return RIGHT
        return note + shown(pegs)

    def play(self) -> Player:
        for source, target in solution(self.pegs, self.goal):
            yield spaced((source, target))


def shown(pegs: list[int]) -> str:
    return lines(
        f"peg {peg}: {spaced(reversed([i for i, at in enumerate(pegs, 1) if at == peg]))}".rstrip()
        for peg in PEGS
    )


def _fault(pegs: list[int], source: int, target: int) -> str:
    """Why a move is not allowed, or nothing."""
    if source not in pegs or target not in PEGS or source == target:
        return "Not allowed: take a disc from a peg that has one to another peg.\n"
    if target in pegs and pegs.index(target) < pegs.index(source):
        return "Not allowed: a larger disc would lie on a smaller one.\n"
    return ""


def solution(pegs: list[int], goal: int) -> list[Shift]:
    """The shortest way to bring all discs to a peg."""
    pegs, moves = list(pegs), list[Shift]()

    def bring(count: int, goal: int) -> None:
        for disc in range(count - 1, -1, -1):
            here = pegs[disc]
            if here != goal:
                bring(disc, sum(PEGS) - here - goal)
                moves.append((here, goal))
                pegs[disc] = goal

    bring(len(pegs), goal)
    return moves
