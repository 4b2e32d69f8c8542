from itertools import accumulate
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.games import mex, nim_sum
from rlve.answers import word
from rlve.levels import grow
from rlve.rewards import INVALID, exact
from rlve.sampling.rejection import redraw
from rlve.text import spaced
from rlve.work import Work, least_missing, state, xor_all

ANSWERS = ("Yes", "No")


class MultipleFlippingGame(Environment[str]):
    """Say whether the first player wins a game of flipping the multiples of a cell.

    Yes and No are equally likely, so a guess is right half of the time. Any other word is
    ill-formed, with the published reward of -0.5.
    """

    N: int
    white_indices: list[int]
    reference_answer: str

    max_difficulty = 60  # at 75, a prompt exceeds 32,000 characters

    template = """
        There are {N} cells, numbered from 1 to {N}. These cells are white, the others black:

        {white}

        Two players move in turn. A move chooses a white cell x and an integer k >= 1 such that
        k * x <= {N}. Then each of the cells x, 2x, ..., kx changes its colour, from white to black
        or from black to white. A player who has no move, because no cell is white, loses.

        Does the player who moves first win if both play optimally?

        Output format: one word, Yes or No.
        """

    def prompt(self) -> str:
        return self.fill(white=spaced(sorted(self.white_indices)))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        grundy = grundy_values(N)

        def answer_to(white: list[int]) -> str:
            return "Yes" if nim_sum(grundy[x] for x in white) else "No"

        wanted = rng.choice(ANSWERS)
        white = redraw(
            lambda: rng.sample(range(1, N + 1), rng.randint(1, N)),
            until=lambda drawn: answer_to(drawn) == wanted,
        )
        return cls(N=N, white_indices=white, reference_answer=wanted)

    def parse(self, text: str) -> str:
        return word(text, ANSWERS, reward=INVALID)

    def score(self, answer: str) -> float:
        return exact(answer == self.reference_answer)

    def work(self) -> Work[str]:
        yield "Each white cell is a game of its own, and two on the same cell cancel out."
        yield "The value of a cell x is the least of 0, 1, 2, ... that no move leads to."
        yield "A move on x leads to the XOR of the values of 2x, ..., kx, and to 0 for k = 1."
        yield "The first player wins if and only if the XOR of all white cells' values is not 0."
        half = self.N // 2
        values = dict.fromkeys(range(half + 1, self.N + 1), 1)
        yield f"Cells {half + 1} to {self.N} have only one move, to 0: value 1"
        for x in range(half, 0, -1):
            multiples = [values[y] for y in range(2 * x, self.N + 1, x)]
            yield state(f"Cell {x}, values of its multiples", multiples)
            yield from xor_all([0, *multiples])
            values[x] = yield from least_missing(
                f"Cell {x}", accumulate([0, *multiples], int.__xor__)
            )
        white = sorted(self.white_indices)
        yield state("Values of the white cells", (values[x] for x in white))
        total = yield from xor_all([values[x] for x in white])
        answer = "Yes" if total else "No"
        yield f"The XOR is {total}, so {answer}"
        return answer


def grundy_values(n: int) -> list[int]:
    """The Grundy value of each cell, as if it alone were white; each white cell is its own game.

    A cell flipped twice is like two equal games, which cancel out.
    """
    grundy = [0] * (n + 1)
    for x in range(n, 0, -1):
        reached = [0]
        for multiple in range(2 * x, n + 1, x):
            reached.append(reached[-1] ^ grundy[multiple])
        grundy[x] = mex(reached)
    return grundy
