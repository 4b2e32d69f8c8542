from collections.abc import Sequence
from random import Random
from typing import Self

from rlve import Level
from rlve.answers import integer
from rlve.dialogue import Dialogue, Player, numbers_in
from rlve.rewards import ratio

TRIALS = 3  # of each machine, before the best so far is preferred
PULLS = 8  # in all, for each machine
SHARE = 0.9  # of what the program earns is enough
HIGH, LOW = (8, 10), (0, 2)  # coins: each machine pays both, so one pull does not tell which it is
BEST, OTHERS = 0.6, 0.1  # how often they pay much: staying while it pays leaves the best too often


class Bandit(Dialogue[int]):
    """Earn coins from machines of which one pays best."""

    K: int
    payouts: list[list[int]]  # of each machine, pull after pull
    target: int

    guessable = (
        "Leaving a machine only when it has paid little several times in a row is a simple test of "
        "it: after four times, it wins in 60% at d = 0 and 1, 56% at d = 3, 46% at d = 6 and 43% "
        "at d = 10."
    )

    template = """
        There are {K} machines, numbered from 1 to {K}. When you pull one, it pays from 0 to 10
        coins. What it pays varies from pull to pull, but one machine pays more than the others on
        average. You have {pulls} pulls. Earn at least {target} coins in all to win.

        Output format: one integer, the number of the machine to pull.
        """

    def opening(self) -> str:
        return self.fill(pulls=self.turns)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"K": 4 + d // 2}]

    @classmethod
    def sample(cls, rng: Random, K: int) -> Self:
        pulls = K * PULLS
        payouts = [_payouts(rng, OTHERS, pulls) for _ in range(K)]
        payouts[rng.randrange(K)] = _payouts(rng, BEST, pulls)
        target = int(SHARE * _earned(payouts, pulls))
        return cls(K=K, payouts=payouts, target=target)

    @property
    def turns(self) -> int:
        return self.K * PULLS

    def parse(self, text: str) -> int:
        return integer(text)

    def reply(self, moves: Sequence[int]) -> str | float:
        counts, total, paid = [0] * self.K, 0, None
        for machine in moves:
            paid = None
            if 1 <= machine <= self.K:
                paid = self.payouts[machine - 1][counts[machine - 1]]
                counts[machine - 1] += 1
                total += paid
        if total >= self.target or len(moves) == self.turns:
            return ratio(total, self.target)
        if paid is None:
            return f"Not allowed: the machines are numbered from 1 to {self.K}."
        return f"It pays {paid}. You have {total} coins."

    def play(self) -> Player:
        """Try every machine, and then prefer the one that has paid best."""
        paid: list[list[int]] = [[] for _ in range(self.K)]
        while True:
            machine = _choice(paid)
            coins, _ = numbers_in((yield str(machine + 1)))
            paid[machine].append(coins)


def _payouts(rng: Random, often: float, pulls: int) -> list[int]:
    return [rng.randint(*(HIGH if rng.random() < often else LOW)) for _ in range(pulls)]


def _choice(paid: list[list[int]]) -> int:
    """The machine that has been tried too little or, if there is none, has paid best on average."""
    for machine, coins in enumerate(paid):
        if len(coins) < TRIALS:
            return machine
    return max(range(len(paid)), key=lambda machine: sum(paid[machine]) / len(paid[machine]))


def _earned(payouts: list[list[int]], pulls: int) -> int:
    """What the program earns."""
    paid: list[list[int]] = [[] for _ in payouts]
    for _ in range(pulls):
        machine = _choice(paid)
        paid[machine].append(payouts[machine][len(paid[machine])])
    return sum(map(sum, paid))
