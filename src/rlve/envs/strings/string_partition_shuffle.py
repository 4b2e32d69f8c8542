from itertools import pairwise
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer_rows, pairs
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import prefer
from rlve.sampling.strings import random_string
from rlve.text import counted, grid
from rlve.work import Work, search


class StringPartitionShuffle(Environment[list[tuple[int, int]]]):
    """Cut a string into pieces and order them so that they join to another string.

    A problem in which both strings are equal is redrawn.
    """

    N: int
    K: int
    S: str
    T: str
    reference_answer: str

    max_difficulty = 1_000  # the highest difficulty measured
    unique_up_to = None  # several answers can be right

    template = """
        Here are two strings S and T of {N} digits, each 0 or 1:

        S = {S}
        T = {T}

        The digits of S are numbered from 0 to {last}. The interval [L, R) with 0 <= L < R <= {N}
        stands for the piece of S that consists of the digits L, L+1, ..., R-1.

        Cut S into exactly {K} non-empty pieces, so that every digit is in exactly one of them, and
        order the pieces such that joining them in this order gives T. This is possible; if there
        are several ways, any of them is right.

        Output format: {K} lines, one for each piece, in the order in which the pieces are joined.
        Each line holds the integers L and R of the piece, separated by a space.
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 4 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> Self:
            K = 3 if N >= 4 and rng.random() < 0.5 else rng.randint(2, N - 1)
            S = random_string(rng, N, rng.uniform(0.1, 0.9))
            cuts = [0, *sorted(rng.sample(range(1, N), K - 1)), N]
            pieces = rng.sample(list(pairwise(cuts)), K)
            return cls(N=N, K=K, S=S, T=join(S, pieces), reference_answer=grid(pieces))

        return prefer(draw, lambda problem: problem.S != problem.T)

    def parse(self, text: str) -> list[tuple[int, int]]:
        rows = integer_rows(text, rows=self.K, columns=2)
        return [pair for row in rows for pair in pairs(row)]

    def score(self, answer: list[tuple[int, int]]) -> float:
        if any(not 0 <= L < R <= self.N for L, R in answer):
            return INVALID
        ordered = [0, *(position for piece in sorted(answer) for position in piece), self.N]
        if any(end != start for end, start in zip(ordered[::2], ordered[1::2], strict=True)):
            return INVALID
        right = sum(x == y for x, y in zip(join(self.S, answer), self.T, strict=True))
        return ratio(right, self.N) ** 10

    def work(self) -> Work[str | None]:
        yield "Take pieces [L, R) of S, written L-R, that continue T, the longest first. What is"
        yield "left of S must have enough digits for the pieces that are left, and not more"
        yield "separate parts than these."
        found = yield from search(
            self.options,
            self.clash,
            lambda chosen: len(chosen) == self.K,
            lambda piece: f"{piece[0]}-{piece[1]}",
        )
        return None if found is None else grid(found)

    def options(self, chosen: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """The pieces that can come next, the longest first."""
        position = sum(R - L for L, R in chosen)
        used = {i for L, R in chosen for i in range(L, R)}
        pieces: list[tuple[int, int]] = []
        for start in range(self.N):
            end = start
            wanted = self.T[position:]
            while end < self.N and end not in used and wanted.startswith(self.S[end], end - start):
                end += 1
                pieces.append((start, end))
        return sorted(pieces, key=lambda piece: piece[0] - piece[1])

    def clash(self, chosen: list[tuple[int, int]], piece: tuple[int, int]) -> str | None:
        """Why a piece cannot come next."""
        used = {i for L, R in (*chosen, piece) for i in range(L, R)}
        free = [i for i in range(self.N) if i not in used]
        parts = sum(i - 1 not in free for i in free)
        pieces = self.K - len(chosen) - 1
        if len(free) < pieces:
            return f"{counted(len(free), 'digit')} left for {counted(pieces, 'piece')}"
        if parts > pieces:
            return f"{counted(parts, 'part')} left for {counted(pieces, 'piece')}"
        return None


def join(S: str, pieces: list[tuple[int, int]]) -> str:
    return "".join(S[L:R] for L, R in pieces)
