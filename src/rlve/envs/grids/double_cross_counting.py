from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.grids import Cell
from rlve.answers import integer
from rlve.foundation.pictures import Grid
from rlve.levels import grow
from rlve.rewards import closeness
from rlve.sampling.rejection import spread
from rlve.text import lines


class DoubleCrossCounting(Environment[int]):
    """Count the double crosses of ones in a matrix of zeros and ones.

    Several matrices are drawn, and each answer among them is equally likely; otherwise most answers
    at the lowest levels would be 0.
    """

    MAX_N_M: int
    N: int
    M: int
    zero_coordinates: list[Cell]
    reference_answer: int

    guessable = (
        "With 5 rows and 5 columns there is at most one double cross, so the answer is 0 or 1."
    )

    max_difficulty = 25  # at 32, generating a problem takes too long
    picture = Grid(None, signs=(("zero_coordinates", "#"),))

    template = """
        A matrix has {N} rows, numbered from 0 to {last_row}, and {M} columns, numbered from 0 to
        {last_column}. All of its entries are 1, except for zeros in these cells (row, column):

        {zeros}

        A double cross is a vertical bar that is crossed in the middle by two horizontal bars, the
        upper of which is shorter. All cells of the three bars hold 1. It is given by integers
        (top, upper, lower, bottom, y, u, d) with
        - 0 <= top < upper, upper + 1 < lower < bottom < {N}: the horizontal bars are in rows that
          are not adjacent, and the vertical bar goes on above the upper and below the lower one;
        - 1 <= u < d, y - d >= 0 and y + d < {M}: the arms of the upper bar are shorter;
        - the entries in column y from row top to row bottom are all 1;
        - the entries in row upper from column y - u to column y + u are all 1;
        - the entries in row lower from column y - d to column y + d are all 1.

        For example, the cells marked + are a double cross with u = 1 and d = 2:

        ..+..
        .+++.
        ..+..
        +++++
        ..+..

        Count the double crosses: all such tuples of seven integers. Entries beside the bars do not
        matter, so double crosses can overlap and contain each other.

        Output format: one integer, the number of double crosses, which can be 0.
        """

    def prompt(self) -> str:
        return self.fill(
            last_row=self.N - 1, last_column=self.M - 1, zeros=lines(self.zero_coordinates)
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N_M": grow(5, d)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N_M: int) -> Self:
        return spread(rng, lambda: cls.draw(rng, MAX_N_M), by=lambda drawn: drawn.reference_answer)

    @classmethod
    def draw(cls, rng: Random, MAX_N_M: int) -> Self:
        N, M = rng.randint(5, MAX_N_M), rng.randint(5, MAX_N_M)
        zeros = [divmod(k, M) for k in rng.sample(range(N * M), rng.randint(1, N * M // 4))]
        return cls(
            MAX_N_M=MAX_N_M,
            N=N,
            M=M,
            zero_coordinates=zeros,
            reference_answer=double_crosses(N, M, zeros),
        )

    def parse(self, text: str) -> int:
        return integer(text, low=0)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 3


def double_crosses(N: int, M: int, zeros: list[Cell]) -> int:
    ones = [[1] * M for _ in range(N)]
    for i, j in zeros:
        ones[i][j] = 0
    left = [ones_before(row) for row in ones]
    right = [ones_before(row[::-1])[::-1] for row in ones]
    columns = list(zip(*ones, strict=True))
    up = [ones_before(column) for column in columns]
    down = [ones_before(column[::-1])[::-1] for column in columns]
    total = 0
    for y in range(1, M - 1):
        tops = [0] * (M // 2)  # [u]: ways to choose an upper bar and a top with this u
        upper = 0  # the rows before it, as far as the ones reach, are in tops
        for x in range(N):
            if not ones[x][y]:
                tops = [0] * (M // 2)
                upper = x + 1
                continue
            if upper < x - 1:
                for u in range(1, min(left[upper][y], right[upper][y], M // 2 - 1) + 1):
                    tops[u] += up[y][upper]
                upper += 1
            d = min(left[x][y], right[x][y])
            if down[y][x]:
                total += down[y][x] * sum((d - u) * tops[u] for u in range(1, d))
    return total


def ones_before(line: list[int] | tuple[int, ...]) -> list[int]:
    """For each position, how many consecutive ones end just before it."""
    counts: list[int] = []
    count = 0
    for value in line:
        counts.append(count)
        count = count + 1 if value else 0
    return counts
