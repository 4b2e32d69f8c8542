from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import character_rows
from rlve.rewards import INVALID, ratio
from rlve.text import indexed, joined, lines


class RoundRobin(Environment[list[str]]):
    """Find results of a tournament in which every player has a given score.

    Any results that give these scores are right: there can be several.
    """

    N: int
    W: list[int]  # the scores
    reference_answer: str

    template = """
        Find a matrix A of {N} rows and {N} columns, both numbered from 0 to {last}, such that
        - every entry is 0, 1 or 2;
        - A[i][i] = 0 for every i;
        - A[i][j] + A[j][i] = 2 for every i and j that are different;
        - for every row i, three times the number of its entries 2, plus the number of its entries
          1, is W[i].

        Here is W:

        {W}

        (A is the table of a tournament in which every two players meet once, a win counts 3 points,
        a draw 1, and player i scores W[i] points: A[i][j] is 2 if i beats j, 1 if they draw, 0 if i
        loses.)

        Output format: {N} lines of {N} digits 0, 1 or 2, without any separators: the rows of A.
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1, W=indexed("W", self.W))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": d + 3}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        chance = rng.random()  # of a draw
        results = [[0] * N for _ in range(N)]
        for i in range(N):
            for j in range(i):
                results[i][j] = 1 if rng.random() < chance else rng.choice((0, 2))
                results[j][i] = 2 - results[i][j]
        rows = list(map(joined, results))
        return cls(N=N, W=list(map(points, rows)), reference_answer=lines(rows))

    def parse(self, text: str) -> list[str]:
        return character_rows(text, rows=self.N, columns=self.N, characters="012")

    def score(self, answer: list[str]) -> float:
        if any(row[i] != "0" for i, row in enumerate(answer)):
            return INVALID
        for i in range(self.N):
            if any(int(answer[i][j]) + int(answer[j][i]) != 2 for j in range(i)):
                return INVALID
        right = sum(points(row) == score for row, score in zip(answer, self.W, strict=True))
        return ratio(right, self.N) ** 5


def points(row: str) -> int:
    return 3 * row.count("2") + row.count("1")
