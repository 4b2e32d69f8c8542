from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.arrays import is_permutation
from rlve.algorithms.grids import keeps
from rlve.answers import integer_rows
from rlve.foundation.pictures import Grid
from rlve.rewards import INVALID, ratio
from rlve.sampling.blanks import with_blanks
from rlve.text import grid

EMPTY = 0


class MagicSquarePuzzle(Environment[list[list[int]]]):
    """Complete a magic square.

    Any completion that keeps the givens is right; there can be several. The planted squares are not
    just the symmetries of one: there are 8 of side 3 (all that exist), 128 of side 4, and soon too
    many to memorise.
    """

    N: int
    sparsity: float  # the share of cells that are emptied
    grid: list[list[int]]
    reference_answer: str

    max_difficulty = 50  # at 62, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right
    picture = Grid(blank="0", answer="grid")

    template = """
        Here is a grid of {N} rows and {N} columns; 0 marks an empty cell:

        {grid}

        Replace every 0 by a positive integer and keep all other cells, such that
        - the grid contains every integer from 1 to {size} exactly once;
        - the sum of each row, of each column and of each of the two main diagonals is {constant}.

        There is a solution; if there are several, any of them is right.

        Output format: {N} lines of {N} integers, separated by spaces: the completed grid.
        """

    def prompt(self) -> str:
        return self.fill(grid=grid(self.grid), size=self.N**2, constant=self.constant())

    def constant(self) -> int:
        return self.N * (self.N**2 + 1) // 2

    @classmethod
    def level(cls, d: int) -> list[Level]:
        N = d // 3 * 4 + d % 3 + 3  # the integers from 3 up, without 6, 10, 14, ...
        return [{"N": N, "sparsity": tenth / 10} for tenth in range(1, 10)]

    @classmethod
    def sample(cls, rng: Random, N: int, sparsity: float) -> Self:
        solution = magic_square(rng, N)
        return cls(
            N=N,
            sparsity=sparsity,
            grid=with_blanks(rng, solution, sparsity, EMPTY),
            reference_answer=grid(solution),
        )

    def parse(self, text: str) -> list[list[int]]:
        return integer_rows(text, rows=self.N, columns=self.N)

    def score(self, answer: list[list[int]]) -> float:
        values = [value for row in answer for value in row]
        if not is_permutation(values, self.N**2, first=1) or not keeps(answer, self.grid, EMPTY):
            return INVALID
        diagonals = [
            [row[i] for i, row in enumerate(answer)],
            [row[~i] for i, row in enumerate(answer)],
        ]
        sums = map(sum, (*answer, *zip(*answer, strict=True), *diagonals))
        right = sum(total == self.constant() for total in sums)
        return ratio(right, 2 * self.N + 2) ** 10


def magic_square(rng: Random, N: int) -> list[list[int]]:
    """A random magic square; N is odd or a multiple of 4.

    A cell is N * high + low + 1, where every row, column and diagonal has the same sum of high and
    the same sum of low, and no two cells share both.
    """
    high, low = (odd if N % 2 else doubly_even)(rng, N)
    square = [
        [N * x + y + 1 for x, y in zip(*rows, strict=True)] for rows in zip(high, low, strict=True)
    ]
    if rng.random() < 0.5:
        square.reverse()
    if rng.random() < 0.5:
        square = [list(column) for column in zip(*square, strict=True)]
    return square


def odd(rng: Random, N: int) -> tuple[list[list[int]], list[list[int]]]:
    """Two orthogonal Latin squares, each with the middle value along one diagonal.

    Every line but that diagonal has all values, so all but the middle one can be renamed. Rows and
    columns can be moved together if opposite ones stay opposite.
    """
    middle = N // 2
    names, other_names = (renaming(rng, N) for _ in range(2))
    order = mirrored(rng, N)
    high = [[names[(i - j + middle) % N] for j in order] for i in order]
    low = [[other_names[(i + j - middle) % N] for j in order] for i in order]
    return high, low


def renaming(rng: Random, N: int) -> list[int]:
    """A permutation that keeps the middle value."""
    middle = N // 2
    names = [value for value in range(N) if value != middle]
    rng.shuffle(names)
    return [*names[:middle], middle, *names[middle:]]


def doubly_even(rng: Random, N: int) -> tuple[list[list[int]], list[list[int]]]:
    """Every row has one value of high in half of its cells and the opposite one in the others.

    Cells that mirror each other, left and right or above and below, are alike in this respect, and
    have opposite values in each column and diagonal. The same holds for low with rows and columns
    swapped.
    """
    high, low = (half_opposite(rng, N) for _ in range(2))
    return high, [list(column) for column in zip(*low, strict=True)]


def half_opposite(rng: Random, N: int) -> list[list[int]]:
    values = mirrored(rng, N)
    upper: list[list[int]] = []
    for value in values[: N // 2]:
        opposite = set(rng.sample(range(N // 2), N // 4))
        row = [N - 1 - value if j in opposite else value for j in range(N // 2)]
        upper.append(row + row[::-1])
    return upper + [[N - 1 - value for value in row] for row in reversed(upper)]


def mirrored(rng: Random, N: int) -> list[int]:
    """A permutation p of 0 .. N-1 in which p[i] and p[N-1-i] add up to N-1."""
    half = N // 2
    first = [rng.choice((i, N - 1 - i)) for i in rng.sample(range(half), half)]
    return [*first, *([half] if N % 2 else []), *(N - 1 - i for i in reversed(first))]
