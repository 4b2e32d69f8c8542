from itertools import pairwise, takewhile
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.grids import Cell, neighbours, steps_from
from rlve.errors import Unparseable
from rlve.foundation.pictures import Grid
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import prefer
from rlve.text import joined, lines
from rlve.work import Work, flood, path_back

STEPS: dict[str, Cell] = {"L": (0, -1), "R": (0, 1), "U": (-1, 0), "D": (1, 0)}
WALL, FREE = "#", "."
ELSEWHERE = -0.2  # the walk is legal but does not end at the goal


class Maze(Environment[str]):
    """Find a shortest walk from the top left to the bottom right cell of a maze.

    Mazes that one of four plain walks solves, along two sides or the diagonal, are redrawn. If no
    draw has a way to the goal, one is carved into the last.
    """

    N: int
    density: float  # the probability of a wall
    maze: list[str]
    reference_answer: str

    max_difficulty = 20  # at 27, generating a problem takes too long
    unique_up_to = None  # several answers can be right
    picture = Grid("maze", answer="moves")

    template = """
        A maze has {N} rows and {N} columns, numbered from 0 to {last}. A cell is free (.) or a
        wall (#):

        {maze}

        Find a shortest walk over free cells from row 0, column 0 to row {last}, column {last}. The
        moves are L (left: column - 1), R (right: column + 1), U (up: row - 1) and D (down:
        row + 1). There is such a walk; any shortest one is accepted.

        Output format: one line with the letters of the moves in order, without separators. For
        example, DRU means down, right, up.
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1, maze=lines(self.maze))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(4, d), "density": density} for density in (0.1, 0.2, 0.3, 0.4)]

    @classmethod
    def sample(cls, rng: Random, N: int, density: float) -> Self:
        far = N - 1
        easy = ("R" * far + "D" * far, "D" * far + "R" * far, "RD" * far, "DR" * far)
        maze = prefer(
            lambda: passable_maze(rng, N, density),
            until=lambda drawn: all(end_of(drawn, walk) is None for walk in easy),
        )
        return cls(N=N, density=density, maze=maze, reference_answer=shortest_walk(maze))

    def parse(self, text: str) -> str:
        moves = joined(takewhile(STEPS.__contains__, text))
        if moves != text and end_of(self.maze, moves) is not None:
            raise Unparseable(f"not a move: {text[len(moves)]!r}")
        return moves

    def score(self, answer: str) -> float:
        end = end_of(self.maze, answer)
        if end is None:
            return INVALID
        if end != (self.N - 1, self.N - 1):
            return ELSEWHERE
        return ratio(steps_to_goal(self.maze)[0, 0], len(answer)) ** 3

    def work(self) -> Work[str]:
        yield "Go step by step to all free neighbours not yet reached. Cells are (row, column)."
        goal = self.N - 1, self.N - 1
        reached = yield from flood(
            [(0, 0)],
            lambda cell: [
                (i, j) for i, j in neighbours(self.N, self.N, cell) if self.maze[i][j] == FREE
            ],
            goal=goal,
        )
        yield "From the goal back, always to a neighbour that is one step nearer the start:"
        way = yield from path_back(reached, goal)
        letters = {step: letter for letter, step in STEPS.items()}
        moves = joined(letters[c - a, d - b] for (a, b), (c, d) in pairwise(way))
        yield f"Moves: {moves}"
        return moves


def end_of(maze: list[str], moves: str) -> Cell | None:
    """Where a walk from the start ends; None if it leaves the maze or enters a wall."""
    i, j = 0, 0
    for move in moves:
        i, j = i + STEPS[move][0], j + STEPS[move][1]
        if not (0 <= i < len(maze) and 0 <= j < len(maze)) or maze[i][j] == WALL:
            return None
    return i, j


def steps_to_goal(maze: list[str]) -> dict[Cell, int]:
    N = len(maze)
    return steps_from(N, N, [(N - 1, N - 1)], free=lambda cell: maze[cell[0]][cell[1]] != WALL)


def shortest_walk(maze: list[str]) -> str:
    steps = steps_to_goal(maze)
    i, j = 0, 0
    moves = ""
    while steps[i, j]:
        for move, (x, y) in STEPS.items():
            if steps.get((i + x, j + y)) == steps[i, j] - 1:
                moves += move
                i, j = i + x, j + y
                break
    return moves


def passable_maze(rng: Random, N: int, density: float) -> list[str]:
    def random_maze() -> list[str]:
        rows = [[WALL if rng.random() < density else FREE for _ in range(N)] for _ in range(N)]
        rows[0][0] = rows[-1][-1] = FREE
        return [joined(row) for row in rows]

    maze = prefer(random_maze, until=lambda drawn: (0, 0) in steps_to_goal(drawn), tries=200)
    return maze if (0, 0) in steps_to_goal(maze) else carved(rng, maze)


def carved(rng: Random, maze: list[str]) -> list[str]:
    """The maze with a random way to the goal, going only right and down."""
    rows = [list(row) for row in maze]
    moves = list("RD" * (len(maze) - 1))
    rng.shuffle(moves)
    i, j = 0, 0
    for move in moves:
        i, j = i + STEPS[move][0], j + STEPS[move][1]
        rows[i][j] = FREE
    return [joined(row) for row in rows]
