from itertools import pairwise
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.floor_sums import quotient_blocks
from rlve.algorithms.games import mex, nim_sum
from rlve.answers import word
from rlve.levels import grow
from rlve.rewards import INVALID, exact
from rlve.sampling.rejection import prefer, redraw
from rlve.text import spaced
from rlve.work import Work, least_missing, state, xor_all

PLAYERS = ("Stan", "Ollie")  # in the order in which they move


class StoneGame(Environment[str]):
    """Say who wins a game of splitting heaps of stones evenly.

    Stan and Ollie are equally likely to win, so a guess is right half of the time. Problems without
    any move, which Ollie wins, are redrawn a few times. Any other word is ill-formed, with the
    published reward of -0.5.
    """

    MAX_SUM: int
    N: int
    Stones: list[int]
    F: int
    reference_answer: str

    max_difficulty = 80  # at 95, generating a problem takes too long

    template = """
        Stan and Ollie play a game with heaps of stones. At the start there {are}, with this
        number of stones in each:

        {Stones}

        They move in turn, and Stan moves first. A move chooses a heap whose number of stones is at
        least {F}, and an integer M that is at least 2 and at most the number of stones in this
        heap. It divides the heap into M heaps, none of them empty, as evenly as possible: their
        sizes differ by at most 1. A player who has no move loses. (A heap of one stone can never be
        divided.)

        Who wins if both play optimally?

        Output format: one word, Stan or Ollie.
        """

    def prompt(self) -> str:
        return self.fill(
            are="is 1 heap" if self.N == 1 else f"are {self.N} heaps", Stones=spaced(self.Stones)
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_SUM": grow(5, d, by=1.2)}]

    @classmethod
    def sample(cls, rng: Random, MAX_SUM: int) -> Self:
        def draw() -> Self:
            total = rng.randint(2, MAX_SUM)
            N = rng.randint(1, min(total // 2, 100))
            cuts = sorted(rng.sample(range(1, total), N - 1))
            Stones = [end - start for start, end in pairwise([0, *cuts, total])]
            F = rng.randint(1, max(Stones) + 1)
            return cls(MAX_SUM=MAX_SUM, N=N, Stones=Stones, F=F, reference_answer=winner(Stones, F))

        wanted = rng.choice(PLAYERS)
        return prefer(
            lambda: redraw(draw, until=lambda problem: problem.reference_answer == wanted),
            until=lambda problem: max(problem.Stones) >= max(problem.F, 2),
            tries=5,  # at d = 0, more would leave almost only the heaps 2 and 2
        )

    def parse(self, text: str) -> str:
        return word(text, PLAYERS, reward=INVALID)

    def score(self, answer: str) -> float:
        return exact(answer == self.reference_answer)

    def work(self) -> Work[str | None]:
        least = max(self.F, 2)
        if max(self.Stones) >= max(least, 500):
            return None  # too many ways to divide a heap
        yield "The value of a heap is the least number that no move leads to."
        yield "A move leads to the XOR of the values of the new heaps; equal ones cancel in pairs."
        yield "Stan wins if and only if the XOR of the values of all heaps is not 0."
        yield f"A heap of fewer than {least} stones has no move and the value 0."
        values: dict[int, int] = {}
        for x in sorted(heaps_from(self.Stones)):
            reached: list[int] = []
            for M in range(2, x + 1) if x >= least else ():
                size, larger = divmod(x, M)
                left = [size + 1] * (larger % 2) + [size] * ((M - larger) % 2)
                reached.append(nim_sum(values[heap] for heap in left))
                parts = f"{larger} of {size + 1}, " * (larger > 0) + f"{M - larger} of {size}"
                result = " XOR ".join(str(values[heap]) for heap in left) or "0"
                equal = f" = {reached[-1]}" if len(left) == 2 else ""
                yield f"{x} into {M}: {parts}; {state('left', left)}; value {result}{equal}"
            if x >= least:
                values[x] = yield from least_missing(f"Heap {x}", reached)
            else:
                values[x] = 0
        yield state("Values of the heaps", (values[x] for x in self.Stones))
        total = yield from xor_all([values[x] for x in self.Stones])
        winner = PLAYERS[0] if total else PLAYERS[1]
        yield f"The XOR is {total}, so {winner} wins"
        return winner


def winner(Stones: list[int], F: int) -> str:
    known: dict[int, int] = {}
    return PLAYERS[0] if nim_sum(grundy(x, F, known) for x in Stones) else PLAYERS[1]


def grundy(x: int, F: int, known: dict[int, int]) -> int:
    """The Grundy value of a heap of x stones.

    Equal heaps cancel out in pairs. So among all M with the same quotient x // M, the size of the
    smaller heaps, those of the same parity leave the same value.
    """
    if x < max(F, 2):
        return 0
    if x not in known:
        reached: list[int] = []
        for first, last in quotient_blocks(x, x, start=2):
            for M in range(first, min(first + 1, last) + 1):
                size, larger = divmod(x, M)  # this many heaps are larger by one
                value = grundy(size + 1, F, known) if larger % 2 else 0
                if (M - larger) % 2:
                    value ^= grundy(size, F, known)
                reached.append(value)
        known[x] = mex(reached)
    return known[x]


def heaps_from(stones: list[int]) -> set[int]:
    """The sizes of all heaps that can come up."""
    found = set(stones)
    waiting = list(found)
    for x in waiting:
        new = {size for M in range(2, x + 1) for size in (x // M, -(-x // M))} - found
        found |= new
        waiting += new
    return found
