from collections import Counter
from collections.abc import Iterable
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integers
from rlve.foundation.pictures import Graph
from rlve.levels import grow
from rlve.rewards import INVALID, exact
from rlve.sampling.rejection import prefer
from rlve.text import counted, lines, spaced
from rlve.work import Work, state

DENSITIES = (1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9, 2.0)


class KosDicing(Environment[list[int]]):
    """Choose the winners of games so that the player with the most wins has a given number.

    K is the smallest number that can be reached. (In the published problems it is that of a random
    outcome, and naming the first player of every round solves two fifths of them.) Problems solved
    by always naming the first, or always the second, player are redrawn.
    """

    N: int
    M: int
    rounds: list[tuple[int, int]]
    K: int  # the largest number of wins of a player
    reference_answer: str

    max_difficulty = 45  # at 55, generating a problem takes too long
    unique_up_to = None  # several answers can be right
    picture = Graph("rounds")

    template = """
        {N} players, numbered from 0 to {last}, play {M} rounds of a game. Each round (a, b) is
        played by the players a and b, and exactly one of them wins it. The rounds are, in order:

        {rounds}

        Choose the winner of every round such that the largest number of rounds that a player wins
        is exactly {K}: no player wins more than {most}, and some player wins {K}. This is
        possible; if there are several ways, any of them is right.

        Output format: one line with {M} integers, the number of the player who wins each round, in
        the order of the rounds, separated by spaces.
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1, rounds=lines(self.rounds), most=counted(self.K, "round"))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        N = grow(3, d)
        return [{"N": N, "M": int(c * N)} for c in DENSITIES]

    @classmethod
    def sample(cls, rng: Random, N: int, M: int) -> Self:
        def draw() -> Self:
            rounds = [(a, b) for a, b in (rng.sample(range(N), 2) for _ in range(M))]
            winners = fairest_winners(N, rounds, [rng.choice(players) for players in rounds])
            return cls(
                N=N,
                M=M,
                rounds=rounds,
                K=most_wins(winners),
                reference_answer=spaced(winners),
            )

        def needs_thought(problem: Self) -> bool:
            firsts, seconds = zip(*problem.rounds, strict=True)
            return min(most_wins(firsts), most_wins(seconds)) > problem.K

        return prefer(draw, until=needs_thought)

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if len(answer) != self.M:
            return INVALID
        if not all(x in players for x, players in zip(answer, self.rounds, strict=True)):
            return INVALID
        return exact(most_wins(answer) == self.K)

    def work(self) -> Work[str | None]:
        yield "Count rounds from 1. Let the player named first win each. Then pass on wins, in"
        yield f"chains from winner to loser, from a player above {self.K} wins to one below."
        winners = [a for a, _ in self.rounds]
        wins = [winners.count(player) for player in range(self.N)]
        yield f"{state('Winners', winners)}. {state('Wins', wins)}"
        while max(wins) > self.K:
            player = wins.index(max(wins))
            came: dict[int, int] = {player: -1}  # the round by which a chain reaches each player
            for other in (reached := [player]):
                for number, winner in enumerate(winners):
                    loser = sum(self.rounds[number]) - winner
                    if winner == other and loser not in came:
                        came[loser] = number
                        reached.append(loser)
            end = next((other for other in reached if wins[other] < self.K), None)
            if end is None:
                return None
            wins[player], wins[end] = wins[player] - 1, wins[end] + 1
            steps: list[str] = []
            while end != player:
                number = came[end]
                before = winners[number]
                winners[number] = end
                steps.append(f"round {number + 1} from {before} to {end}")
                end = before
            yield f"Player {player} has too many: {', '.join(reversed(steps))}"
            yield f"{state('Winners', winners)}. {state('Wins', wins)}"
        return spaced(winners) if max(wins) == self.K else None


def most_wins(winners: Iterable[int]) -> int:
    return max(Counter(winners).values())


def fairest_winners(N: int, rounds: list[tuple[int, int]], winners: list[int]) -> list[int]:
    """Change the winners until the largest number of wins is as small as possible.

    A player with the most wins passes one on, from winner to loser, along a chain of players that
    ends at one with at least two fewer. If there is no such chain, the players that chains reach
    share too many rounds among themselves for a smaller maximum.
    """
    winners = list(winners)
    while True:
        won: list[list[int]] = [[] for _ in range(N)]
        for number, winner in enumerate(winners):
            won[winner].append(number)
        busiest = max(range(N), key=lambda player: len(won[player]))
        through = {busiest: -1}  # the round by which a chain reaches each player
        reached = [busiest]
        for player in reached:
            for number in won[player]:
                loser = sum(rounds[number]) - player
                if loser not in through:
                    through[loser] = number
                    reached.append(loser)
        player = min(reached, key=lambda player: len(won[player]))
        if len(won[player]) > len(won[busiest]) - 2:
            return winners
        while player != busiest:
            number = through[player]
            winners[number] = player
            player = sum(rounds[number]) - player
