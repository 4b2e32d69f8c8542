from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.grids import prefix_sums
from rlve.answers import integer
from rlve.foundation.pictures import Grid
from rlve.levels import grow
from rlve.rewards import exact
from rlve.sampling.rejection import prefer
from rlve.text import counted, spaced
from rlve.text import grid as grid_text
from rlve.work import Work

MAX_BEAT = 3  # swings at one position


class WhackAMole(Environment[int]):
    """Find the least number of swings of a rectangular hammer that removes all moles.

    Grids in which all counts are equal, or the largest count is the answer, are redrawn.
    """

    MAX_N_M: int
    N: int
    M: int
    grid: list[list[int]]
    reference_answer: int

    max_difficulty = 25  # at 32, a prompt exceeds 32,000 characters
    picture = Grid(blank="0")

    template = """
        A grid has {N} rows and {M} columns; each cell holds a number of moles:

        {grid}

        Choose a hammer size of r rows and c columns once, with 1 <= r <= {N} and 1 <= c <= {M}.
        Then swing the hammer any number of times. Each swing covers a rectangle of exactly r rows
        and c columns that lies inside the grid; the hammer cannot be turned. A swing is allowed
        only if each of the r * c cells it covers holds at least one mole at that moment, and it
        removes exactly one mole from each of them.

        Find the least number of swings that removes all moles, over all hammer sizes with which
        this is possible. (It always is with r = c = 1.) If there are no moles, the number is 0.

        Output format: one integer, the least number of swings.
        """

    def prompt(self) -> str:
        return self.fill(grid=grid_text(self.grid))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N_M": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N_M: int) -> Self:
        grid = prefer(
            lambda: beaten_grid(rng, rng.randint(2, MAX_N_M), rng.randint(2, MAX_N_M)),
            until=lambda rows: (
                len({count for row in rows for count in row}) > 1
                and max(map(max, rows)) != fewest_swings(rows)
            ),
        )
        return cls(
            MAX_N_M=MAX_N_M,
            N=len(grid),
            M=len(grid[0]),
            grid=grid,
            reference_answer=fewest_swings(grid),
        )

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact(answer == self.reference_answer)

    def work(self) -> Work[str]:
        yield "A hammer of more cells needs fewer swings, so try the largest first. The first cell"
        yield "with moles, row by row, must be the top left one of as many swings as it has moles."
        yield "Cells are (row, column), counted from 0."
        sizes = [(r, c) for r in range(1, self.N + 1) for c in range(1, self.M + 1)]
        for r, c in sorted(sizes, key=lambda size: -size[0] * size[1]):
            yield f"Hammer {r} x {c}:"
            swings = yield from count_swings(self.grid, r, c)
            if swings is not None:
                return str(swings)
        raise ValueError("a hammer of one cell removes all moles")


def count_swings(grid: list[list[int]], r: int, c: int) -> Work[int | None]:
    """How many swings of a hammer remove all moles; None if it cannot be."""
    left = [row[:] for row in grid]
    swings = 0
    for i in range(len(left)):
        for j in range(len(left[0])):
            moles = left[i][j]
            if not moles:
                continue
            covered = [(x, y) for x in range(i, i + r) for y in range(j, j + c)]
            if i + r > len(left) or j + c > len(left[0]):
                yield f"({i}, {j}) has {moles}, but the hammer does not fit there"
                return None
            x, y = min(covered, key=lambda cell: left[cell[0]][cell[1]])
            if left[x][y] < moles:
                yield f"({i}, {j}) has {moles}, but ({x}, {y}) has {left[x][y]}"
                return None
            for x, y in covered:
                left[x][y] -= moles
            rows = " / ".join(map(spaced, left))
            yield f"({i}, {j}): swings {swings} + {moles} = {swings + moles}, left {rows}"
            swings += moles
    yield f"All moles are removed by {counted(swings, 'swing')}"
    return swings


def beaten_grid(rng: Random, N: int, M: int) -> list[list[int]]:
    """The moles that random swings of a random hammer remove."""
    r, c = rng.randint(1, N), rng.randint(1, M)
    changes = [[0] * (M + 1) for _ in range(N + 1)]
    for i in range(N - r + 1):
        for j in range(M - c + 1):
            add_rectangle(changes, i, j, r, c, rng.randint(0, MAX_BEAT))
    return [row[1 : M + 1] for row in prefix_sums(changes)[1 : N + 1]]


def fewest_swings(grid: list[list[int]]) -> int:
    N, M = len(grid), len(grid[0])
    total = sum(map(sum, grid))
    sizes = [(r, c) for r in range(1, N + 1) for c in range(1, M + 1) if total % (r * c) == 0]
    sizes.sort(key=lambda size: -size[0] * size[1])
    r, c = next(size for size in sizes if can_clear(grid, *size))
    return total // (r * c)


def can_clear(grid: list[list[int]], r: int, c: int) -> bool:
    """Row by row, the first cell with moles must be the top left of as many swings."""
    N, M = len(grid), len(grid[0])
    changes = [[0] * (M + 1) for _ in range(N + 1)]  # differences of the moles removed
    above = [0] * M  # removed from the cells of the previous row
    for i, row in enumerate(grid):
        across = 0
        change = changes[i]
        for j, count in enumerate(row):
            across += change[j]
            left = count - above[j] - across
            if left < 0 or (left and (i + r > N or j + c > M)):
                return False
            if left:
                add_rectangle(changes, i, j, r, c, left)
                across += left
            above[j] += across
    return True


def add_rectangle(
    changes: list[list[int]], top: int, left: int, r: int, c: int, value: int
) -> None:
    """Add a value to r x c cells, given by the differences along rows and columns."""
    changes[top][left] += value
    changes[top][left + c] -= value
    changes[top + r][left] -= value
    changes[top + r][left + c] += value
