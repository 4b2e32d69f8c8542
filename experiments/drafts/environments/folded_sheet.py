import re
from random import Random
from typing import Self

import rlve
from rlve.answers import text_lines

Square = tuple[int, int]
Grid = list[list[list[Square]]]  # for each square of the folded figure, the squares of the sheet that lie there


def transposed(grid: Grid) -> Grid:
    return [list(column) for column in zip(*grid)]


def mirrored(grid: Grid) -> Grid:
    return [row[::-1] for row in grid]


def fold(grid: Grid, side: str, k: int) -> Grid:
    if side == "left":
        return [
            [layers + (row[k - 1 - j] if j < k else []) for j, layers in enumerate(row[k:])] for row in grid
        ]
    if side == "right":
        return mirrored(fold(mirrored(grid), "left", k))
    return transposed(fold(transposed(grid), "left" if side == "top" else "right", k))


def sheet(row_num: int, column_num: int) -> Grid:
    return [[[(r, c)] for c in range(1, column_num + 1)] for r in range(1, row_num + 1)]


class FoldedSheet(rlve.Environment[list[list[int]]]):
    """Find the holes in a sheet that was folded, punched and unfolded."""

    max_difficulty = 20

    row_num: int
    column_num: int
    folds: list[str]  # side and number of columns or rows
    punches: list[list[int]]
    reference_answer: str

    template = """
        A sheet of paper is divided into {row_num} rows and {column_num} columns of equal squares. Rows are numbered from 1 at the top, columns from 1 at the left. The sheet lies flat and is folded along lines between squares, in this order:

        {fold_lines}

        "left k" means: the k leftmost columns of the figure, with all their layers, are turned over to the right, so that they lie on the next columns: column k comes to lie on column k+1, column k-1 on column k+2, and so on. In the same way, with "right k" the k rightmost columns are turned over to the left, with "top k" the k uppermost rows are turned over downward, and with "bottom k" the k lowest rows are turned over upward. After each fold the figure is a rectangle with k columns or rows less, and its rows and columns are numbered anew from 1, from the top and from the left.

        Then holes are punched through all layers at these squares of the folded figure, in the numbering after the last fold:

        {punch_lines}

        Then the sheet is unfolded completely. Which of its squares have a hole, in the original numbering of the sheet?

        Output format: each square with a hole written as row,column without a space inside; the squares separated by single spaces, sorted by row, and in the same row by column. For example: 1,2 1,5 3,2
        """

    @classmethod
    def level(cls, d: int) -> list[rlve.Level]:
        return [
            {
                "min_size": 4 + d // 3,
                "max_rows": 6 + d // 2,
                "max_columns": 6 + (d + 1) // 2,
                "fold_num": 1 + d // 4,
                "punch_num": 1 + d // 7,
                "max_holes": 20 + d,
            }
        ]

    @classmethod
    def sample(
        cls,
        rng: Random,
        min_size: int,
        max_rows: int,
        max_columns: int,
        fold_num: int,
        punch_num: int,
        max_holes: int,
    ) -> Self:
        for _ in range(200):
            row_num = rng.randint(min_size, max_rows)
            column_num = rng.randint(min_size, max_columns)
            grid = sheet(row_num, column_num)
            folds = []
            for _ in range(fold_num):
                side = rng.choice(["left", "right", "top", "bottom"])
                width = len(grid[0]) if side in ("left", "right") else len(grid)
                most = min(width // 2, width - 2)
                if most < 1:
                    break
                k = rng.randint(1, most)
                grid = fold(grid, side, k)
                folds.append(f"{side} {k}")
            places = [(r, c) for r in range(len(grid)) for c in range(len(grid[0]))]
            if len(folds) < fold_num or len(places) <= punch_num:
                continue
            chosen = sorted(rng.sample(places, punch_num))
            layers = [grid[r][c] for r, c in chosen]
            holes = sorted(square for some in layers for square in some)
            if len(holes) > max_holes or max(map(len, layers)) < 2:
                continue
            break
        else:  # narrow folds by turns, and a punch where most layers lie
            row_num = rng.randint(min_size, max_rows)
            column_num = rng.randint(min_size, max_columns)
            grid = sheet(row_num, column_num)
            folds = []
            for number in range(fold_num):
                side = rng.choice(["top", "bottom"] if number % 2 else ["left", "right"])
                grid = fold(grid, side, 1)
                folds.append(f"{side} 1")
            places = [(r, c) for r in range(len(grid)) for c in range(len(grid[0]))]
            rng.shuffle(places)
            places.sort(key=lambda place: -len(grid[place[0]][place[1]]))
            chosen = sorted([places[0]] + rng.sample(places[1:], punch_num - 1))
            holes = sorted(square for r, c in chosen for square in grid[r][c])
        return cls(
            row_num=row_num,
            column_num=column_num,
            folds=folds,
            punches=[[r + 1, c + 1] for r, c in chosen],
            reference_answer=" ".join(f"{r},{c}" for r, c in holes),
        )

    def prompt(self) -> str:
        return self.fill(
            fold_lines="\n".join(self.folds),
            punch_lines="\n".join(f"row {r}, column {c}" for r, c in self.punches),
        )

    def parse(self, text: str) -> list[list[int]]:
        squares = []
        for part in " ".join(text_lines(text)).split():
            if not re.fullmatch("[0-9]{1,3},[0-9]{1,3}", part):
                raise rlve.Unparseable("squares written as row,column are expected")
            squares.append([int(number) for number in part.split(",")])
        if not squares:
            raise rlve.Unparseable("no square is named")
        if squares != sorted(squares):
            raise rlve.Unparseable("the squares are sorted by row and column")
        return squares

    def score(self, answer: list[list[int]]) -> float:
        right = [[int(number) for number in part.split(",")] for part in self.reference_answer.split()]
        return 1.0 if answer == right else 0.0
