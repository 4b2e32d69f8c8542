from itertools import accumulate
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.foundation.pictures import Grid
from rlve.levels import grow
from rlve.rewards import closeness
from rlve.text import joined, lines, spaced
from rlve.work import Work


class UndamagedSubmatrixCounting(Environment[int]):
    """Count the rectangles of a 0/1 matrix that contain only ones."""

    MAX_N_M: int
    N: int
    M: int
    matrix: list[list[int]]
    reference_answer: int

    max_difficulty = 30  # at 37, a prompt exceeds 32,000 characters
    picture = Grid("matrix", solid="0")

    template = """
        A matrix of zeros and ones has {N} rows and {M} columns:

        {matrix}

        Count its non-empty contiguous rectangular submatrices that consist only of ones.
        Submatrices at different positions or of different sizes count separately; single cells and
        the whole matrix are submatrices too.

        Output format: one integer, the number of submatrices, which can be 0.
        """

    def prompt(self) -> str:
        return self.fill(matrix=lines(map(joined, self.matrix)))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N_M": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N_M: int) -> Self:
        N, M = rng.randint(2, MAX_N_M), rng.randint(2, MAX_N_M)
        p = rng.random()  # the probability of a one
        matrix = [[int(rng.random() < p) for _ in range(M)] for _ in range(N)]
        return cls(
            MAX_N_M=MAX_N_M, N=N, M=M, matrix=matrix, reference_answer=rectangles_of_ones(matrix)
        )

    def parse(self, text: str) -> int:
        return integer(text, low=0)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10

    def work(self) -> Work[str]:
        yield "Count the submatrices by their bottom right corner. The height of a cell is the"
        yield "number of ones from it upwards, itself included, before a 0. From the corner go left"
        yield "until a 0: each column reached, as left edge, gives as many submatrices as the"
        yield "lowest height so far."
        total = 0
        ones = [0] * self.M
        for i, row in enumerate(self.matrix, 1):
            ones = [above + 1 if cell else 0 for above, cell in zip(ones, row, strict=True)]
            yield f"Row {i} is {spaced(row)}, heights: {spaced(ones)}"
            for j, heights in enumerate(heights_to_the_left(ones), 1):
                if here := sum(heights):
                    added = f"{' + '.join(map(str, heights))} = " if len(heights) > 1 else ""
                    yield f"Column {j}: {added}{here}, total {total} + {here} = {total + here}"
                    total += here
        yield f"So the number of submatrices is {total}"
        return str(total)


def heights_to_the_left(ones: list[int]) -> list[list[int]]:
    """For each cell, the lowest number from it to each cell on its left, up to a zero."""
    lowest = [list(accumulate(ones[j::-1], min)) for j in range(len(ones))]
    return [[height for height in heights if height] for heights in lowest]


def rectangles_of_ones(matrix: list[list[int]]) -> int:
    """Count by bottom right corner, with a stack of increasing heights.

    A corner's rectangles are the sum over all left columns, each of which allows every height up to
    the least number of ones above, from that column to the corner.
    """
    total = 0
    ones_above = [0] * len(matrix[0])
    for row in matrix:
        ones_above = [above + 1 if cell else 0 for above, cell in zip(ones_above, row, strict=True)]
        heights: list[tuple[int, int]] = []  # increasing, each with its number of left columns
        ending_here = 0  # the sum of height * columns
        for height in ones_above:
            columns = 1
            while heights and heights[-1][0] >= height:
                higher, width = heights.pop()
                ending_here -= higher * width
                columns += width
            heights.append((height, columns))
            ending_here += height * columns
            total += ending_here
    return total
