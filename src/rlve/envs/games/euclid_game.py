from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import word
from rlve.rewards import INVALID, exact
from rlve.sampling.rejection import redraw
from rlve.work import Work

PLAYERS = ("Stan", "Ollie")  # in the order in which they move


class EuclidGame(Environment[str]):
    """Say who wins a game of subtracting multiples of one number from another.

    Stan and Ollie are equally likely to win, so a guess is right half of the time. Any other word
    is ill-formed, with the published reward of -0.5.
    """

    MAX_X_Y: int
    reference_answer: str
    X: int
    Y: int

    max_difficulty = 1_000  # the highest difficulty measured

    template = """
        Stan and Ollie play a game with two positive integers, {X} and {Y}.
        They move in turn, and Stan moves first.

        A move subtracts a positive integer multiple of one of the two numbers from the other one,
        which must not become negative. The player who makes one of the numbers 0 wins.

        Who wins if both play optimally?

        Output format: one word, Stan or Ollie.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_X_Y": 16 * 2**d}]

    @classmethod
    def sample(cls, rng: Random, MAX_X_Y: int) -> Self:
        wanted = rng.choice(PLAYERS)
        X, Y = redraw(
            lambda: (rng.randint(1, MAX_X_Y), rng.randint(1, MAX_X_Y)),
            until=lambda numbers: winner(*numbers) == wanted,
        )
        return cls(MAX_X_Y=MAX_X_Y, reference_answer=wanted, X=X, Y=Y)

    def parse(self, text: str) -> str:
        return word(text, PLAYERS, reward=INVALID)

    def score(self, answer: str) -> float:
        return exact(answer == self.reference_answer)

    def work(self) -> Work[str]:
        yield "If the larger number is less than twice the smaller, there is only one move."
        yield "A player who faces equal numbers wins. So does one who can subtract the smaller"
        yield "more than once: as often as possible, or once less, decides who faces what is left."
        small, large = sorted((self.X, self.Y))
        player, other = PLAYERS
        while small < large < 2 * small:
            rest = large - small
            yield f"{player} faces {small} and {large}: {large} < 2 * {small} = {2 * small}"
            yield f"{player} must subtract: {large} - {small} = {rest}"
            small, large = rest, small
            player, other = other, player
        yield f"{player} faces {small} and {large}: " + (
            "they are equal" if small == large else f"{large} >= 2 * {small} = {2 * small}"
        )
        yield f"So {player} wins"
        return player


def winner(x: int, y: int) -> str:
    """The first player to have a choice, or to face equal numbers, wins.

    With a choice (large >= 2 * small), a player can leave (small, large % small) to the opponent or
    force the opponent to leave it to them, and one of the two wins.
    """
    small, large = sorted((x, y))
    moves = 0
    while small < large < 2 * small:
        small, large = large - small, small
        moves += 1
    return PLAYERS[moves % 2]
