from itertools import combinations
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.games import mex, nim_sum
from rlve.answers import word
from rlve.rewards import INVALID, exact
from rlve.sampling.rejection import redraw
from rlve.text import indexed
from rlve.work import Work, least_missing, state, xor_all, xor_pairs

PLAYERS = ("Alice", "Bob")  # in the order in which they move


class SplittingGame(Environment[str]):
    """Say who wins a game in which beans split and move towards the last bottle.

    Alice and Bob are equally likely to win, so a guess is right half of the time. Any other word is
    ill-formed, with the published reward of -0.5.
    """

    N: int
    P: list[int]
    reference_answer: str

    max_difficulty = 250  # at 310, generating a problem takes too long

    template = """
        There are {N} bottles, numbered from 0 to {last}. Bottle i holds P[i] beans:

        {P}

        Alice and Bob move in turn, and Alice moves first. A move chooses bottles i, j and k with
        i < j <= k such that bottle i is not empty. It takes one bean out of bottle i, and puts one
        bean into bottle j and one bean into bottle k, so two into the same bottle if j = k.
        A player who has no move loses.

        Who wins if both play optimally?

        Output format: one word, Alice or Bob.
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1, P=indexed("P", self.P))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 3 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        grundy = grundy_values(N)

        def winner(P: list[int]) -> str:
            # Two beans in a bottle cancel out.
            odd = (value for value, beans in zip(grundy, P, strict=True) if beans % 2)
            return PLAYERS[0] if nim_sum(odd) else PLAYERS[1]

        wanted = rng.choice(PLAYERS)
        P = redraw(
            lambda: [rng.randint(0, 2 * N) for _ in range(N)],
            until=lambda drawn: winner(drawn) == wanted,
            tries=5000,  # at d = 20, one of 64 draws is lost
        )
        return cls(N=N, P=P, reference_answer=wanted)

    def parse(self, text: str) -> str:
        return word(text, PLAYERS, reward=INVALID)

    def score(self, answer: str) -> float:
        return exact(answer == self.reference_answer)

    def work(self) -> Work[str]:
        yield "Each bean is a game of its own. Its value is the least number that no move leads to."
        yield "A move leads to the XOR of the values of the bottles j and k, which is 0 for j = k."
        yield "Two beans in a bottle cancel out, so only odd numbers of beans matter."
        yield "Alice wins if and only if the XOR of all values is not 0."
        values: list[int] = []  # of the bottles from the last one on
        for i in range(self.N - 1, -1, -1):
            reached = yield from xor_pairs(combinations(values, 2))
            values.append((yield from least_missing(f"Bottle {i}", reached + [0] * bool(values))))
        odd = [i for i, beans in enumerate(self.P) if beans % 2]
        yield state("Bottles with an odd number of beans", odd)
        yield state("Their values", (values[~i] for i in odd))
        total = yield from xor_all([values[~i] for i in odd])
        winner = PLAYERS[0] if total else PLAYERS[1]
        yield f"The XOR is {total}, so {winner} wins"
        return winner


def grundy_values(n: int) -> list[int]:
    """The Grundy values of a bean in bottle 0, 1, ..., n - 1; each bean is its own game."""
    values: list[int] = []  # from the last bottle on
    for _ in range(n):
        values.append(mex(a ^ b for i, a in enumerate(values) for b in values[i:]))
    return values[::-1]
