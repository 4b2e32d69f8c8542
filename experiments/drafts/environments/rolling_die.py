from random import Random
from typing import Self

import rlve
from rlve.answers import integer

STEPS = {"N": (-1, 0), "E": (0, 1), "S": (1, 0), "W": (0, -1)}


def roll(faces: list[int], move: str) -> list[int]:
    """The numbers on the top, bottom, north, south, east, west face after one move."""
    top, bottom, north, south, east, west = faces
    if move == "N":
        return [south, north, top, bottom, east, west]
    if move == "S":
        return [north, south, bottom, top, east, west]
    if move == "E":
        return [west, east, north, south, top, bottom]
    return [east, west, north, south, bottom, top]


def walk(faces: list[int], row: int, column: int, moves: str) -> tuple[dict, int, int]:
    """The marks left, the sum of all marks ever made, and how often a mark was replaced by another number."""
    marks = {(row, column): faces[1]}
    total = faces[1]
    changes = 0
    for move in moves:
        faces = roll(faces, move)
        row += STEPS[move][0]
        column += STEPS[move][1]
        changes += marks.get((row, column), faces[1]) != faces[1]
        marks[row, column] = faces[1]
        total += faces[1]
    return marks, total, changes


class RollingDie(rlve.Environment[int]):
    """Roll a die over a grid and add up the marks that are left."""

    grid_size: int
    move_num: int
    revisit: int  # 1: some mark is replaced by another number
    faces: list[int]  # top, bottom, north, south, east, west
    row: int
    column: int
    moves: str
    reference_answer: int

    template = """
        A die with six special numbers stands on a grid of {grid_size} rows and {grid_size} columns. Row 1 is the northernmost row, column 1 the westernmost column. The die starts on the cell in row {row}, column {column}, and fills exactly one cell. The numbers on its faces are then:

        {face_list}

        The die is rolled {move_num} times. In each move it rolls over one of its lower edges, by a quarter turn, into the neighbouring cell on this side:
        - N (north): the north face becomes the bottom, the bottom becomes the south face, the south face becomes the top, the top becomes the north face; the east and the west face remain.
        - S (south): the south face becomes the bottom, the bottom becomes the north face, the north face becomes the top, the top becomes the south face; the east and the west face remain.
        - E (east): the east face becomes the bottom, the bottom becomes the west face, the west face becomes the top, the top becomes the east face; the north and the south face remain.
        - W (west): the west face becomes the bottom, the bottom becomes the east face, the east face becomes the top, the top becomes the west face; the north and the south face remain.

        The moves, in order:

        {move_list}

        Each cell on which the die stands is marked with the number on its bottom face: the start cell before the first move, and then after each move the cell that was entered. When a cell is entered again, the new mark replaces the old one. Cells that were never visited have no mark.

        What is the sum of the marks on all cells after the last move?

        Output format: one integer, the sum of the marks.
        """

    def prompt(self) -> str:
        names = ("top", "bottom", "north", "south", "east", "west")
        return self.fill(
            face_list="\n".join(f"{name}: {number}" for name, number in zip(names, self.faces)),
            move_list=" ".join(self.moves),
        )

    @classmethod
    def level(cls, d: int) -> list[rlve.Level]:
        return [{"grid_size": 3 + d // 3, "move_num": 4 + 5 * d, "revisit": min(d, 1)}]

    @classmethod
    def sample(cls, rng: Random, grid_size: int, move_num: int, revisit: int) -> Self:
        for _ in range(200):
            faces = rng.sample(range(1, 61), 6)
            row, column = rng.randint(1, grid_size), rng.randint(1, grid_size)
            r, c = row, column
            moves = ""
            for _ in range(move_num):
                possible = [
                    move
                    for move, (dr, dc) in STEPS.items()
                    if 1 <= r + dr <= grid_size and 1 <= c + dc <= grid_size
                ]
                move = rng.choice(possible)
                r += STEPS[move][0]
                c += STEPS[move][1]
                moves += move
            marks, total, changes = walk(faces, row, column, moves)
            answer = sum(marks.values())
            if revisit and (changes == 0 or answer == total):
                continue
            if answer not in {*faces, grid_size, move_num, row, column}:
                break
        else:
            # Round and round four cells; each round ends with another face below.
            faces = rng.sample(range(31, 61), 6)
            row, column = rng.randint(1, grid_size - 1), rng.randint(1, grid_size - 1)
            moves = ("ESWN" * move_num)[:move_num]
            answer = sum(walk(faces, row, column, moves)[0].values())
        return cls(
            grid_size=grid_size,
            move_num=move_num,
            revisit=revisit,
            faces=faces,
            row=row,
            column=column,
            moves=moves,
            reference_answer=answer,
        )

    def parse(self, text: str) -> int:
        return integer(text, low=0)

    def score(self, answer: int) -> float:
        return 1.0 if answer == self.reference_answer else 0.0
