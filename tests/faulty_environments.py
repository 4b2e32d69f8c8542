"""An environment that keeps all rules, and for each rule some that break it."""

import os
import random
import sys
import time
from random import Random
from typing import Any, Self

from rlve.answers import integer, integers
from rlve.environment import Environment, EnvironmentType, Level, Verdict
from rlve.errors import GenerationError
from rlve.rewards import INVALID, exact
from rlve.text import spaced


class Adding(Environment[int]):
    """Add two integers: nothing is wrong with this one."""

    a: int
    b: int
    reference_answer: int

    template = """
        What is {a} + {b}?

        Output format: one integer.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"limit": 10 * (d + 1)}]

    @classmethod
    def sample(cls, rng: Random, limit: int) -> Self:
        a, b = rng.randint(-limit, limit), rng.randint(0, limit)
        return cls(a=a, b=b, reference_answer=a + b)

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact(answer == self.reference_answer)


class Choosing(Environment[list[int]]):
    """Order the integers 1 to N so that no two neighbours are: many answers are right."""

    N: int
    reference_answer: str

    template = """
        Write the integers from 1 to {N} in an order in which no two neighbours differ by 1.

        Output format: the {N} integers, separated by spaces.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 6 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        low, high = list(range(1, N // 2 + 1)), list(range(N // 2 + 1, N + 1))
        turn = rng.randrange(1, 3)
        order = [x for pair in zip(high, low, strict=False) for x in pair] + high[len(low) :]
        return cls(N=N, reference_answer=spaced(order if turn == 1 else order[::-1]))

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if sorted(answer) != list(range(1, self.N + 1)):
            return INVALID
        return exact(all(abs(x - y) > 1 for x, y in zip(answer, answer[1:], strict=False)))


# declared


class Undeclared(Environment[int]):
    a: int
    anything: Any
    items: list
    more: dict[str, object]

    max_difficulty = -1
    guessable = " "


class Loose(EnvironmentType):
    def __new__(mcls, name, bases, namespace):
        return super(EnvironmentType, mcls).__new__(mcls, name, bases, namespace, frozen=False)


# levels


class Shrinking(Adding):
    """Becomes easier at difficulties 3 and 7."""

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"limit": 100 - d if d in (3, 7) else 100 + d}]


class Stuck(Adding):
    """Stays as it is."""

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"limit": 10}]


class Unlevelled(Adding):
    """Has levels of all wrong kinds."""

    @classmethod
    def level(cls, d: int) -> list[Level]:
        if d == 0:
            return []
        if d == 1:
            return {"limit": 3}
        if d == 2:
            return [3]
        if d == 3:
            raise KeyError("no such level")
        return [{"size": d, "limit": d}]


# generates


class Failing(Adding):
    """Finds no problem at difficulty 2, and returns none at difficulty 4."""

    @classmethod
    def sample(cls, rng: Random, limit: int) -> Self:
        if limit == 30:
            raise GenerationError("none of 1,000 draws was acceptable")
        return None if limit == 50 else super().sample(rng, limit)


class Undisciplined(Adding):
    """Takes any difficulty."""

    max_difficulty = 7

    @classmethod
    def generate(cls, *, difficulty: int, seed: int) -> Self:
        rng = Random(f"{difficulty}/{seed}")
        return cls.sample(rng, limit=int(10 * difficulty + 30))


# reproducible

_made = [0]


class Remembering(Adding):
    """Depends on what was made before."""

    @classmethod
    def sample(cls, rng: Random, limit: int) -> Self:
        _made[0] += 1
        return cls(a=_made[0], b=1, reference_answer=_made[0] + 1)


class Hashing(Adding):
    """Depends on the order of a set of strings."""

    @classmethod
    def sample(cls, rng: Random, limit: int) -> Self:
        words = {f"{rng.randint(0, 10**9)}" for _ in range(10)}
        a, b = (int(word) for word in list(words)[:2])
        return cls(a=a, b=b, reference_answer=a + b)


class Globally(Adding):
    """Draws from the global random state of Python and of numpy, though it does not use it."""

    @classmethod
    def sample(cls, rng: Random, limit: int) -> Self:
        random.random()  # noqa: TID251
        if "numpy" in sys.modules:
            sys.modules["numpy"].random.random()
        return super().sample(rng, limit)


class Unseeded(Adding):
    """Makes one problem."""

    @classmethod
    def sample(cls, rng: Random, limit: int) -> Self:
        return cls(a=limit, b=1, reference_answer=limit + 1)


# round_trip


class Lossy(Adding):
    """Writes a fraction where an integer was, and judges by what is not in the record."""

    weight: float

    @classmethod
    def sample(cls, rng: Random, limit: int) -> Self:
        problem = super().sample(rng, limit)
        _gold[id(problem)] = problem
        return problem

    @classmethod
    def make(cls, a: int, b: int) -> Self:
        return cls(a=a, b=b, reference_answer=a + b, weight=1)


_gold: dict[int, Any] = {}
