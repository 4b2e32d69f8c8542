from collections import Counter
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.arrays import is_permutation
from rlve.answers import integers
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import prefer
from rlve.text import indexed, spaced

GOALS = ("minimize", "maximize")


class MafMafia(Environment[list[int]]):
    """Order shooters with fixed targets so that as few, or as many, as possible die.

    Problems for which random orders are best are redrawn, as few participants leave little choice.
    """

    N: int
    TO: list[int]  # the target of each participant, possibly themselves
    minimize_or_maximize: str
    gold_answer: int  # the optimal number of deaths

    guessable = "With 3 participants (d = 0), most orders are best whatever the targets."

    max_difficulty = 50  # at 60, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right

    template = """
        {N} participants, numbered from 0 to {last}, have one fixed target each: the target of
        participant i is participant TO[i]. Someone can be his own target.

        {TO}

        They act one after another, each once, in the order of a permutation P of 0 to {last}.
        When it is the turn of a participant who is alive, his target is killed; nothing happens
        if the target is dead already. A participant who is dead when his turn comes does nothing.
        Choose P such that the number of participants who are dead at the end is as {goal} as
        possible. If several permutations are best, any of them is right.

        Output format: one line with the {N} numbers of P in order, separated by spaces.
        """

    def prompt(self) -> str:
        goal = "small" if self.minimize_or_maximize == "minimize" else "large"
        return self.fill(last=self.N - 1, TO=indexed("TO", self.TO), goal=goal)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> Self:
            TO = [rng.randrange(N) for _ in range(N)]
            goal = rng.choice(GOALS)
            best = deaths(TO, best_order(TO, goal))
            return cls(N=N, TO=TO, minimize_or_maximize=goal, gold_answer=best)

        guesses = [rng.sample(range(N), N) for _ in range(2)]
        return prefer(draw, until=lambda problem: max(map(problem.score, guesses)) < 1, tries=40)

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if not is_permutation(answer, self.N):
            return INVALID
        dead = deaths(self.TO, answer)
        if self.minimize_or_maximize == "minimize":
            return ratio(self.gold_answer, dead) ** 5
        return ratio(dead, self.gold_answer) ** 5

    def reference(self) -> str:
        return spaced(best_order(self.TO, self.minimize_or_maximize))


def deaths(TO: list[int], order: list[int]) -> int:
    dead: set[int] = set()
    for i in order:
        if i not in dead:
            dead.add(TO[i])
    return len(dead)


def best_order(TO: list[int], goal: str) -> list[int]:
    return order_of_fewest_deaths(TO) if goal == "minimize" else order_of_most_deaths(TO)


def order_of_fewest_deaths(TO: list[int]) -> list[int]:
    """Anyone with no attacker left is safe and acts; their target then never does.

    That leaves cycles that nobody else attacks, in which every second member acts.
    """
    attackers = Counter(TO)
    acting: dict[int, None] = {}  # in this order
    dead: set[int] = set()

    def act(safe: list[int]) -> None:
        for i in safe:
            acting[i] = None
            if TO[i] in dead:
                continue
            dead.add(TO[i])
            spared = TO[TO[i]]
            attackers[spared] -= 1
            if not attackers[spared] and spared not in dead and spared not in acting:
                safe.append(spared)

    act([i for i in range(len(TO)) if not attackers[i]])
    for i in range(len(TO)):
        if i not in dead and i not in acting:
            act([i])
    return [*acting, *(i for i in range(len(TO)) if i not in acting)]


def order_of_most_deaths(TO: list[int]) -> list[int]:
    """Everyone attacked dies, except for one member of each cycle that nobody else attacks.

    Everyone acts before their attackers; a cycle is cut behind a member attacked from outside.
    """
    attackers = Counter(TO)
    outside = [i for i in range(len(TO)) if not attackers[i]]  # outside all cycles, outermost first
    for i in outside:
        attackers[TO[i]] -= 1
        if not attackers[TO[i]]:
            outside.append(TO[i])
    attacked = {TO[i] for i in outside}
    members = set(range(len(TO))) - set(outside)
    order: list[int] = []
    for start in sorted(members, key=lambda i: (i not in attacked, i)):
        if start not in order:
            cycle = [start]
            while TO[cycle[-1]] != start:
                cycle.append(TO[cycle[-1]])
            order += [*reversed(cycle[:-1]), cycle[-1]]
    return order + outside[::-1]
