from collections.abc import Iterator
from itertools import combinations, pairwise
from math import inf
from random import Random
from typing import Self, TypeAlias

from rlve import Environment, Level
from rlve.algorithms.flows import Network
from rlve.algorithms.grids import neighbours
from rlve.answers import character_rows
from rlve.foundation.pictures import Grid
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import prefer
from rlve.text import grid, joined, lines, spaced
from rlve.work import Work, state


class MaximumIndependentSetGrid(Environment[list[str]]):
    """Select cells with the largest total value, no two of which share a side.

    The values have the published narrow range, although a chessboard comes close to the maximum.
    Matrices for which it is best are redrawn.
    """

    MAX_N_M: int
    N: int
    M: int
    matrix: list[list[int]]
    gold_answer: int  # the largest total

    max_difficulty = 25  # at 31, generating a problem takes too long
    unique_up_to = None  # several answers can be right
    picture = Grid("matrix", answer="marks")

    template = """
        A matrix has {N} rows and {M} columns of positive integers:

        {matrix}

        Select cells such that no two selected cells share a side (cells that touch only at a corner
        are fine). Make the sum of the selected entries as large as possible.
        If several selections are best, any of them is right.

        Output format: {N} lines of {M} characters, without separators: 1 for each selected cell and
        0 for each other one.
        """

    def prompt(self) -> str:
        return self.fill(matrix=grid(self.matrix))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N_M": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N_M: int) -> Self:
        def draw() -> Self:
            N, M = rng.randint(2, MAX_N_M), rng.randint(2, MAX_N_M)
            matrix = [[rng.randint(1, max(N, M)) for _ in range(M)] for _ in range(N)]
            gold = total_value(matrix, best_selection(matrix))
            return cls(MAX_N_M=MAX_N_M, N=N, M=M, matrix=matrix, gold_answer=gold)

        # With more tries, low levels would have large matrices only.
        return prefer(
            draw, lambda problem: problem.gold_answer > best_chessboard(problem.matrix), tries=6
        )

    def parse(self, text: str) -> list[str]:
        return character_rows(text, rows=self.N, columns=self.M, characters="01")

    def score(self, answer: list[str]) -> float:
        if any("11" in joined(line) for line in (*answer, *zip(*answer, strict=True))):
            return INVALID
        return ratio(total_value(self.matrix, answer), self.gold_answer) ** 3

    def reference(self) -> str:
        return lines(best_selection(self.matrix))

    def work(self) -> Work[str]:
        yield "Row by row: for each choice of columns, no two side by side, its sum plus the best"
        yield "total of a choice in the row above that shares no column with it. Rows and columns"
        yield "are counted from 0."
        best: dict[Columns, tuple[int, list[Columns]]] = {(): (0, [])}  # by the last row
        for i, row in enumerate(self.matrix):
            yield f"Row {i}, {spaced(row)}:"
            longer: dict[Columns, tuple[int, list[Columns]]] = {}
            for columns in separate_columns(self.M):
                above = max((c for c in best if not {*c} & {*columns}), key=lambda c: best[c][0])
                terms = [row[j] for j in columns] + [best[above][0]] * (i > 0)
                longer[columns] = sum(terms), [*best[above][1], columns]
                result = f" = {sum(terms)}" if len(terms) > 1 else ""
                over = f", above {spaced(above) or 'none'}" if i else ""
                written = " + ".join(map(str, terms)) or "0"
                yield f"{spaced(columns) or 'none'}: {written}{result}{over}"
            best = longer
        total, rows = max(best.values())
        yield f"Best {total}. Its columns, from the last row up:"
        yield "; ".join(spaced(columns) or "none" for columns in reversed(rows))
        marks = [[int(j in columns) for j in range(self.M)] for columns in rows]
        yield f"Marked from the first row on: {' / '.join(map(spaced, marks))}"
        yield state("So the rows are", map(joined, marks))
        return lines(map(joined, marks))


Columns: TypeAlias = tuple[int, ...]
"""The columns that are selected in a row."""


def separate_columns(m: int) -> Iterator[Columns]:
    """The choices of columns no two of which are neighbours, small ones first."""
    for size in range((m + 1) // 2 + 1):
        for columns in combinations(range(m), size):
            if all(b - a > 1 for a, b in pairwise(columns)):
                yield columns


def best_chessboard(matrix: list[list[int]]) -> int:
    """The larger total of the two colours of a chessboard."""
    totals = [0, 0]
    for i, row in enumerate(matrix):
        for j, value in enumerate(row):
            totals[(i + j) % 2] += value
    return max(totals)


def total_value(matrix: list[list[int]], selection: list[str]) -> int:
    return sum(
        value
        for row, marks in zip(matrix, selection, strict=True)
        for value, mark in zip(row, marks, strict=True)
        if mark == "1"
    )


def best_selection(matrix: list[list[int]]) -> list[str]:
    """Leave out a minimum cut between the cells of one colour of a chessboard and the others."""
    N, M = len(matrix), len(matrix[0])
    source, sink = N * M, N * M + 1
    network = Network(N * M + 2)
    for i in range(N):
        for j in range(M):
            if (i + j) % 2:
                network.add(i * M + j, sink, matrix[i][j])
            else:
                network.add(source, i * M + j, matrix[i][j])
                for x, y in neighbours(N, M, (i, j)):
                    network.add(i * M + j, x * M + y, inf)
    network.send(source, sink)
    reached = network.reached(source)
    return [
        joined(int((i * M + j in reached) == ((i + j) % 2 == 0)) for j in range(M))
        for i in range(N)
    ]
