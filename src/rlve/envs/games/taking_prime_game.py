from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.primes import primes_up_to
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import exact
from rlve.text import counted
from rlve.work import Work


class TakingPrimeGame(Environment[int]):
    """Say how long a game of taking a prime number of stones lasts, if the first player wins.

    All answers of a level are equally likely. Up to d = 4 these are only 1 and -1, as a small pile
    that can be won is won in one move.
    """

    MAX_N: int
    N: int
    reference_answer: int

    guessable = (
        "Up to d = 4 only 1 and -1 are possible, and each is right in half of the problems; at d = "
        "9 there are three answers."
    )

    max_difficulty = 50  # at 67, generating a problem takes too long

    template = """
        Stan and Ollie play a game with one pile of {stones}. They move in turn, and Stan moves
        first. A move removes a prime number of stones (2, 3, 5, 7, ...) from the pile, at most as
        many as there are. A player who has no move, because 0 or 1 stones are left, loses.

        Both play optimally: a player who can force a win does so in as few moves as possible, and a
        player who cannot makes the game last as many moves as possible.

        If Stan wins, give the total number of moves that both players make until the game ends.
        If Stan loses, give -1.

        Output format: one integer.
        """

    def prompt(self) -> str:
        return self.fill(stones=counted(self.N, "stone"))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N": grow(8, d)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N: int) -> Self:
        piles: dict[int, list[int]] = {}  # by answer
        for N, answer in enumerate(answers_up_to(MAX_N)):
            if N:
                piles.setdefault(answer, []).append(N)
        answer = rng.choice(list(piles))
        return cls(MAX_N=MAX_N, N=rng.choice(piles[answer]), reference_answer=answer)

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact(answer == self.reference_answer)

    def work(self) -> Work[str]:
        yield "For each pile find how many moves are left: odd if the player to move wins."
        yield "Without a move, 0 are left. If some move leads to a pile with an even number of"
        yield "moves left, which the opponent loses, add 1 to the smallest such number. Otherwise"
        yield "add 1 to the largest number of moves left that a move leads to."
        primes = primes_up_to(self.N)
        moves: list[int] = []
        for pile in range(self.N + 1):
            left = [pile - p for p in primes if p <= pile]
            if not left:
                moves.append(0)
                yield f"Pile {pile}: 0"
                continue
            even = [moves[x] for x in left if moves[x] % 2 == 0]
            best = min(even) if even else max(moves[x] for x in left)
            moves.append(best + 1)
            ways = ", ".join(f"{x} with {moves[x]}" for x in left)
            kind = "smallest even" if even else "none even, largest"
            to = "pile" if len(left) == 1 else "piles"
            yield f"Pile {pile} leads to {to} {ways}; {kind} {best}, {best} + 1 = {best + 1}"
        answer = moves[-1] if moves[-1] % 2 else -1
        yield f"{moves[-1]} is {'odd: Stan wins' if answer > 0 else 'even: Stan loses, so -1'}"
        return str(answer)


def answers_up_to(n: int) -> list[int]:
    """The answers for piles of 0, 1, ..., n stones."""
    primes = primes_up_to(n)
    moves: list[int] = []  # until the game ends; an odd number if the player to move wins
    for pile in range(n + 1):
        after = [moves[pile - p] for p in primes if p <= pile]
        lost = [number for number in after if number % 2 == 0]
        moves.append(1 + (min(lost) if lost else max(after, default=-1)))
    return [number if number % 2 else -1 for number in moves]
