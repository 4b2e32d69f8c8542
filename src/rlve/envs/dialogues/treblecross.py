from collections.abc import Iterable, Sequence
from functools import cache
from random import Random
from typing import Self

from rlve import Level
from rlve.algorithms.games import mex, nim_sum
from rlve.answers import integer
from rlve.dialogue import Dialogue, Ending, Player
from rlve.foundation.pictures import Grid
from rlve.rewards import RIGHT, WRONG
from rlve.sampling.rejection import redraw

FREE, CROSS = ".", "X"


class Treblecross(Dialogue[int]):
    """Be the first with three crosses in a row, on a strip, against best play."""

    N: int
    crosses: list[int]  # at the start; cells are counted from 0

    picture = Grid(None, rows=1, columns="N", signs=(("crosses", "X"),))

    template = """
        We play on a strip of {N} cells, numbered from 1 to {N} from left to right. A dot is a free
        cell:

        {strip}

        We take turns, and you begin. A move puts a cross (X) on a free cell; we both use the same
        crosses. Whoever completes three crosses next to each other wins. I play as well as
        possible.

        Output format: one integer, the number of the cell for your cross.
        """

    def opening(self) -> str:
        return self.fill(strip=shown(self.N, self.crosses))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 7 + 2 * d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> list[int]:
            crosses: list[int] = []
            for _ in range(rng.randint(1, 1 + N // 10)):
                crosses += [rng.choice(safe)] if (safe := _safe(N, crosses)) else []
            return sorted(crosses)

        crosses = redraw(draw, lambda crosses: value(N, crosses) > 0)
        return cls(N=N, crosses=crosses)

    @property
    def turns(self) -> int:
        return (self.N - len(self.crosses) + 1) // 2  # each round fills two cells

    def parse(self, text: str) -> int:
        return integer(text) - 1

    def reply(self, moves: Sequence[int]) -> str | float | Ending:
        crosses, said = list(self.crosses), ""
        for cell in moves:
            if not 0 <= cell < self.N or cell in crosses:
                said = "Not allowed: choose a free cell."
                continue
            if _completes(crosses, cell):
                return RIGHT
            crosses.append(cell)
            mine = best(self.N, crosses)
            said = f"I choose cell {mine + 1}."
            if _completes(crosses, mine):
                return Ending(WRONG, f"{said}\n{shown(self.N, [*crosses, mine])}")
            crosses.append(mine)
        return f"{said}\n{shown(self.N, crosses)}"

    def play(self) -> Player:
        """Leave positions that are worth 0."""
        crosses = self.crosses
        while True:
            said = yield str(best(self.N, crosses) + 1)
            strip = said.splitlines()[-1]
            crosses = [i for i, sign in enumerate(strip) if sign == CROSS]


def shown(N: int, crosses: Iterable[int]) -> str:
    return "".join(CROSS if i in crosses else FREE for i in range(N))


def best(N: int, crosses: list[int]) -> int:
    """A cell that wins or, if there is none, one that does not lose at once, if there is one."""
    free = [cell for cell in range(N) if cell not in crosses]
    winning = [cell for cell in free if _completes(crosses, cell)]
    safe = _safe(N, crosses)
    good = [cell for cell in safe if not value(N, [*crosses, cell])]
    return next(iter((*winning, *good, *safe, *free)))


def value(N: int, crosses: list[int]) -> int:
    """The Grundy value of a position in which nobody can complete three crosses."""
    lengths, last = list[int](), None
    for cell in _safe(N, crosses):
        if last is not None and cell == last + 1:
            lengths[-1] += 1
        else:
            lengths.append(1)
        last = cell
    return nim_sum(map(_grundy, lengths))


@cache
def _grundy(length: int) -> int:
    """The Grundy value of so many cells in a row on which a cross is safe."""
    return mex(_grundy(max(0, i - 2)) ^ _grundy(max(0, length - i - 3)) for i in range(length))


def _safe(N: int, crosses: list[int]) -> list[int]:
    """The cells that are more than two away from any cross: no other can be completed next."""
    return [cell for cell in range(N) if all(abs(cell - cross) > 2 for cross in crosses)]


def _completes(crosses: list[int], cell: int) -> bool:
    return any(
        all(cell + step in crosses for step in steps) for steps in ((-2, -1), (-1, 1), (1, 2))
    )
