from collections.abc import Sequence
from random import Random
from typing import Self

from rlve import Level
from rlve.algorithms.primes import is_prime
from rlve.dialogue import Command, Dialogue, Player, command, numbers_in
from rlve.rewards import exact
from rlve.text import spaced


class HiddenLinearMap(Dialogue[Command]):
    """Find a matrix modulo a prime from what it makes of vectors without zeros."""

    N: int
    M: int
    matrix: list[list[int]]

    template = """
        I have a secret matrix with {N} rows and {N} columns. Each entry is an integer from 0 to
        {highest}, and {M} is prime. You may name a vector of {N} integers from 1 to {highest}; 0 is
        not allowed. I tell you its product with the matrix: for each row, from the first to the
        last, the sum of the row's entries times those of the vector, modulo {M}. When you know the
        matrix, give it; that ends the dialogue.

        Output format: `ask` and the {N} integers of the vector, such as `ask {example}`; or
        `answer` and the {count} entries of the matrix, row by row, separated by spaces.
        """

    def opening(self) -> str:
        example = spaced(1 + i % 2 for i in range(self.N))
        return self.fill(highest=self.M - 1, example=example, count=self.N**2)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [
            {"N": 2 + d // 2, "M": next(m for m in range(5 + 4 * d, 99 + 8 * d) if is_prime(m))}
        ]

    @classmethod
    def sample(cls, rng: Random, N: int, M: int) -> Self:
        return cls(N=N, M=M, matrix=[[rng.randrange(M) for _ in range(N)] for _ in range(N)])

    @property
    def turns(self) -> int:
        return self.N + 1  # as many vectors as columns, and the answer

    def parse(self, text: str) -> Command:
        return command(text, ask=self.N, answer=self.N**2)

    def reply(self, moves: Sequence[Command]) -> str | float:
        word, values = moves[-1]
        if word == "answer":
            return exact(values == [entry for row in self.matrix for entry in row])
        if not all(1 <= value < self.M for value in values):
            return f"Not allowed: name integers from 1 to {self.M - 1}."
        return spaced(
            sum(a * x for a, x in zip(row, values, strict=True)) % self.M for row in self.matrix
        )

    def play(self) -> Player:
        """Ask for the sum of all columns, and for that sum with each of them but the last added."""
        total = numbers_in((yield f"ask {spaced([1] * self.N)}"))
        columns: list[list[int]] = []
        for place in range(self.N - 1):
            told = numbers_in((yield f"ask {spaced(1 + (i == place) for i in range(self.N))}"))
            columns.append([(a - b) % self.M for a, b in zip(told, total, strict=True)])
        rows = [
            [*known, (whole - sum(known)) % self.M]
            for known, whole in zip(zip(*columns, strict=True), total, strict=True)
        ]
        yield f"answer {spaced(entry for row in rows for entry in row)}"
