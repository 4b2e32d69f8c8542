from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import character_rows
from rlve.foundation.pictures import Grid
from rlve.rewards import ratio
from rlve.sampling.strings import random_string
from rlve.text import indexed, lines
from rlve.work import Work, fill_grid, join_rows


class Kakurasu(Environment[list[str]]):
    """Fill a grid with 0 and 1 so that the positions of the ones have given sums.

    Any grid with these sums is right; there can be several.
    """

    MAX_N_M: int
    N: int
    M: int
    A: list[int]  # the sums of the rows
    B: list[int]  # the sums of the columns
    reference_answer: str

    max_difficulty = 330  # at 350, answers are too long to parse
    unique_up_to = None  # several answers can be right
    picture = Grid(None, left="A", top="B", answer="grid")

    template = """
        Fill a grid of {N} rows and {M} columns with zeros and ones. Rows are numbered from 1 to {N}
        from top to bottom, and columns from 1 to {M} from left to right.

        For each row i, the column numbers of its ones must add up to A[i]:

        {A}

        For each column j, the row numbers of its ones must add up to B[j]:

        {B}

        A line without ones has the sum 0.

        There is a solution; if there are several, any of them is right.

        Output format: {N} lines of {M} characters 0 or 1, without separators: the filled grid.
        """

    def prompt(self) -> str:
        return self.fill(A=indexed("A", self.A, start=1), B=indexed("B", self.B, start=1))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N_M": d + 3}]

    @classmethod
    def sample(cls, rng: Random, MAX_N_M: int) -> Self:
        N, M = rng.randint(2, MAX_N_M), rng.randint(2, MAX_N_M)
        chance = rng.uniform(0.1, 0.9)  # that a cell is 1
        solution = [random_string(rng, M, chance) for _ in range(N)]
        return cls(
            MAX_N_M=MAX_N_M,
            N=N,
            M=M,
            A=list(map(place_sum, solution)),
            B=list(map(place_sum, columns(solution))),
            reference_answer=lines(solution),
        )

    def parse(self, text: str) -> list[str]:
        return character_rows(text, rows=self.N, columns=self.M, characters="01")

    def score(self, answer: list[str]) -> float:
        sums = map(place_sum, (*answer, *columns(answer)))
        satisfied = sum(x == y for x, y in zip(sums, self.A + self.B, strict=True))
        return ratio(satisfied, self.N + self.M) ** 10

    def work(self) -> Work[str | None]:
        yield "Fill cells that are forced, because a line could not get its sum otherwise, or try."

        def fault(rows: list[list[str]], i: int, j: int) -> str | None:
            column = [row[j] for row in rows]
            if not can_get(self.A[i], rows[i]):
                return f"row {i + 1} cannot get {self.A[i]}"
            return None if can_get(self.B[j], column) else f"column {j + 1} cannot get {self.B[j]}"

        rows = yield from fill_grid(["_" * self.M] * self.N, "_", "01", fault)
        return None if rows is None else (yield from join_rows(rows))


def columns(rows: list[str]) -> list[str]:
    return ["".join(column) for column in zip(*rows, strict=True)]


def place_sum(line: str) -> int:
    """The sum of the positions of the ones, counted from 1."""
    return sum(position for position, digit in enumerate(line, 1) if digit == "1")


def can_get(total: int, line: list[str]) -> bool:
    """Whether the positions of the ones can add up to this, if open cells are filled well."""
    sums = 1  # bit s is set if a sum of s is possible
    for position, digit in enumerate(line, 1):
        if digit == "1":
            sums <<= position
        elif digit != "0":
            sums |= sums << position
    return bool(sums >> total & 1)
