from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.graphs import DisjointSets
from rlve.algorithms.grids import CORNERS, Cell, neighbours, steps_from
from rlve.answers import character_rows
from rlve.foundation.pictures import Grid
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import redraw
from rlve.text import grid, joined, lines, spaced
from rlve.work import Work, fill_grid

WHITE, BLACK = ".", "*"


class HitoriPuzzle(Environment[list[str]]):
    """Black out cells of a matrix so that no number occurs twice in a row or column.

    Any blackout that obeys the rules is right; there can be several. A matrix that needs no black
    cell is redrawn.
    """

    MAX_N_M: int
    N: int
    M: int
    matrix: list[list[int]]
    reference_answer: str

    max_difficulty = 120  # at 160, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right
    picture = Grid("matrix", answer="marks")

    template = """
        Here is a matrix of {N} rows and {M} columns:

        {matrix}

        Black out some of its cells, such that
        - in each row and in each column, the numbers in cells that are not black are all different;
        - no two black cells are next to each other horizontally or vertically;
        - the cells that are not black are connected: one can get from each of them to each other
          one by horizontal and vertical steps over cells that are not black.
        There is a solution; if there are several, any of them is right.

        Output format: {N} lines of {M} characters without separators: * for a black cell, . for
        any other.
        """

    def prompt(self) -> str:
        return self.fill(matrix=grid(self.matrix))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N_M": d + 4}]

    @classmethod
    def sample(cls, rng: Random, MAX_N_M: int) -> Self:
        def draw() -> Self:
            N, M = rng.randint(2, MAX_N_M), rng.randint(2, MAX_N_M)
            matrix, colours = plant(rng, N, M)
            return cls(
                MAX_N_M=MAX_N_M,
                N=N,
                M=M,
                matrix=matrix,
                reference_answer=lines(map(joined, colours)),
            )

        return redraw(draw, until=lambda problem: not problem.is_solved())

    def is_solved(self) -> bool:
        """Whether no cell has to be black."""
        return self.score([WHITE * self.M] * self.N) == 1.0

    def parse(self, text: str) -> list[str]:
        return character_rows(text, rows=self.N, columns=self.M, characters=WHITE + BLACK)

    def score(self, answer: list[str]) -> float:
        columns = list(map(joined, zip(*answer, strict=True)))
        if any(BLACK * 2 in line for line in (*answer, *columns)) or not is_one_region(answer):
            return INVALID
        numbers = [*self.matrix, *zip(*self.matrix, strict=True)]
        satisfied = 0
        for line, colours in zip(numbers, (*answer, *columns), strict=True):
            rest = [x for x, colour in zip(line, colours, strict=True) if colour == WHITE]
            satisfied += len(set(rest)) == len(rest)
        return ratio(satisfied, self.N + self.M) ** 10

    def work(self) -> Work[str | None]:
        yield "A cell whose number is not repeated in its row or column can stay white (.): if"
        yield "it is black, all its neighbours are white, and it can join them."
        cells = [
            joined("_" if repeats(self.matrix, i, j) else WHITE for j in range(self.M))
            for i in range(self.N)
        ]
        yield f"Decide whether the others, here _, are white or black (*). Grid: {spaced(cells)}"

        def fault(rows: list[list[str]], i: int, j: int) -> str | None:
            if rows[i][j] == WHITE:
                same = repeats(self.matrix, i, j)
                cell = next(((x, y) for x, y in same if rows[x][y] == WHITE), None)
                return cell and f"also in row {cell[0] + 1}, column {cell[1] + 1}"
            if any(rows[x][y] == BLACK for x, y in neighbours(self.N, self.M, (i, j))):
                return "next to a black cell"
            corners = neighbours(self.N, self.M, (i, j), CORNERS)
            if not any(rows[x][y] == BLACK for x, y in corners):
                return None
            white = [joined(BLACK if x == BLACK else WHITE for x in row) for row in rows]
            return None if is_one_region(white) else "it would cut off white cells"

        rows = yield from fill_grid(cells, "_", WHITE + BLACK, fault)
        if rows is None:
            return None
        for i, row in enumerate(rows, 1):
            yield f"Row {i}: {joined(row)}"
        return lines(map(joined, rows))


def repeats(matrix: list[list[int]], i: int, j: int) -> list[Cell]:
    """The other cells of a row and a column that have the number where they cross."""
    others = [(i, y) for y in range(len(matrix[0])) if y != j]
    others += [(x, j) for x in range(len(matrix)) if x != i]
    return [(x, y) for x, y in others if matrix[x][y] == matrix[i][j]]


def is_one_region(colours: list[str]) -> bool:
    """Whether the white cells are one region."""
    white = [(i, j) for i, row in enumerate(colours) for j, x in enumerate(row) if x == WHITE]
    free = set(white)
    reached = steps_from(len(colours), len(colours[0]), white[:1], free.__contains__)
    return len(reached) == len(white) > 0


def plant(rng: Random, N: int, M: int) -> tuple[list[list[int]], list[list[str]]]:
    """A matrix and its black cells, each of which repeats a white number of its row or column."""
    matrix = [[0] * M for _ in range(N)]
    colours = [[WHITE] * M for _ in range(N)]
    row_numbers: list[set[int]] = [set() for _ in range(N)]  # of white cells
    column_numbers: list[set[int]] = [set() for _ in range(M)]
    fences = Fences(N, M)
    for place in rng.sample(range(N * M), N * M):
        i, j = divmod(place, M)
        taken = row_numbers[i] | column_numbers[j]
        if rng.random() < 0.5 and taken and fences.add((i, j)):
            colours[i][j] = BLACK
            matrix[i][j] = rng.choice(sorted(taken))
        else:
            number = next(x for x in range(len(taken) + 1) if x not in taken)
            matrix[i][j] = number
            row_numbers[i].add(number)
            column_numbers[j].add(number)
    return matrix, colours


class Fences:
    """Black cells that never touch and never separate the others.

    They separate them if and only if diagonally adjacent black cells form a cycle, or a path from
    border to border. The border counts as one more cell.
    """

    def __init__(self, N: int, M: int) -> None:
        self.N, self.M = N, M
        self.black: set[Cell] = set()
        self.joined = DisjointSets(N * M + 1)

    def add(self, cell: Cell) -> bool:
        """Make a cell black; return False, and do nothing, if that is not allowed."""
        if not self.black.isdisjoint(neighbours(self.N, self.M, cell)):
            return False
        i, j = cell
        diagonal = [
            x * self.M + y
            for x, y in neighbours(self.N, self.M, cell, CORNERS)
            if (x, y) in self.black
        ]
        if i in (0, self.N - 1) or j in (0, self.M - 1):
            diagonal.append(self.N * self.M)
        if len({self.joined.find(place) for place in diagonal}) < len(diagonal):
            return False
        for place in diagonal:
            self.joined.join(place, i * self.M + j)
        self.black.add(cell)
        return True
