from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integers
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import prefer
from rlve.text import indexed, spaced
from rlve.work import Work, state


class LAS(Environment[list[int]]):
    """Find a choice of foods in a circle from which nobody gains by switching on their own.

    Problems that are solved if all choose their first food, or all their second, are redrawn.
    """

    N: int
    A: list[int]  # the calories of each food; C in the prompt
    reference_answer: str

    max_difficulty = 50  # at 60, generating a problem takes too long
    unique_up_to = None  # several answers can be right

    template = """
        There are {N} people and {N} foods, each numbered from 1 to {N}. Food i has C[i] calories:

        {calories}

        Person i eats one of the two foods i and i + 1; for person {N} these are foods {N} and 1.
        If only one person chooses a food, that person gets all its calories. If two people choose
        the same food, each of them gets half of its calories.

        Find a choice for every person such that nobody would get strictly more calories by
        switching to their other food while all others keep their choice. There is such a choice,
        and any is accepted.

        Output format: one line with {N} integers separated by spaces, the numbers of the foods that
        the persons 1 to {N} choose, in this order.
        """

    def prompt(self) -> str:
        return self.fill(calories=indexed("C", self.A, start=1))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        own = list(range(N))
        A = prefer(
            lambda: [rng.randint(1, 2 * N) for _ in range(N)],
            until=lambda drawn: all(
                discontented(drawn, foods) for foods in (own, own[1:] + own[:1])
            ),
        )
        return cls(N=N, A=A, reference_answer=spaced(food + 1 for food in equilibrium(A)))

    def parse(self, text: str) -> list[int]:
        return integers(text, count=self.N)

    def score(self, answer: list[int]) -> float:
        if any(food not in (i, i % self.N + 1) for i, food in enumerate(answer, 1)):
            return INVALID
        satisfied = self.N - len(discontented(self.A, [food - 1 for food in answer]))
        return ratio(satisfied, self.N) ** 10

    def work(self) -> Work[str]:
        yield "All begin with their first food. As long as somebody gains by it, one person"
        yield "switches to the other food."
        foods = list(range(self.N))
        yield state("Foods", (food + 1 for food in foods))
        while unhappy := discontented(self.A, foods):
            person = unhappy[0]
            has, other = offers(self.A, foods, person)
            foods[person] = other_food(self.N, person, foods[person])
            yield f"Person {person + 1} gets {has}, the other food gives {other} > {has}: switch"
            yield state("Foods", (food + 1 for food in foods))
        for person in range(self.N):
            has, other = offers(self.A, foods, person)
            yield f"Person {person + 1} gets {has}, the other food gives {other} <= {has}: stay"
        return spaced(food + 1 for food in foods)


def discontented(calories: list[int], foods: list[int]) -> list[int]:
    """The people who gain by switching on their own; people and foods are counted from 0."""
    n = len(calories)
    eaters = [0] * n
    for food in foods:
        eaters[food] += 1
    return [
        person
        for person, food in enumerate(foods)
        for other in [other_food(n, person, food)]
        if calories[other] * eaters[food] > calories[food] * (eaters[other] + 1)
    ]


def other_food(n: int, person: int, food: int) -> int:
    return (2 * person + 1 - food) % n


def equilibrium(calories: list[int]) -> list[int]:
    """Foods, counted from 0, from which nobody wants to switch.

    People switch, one at a time, as long as somebody gains by it. That ends, because a switch
    raises the calories of all chosen foods, plus half those of foods chosen by two people, by as
    much as the person gains.
    """
    n = len(calories)
    foods = list(range(n))
    while unhappy := discontented(calories, foods):
        person = unhappy[0]
        foods[person] = other_food(n, person, foods[person])
    return foods


def offers(calories: list[int], foods: list[int], person: int) -> tuple[str, str]:
    """What a person gets, and what the other food would give."""
    other = other_food(len(foods), person, foods[person])
    shared, taken = foods.count(foods[person]) > 1, other in foods
    has, would = calories[foods[person]], calories[other]
    return f"{has} / 2" if shared else str(has), f"{would} / 2" if taken else str(would)
