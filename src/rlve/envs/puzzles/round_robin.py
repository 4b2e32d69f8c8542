from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import character_rows
from rlve.foundation.pictures import Grid
from rlve.rewards import INVALID, ratio
from rlve.text import indexed, joined, lines


class RoundRobin(Environment[list[str]]):
    """Find results of a tournament in which every player has a given score.

    Any results that give these scores are right; there can be several.
    """

    N: int
    W: list[int]  # the scores
    reference_answer: str

    max_difficulty = 250  # at 320, answers are too long to parse
    unique_up_to = None  # several answers can be right
    picture = Grid(None, columns="N", right="W", answer="grid")

    template = """
        In a tournament of {N} players, numbered from 0 to {last}, every two players met once. A win
        counted 3 points, a draw 1 and a loss 0. Player i scored W[i] points in all:

        {W}

        Find results with these scores, as a matrix A: A[i][j] is 2 if player i beat player j, 1 if
        they drew, and 0 if i lost. So A[i][j] + A[j][i] = 2 for different i and j; A[i][i] is 0.
        There is a solution; if there are several, any of them is right.

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
