from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import text_lines
from rlve.errors import Unparseable
from rlve.foundation.pictures import Grid
from rlve.rewards import INVALID, WRONG, ratio
from rlve.text import lines, spaced
from rlve.work import Work

CUBE = (
    "..+---+",
    "./   /|",
    "+---+ |",
    "|   | +",
    "|   |/.",
    "+---+..",
)
BACKGROUND = "."
CHARACTERS = frozenset(".+-/| ")
MAX_HEIGHT = 5


class BlockImage(Environment[list[str]]):
    """Draw stacks of cubes in characters, seen from the front, above and right.

    Other characters are ill-formed, with the published reward of -0.5 if they come first.
    """

    MAX_M_N: int
    M: int
    N: int
    grid: list[list[int]]  # heights; the first row is at the back
    reference_answer: str  # the lines from top to bottom

    max_difficulty = 100  # at 130, answers are too long to parse
    picture = Grid()

    template = """
        Cubes are stacked on a table of {M} x {N} cells (rows x columns). Here is how many cubes are
        on each cell. The first line below is row 1, at the back of the table; the last line is row
        {M}, at the front. Columns are numbered from 1, from left to right.

        {grid}

        Draw the stacks. This is the picture of a single cube, 6 lines of 7 characters:

        ..+---+
        ./   /|
        +---+ |
        |   | +
        |   |/.
        +---+..

        Its dots are not part of the cube, but its blanks are: they hide what is behind them. The
        cubes of the picture are placed like this:
        - A cube to the right of another one is drawn 4 characters further to the right.
        - A cube on top of another one is drawn 3 lines higher.
        - A cube behind another one is drawn 2 lines higher and 2 characters further to the right.

        So, with characters and lines counted from 0, from the left and from the bottom, the lower
        left character of the k-th cube from below (k = 1, 2, ...) in row i and column j is
        character 2*({M} - i) + 4*(j - 1) of line 2*({M} - i) + 3*(k - 1).

        Draw row by row from the back to the front, in each row stack by stack from left to right,
        and in each stack from bottom to top. Each cube replaces what it covers. The picture is the
        smallest rectangle that holds all cubes; every character that no cube covers is a dot.

        For example, these stacks on 2 x 3 cells

        3 1 2
        1 2 1

        give the picture

        {example}

        Output format: the lines of the picture from top to bottom, all of the same length.
        """

    def prompt(self) -> str:
        example = lines(draw([[3, 1, 2], [1, 2, 1]]))
        return self.fill(grid=lines(map(spaced, self.grid)), example=example)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_M_N": d + 2}]

    @classmethod
    def sample(cls, rng: Random, MAX_M_N: int) -> Self:
        M, N = rng.randint(1, MAX_M_N), rng.randint(1, MAX_M_N)
        heights = [[rng.randint(1, MAX_HEIGHT) for _ in range(N)] for _ in range(M)]
        return cls(MAX_M_N=MAX_M_N, M=M, N=N, grid=heights, reference_answer=lines(draw(heights)))

    def parse(self, text: str) -> list[str]:
        rows = text_lines(text)
        if not rows:
            raise Unparseable("the picture has no lines")
        for i, row in enumerate(rows):
            if len(row) != len(rows[0]):
                raise Unparseable(f"line {i + 1} is not as long as line 1")
            if not CHARACTERS.issuperset(row):
                raise Unparseable(f"line {i + 1} has a character of no picture", reward=INVALID)
        return rows

    def score(self, answer: list[str]) -> float:
        picture = self.reference_answer.split("\n")
        if len(answer) != len(picture) or len(answer[0]) != len(picture[0]):
            return WRONG
        right = sum(
            x == gold
            for row, gold_row in zip(answer, picture, strict=True)
            for x, gold in zip(row, gold_row, strict=True)
        )
        return ratio(right, len(picture) * len(picture[0])) ** 2

    def work(self) -> Work[str]:
        M, N = self.M, self.N
        yield f"Row i is 2 * ({M} - i) lines up and as many characters to the right."
        yield "Its stacks are 4 characters apart, and one of k cubes has 3 * k + 3 lines."
        yield "For each row, here are the lines that it reaches, the top one first. Others stay."
        yield f"Width: 2 * ({M} - 1) + 4 * ({N} - 1) + 7 = {2 * M + 4 * N + 1}"
        for i, row in enumerate(self.grid, 1):
            up, most = 2 * (M - i), max(row)
            top = up + 3 * most + 2
            yield f"Row {i}, lines {up} to {up} + 3 * {most} + 2 = {top}:"
            rows = draw([*self.grid[:i], *([0] * N for _ in range(M - i))])
            yield from rows[len(rows) - top - 1 : len(rows) - up]
        return lines(draw(self.grid))


def draw(heights: list[list[int]]) -> list[str]:
    """The lines of the picture, from top to bottom."""
    M, N = len(heights), len(heights[0])
    tops = [2 * (M - 1 - i) + 3 * max(row) for i, row in enumerate(heights)]
    canvas = [[BACKGROUND] * (2 * M + 4 * N + 1) for _ in range(max(tops) + 3)]
    for i, row in enumerate(heights):
        for j, height in enumerate(row):
            for k in range(height):
                top = len(canvas) - 2 * (M - 1 - i) - 3 * k - len(CUBE)
                stamp(canvas, top, 2 * (M - 1 - i) + 4 * j)
    return ["".join(row) for row in canvas]


def stamp(canvas: list[list[str]], top: int, left: int) -> None:
    """Draw a cube."""
    for i, row in enumerate(CUBE):
        for j, character in enumerate(row):
            if character != BACKGROUND:
                canvas[top + i][left + j] = character
