"""An environment that keeps all rules, and for each rule some that break it."""

import ctypes
import os
import random
import sys
import time
from itertools import pairwise
from random import Random
from typing import Any, Self

from rlve.answers import integer, integers
from rlve.contract import Environment, EnvironmentType, Level, Verdict
from rlve.errors import GenerationError
from rlve.rewards import INVALID, exact
from rlve.sampling.rejection import redraw
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
    """Order integers so that no neighbours are alike: many answers are right."""

    N: int
    items: list[int]
    reference_answer: str

    unique_up_to = None

    template = """
        Write the {N} integers {items} in an order in which no two neighbours differ by 1.

        Output format: the {N} integers, separated by spaces.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 6 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        items = sorted(rng.sample(range(2 * N), N))
        order = redraw(lambda: rng.sample(items, N), are_apart)
        return cls(N=N, items=items, reference_answer=spaced(order))

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        return exact(are_apart(answer)) if sorted(answer) == self.items else INVALID


def are_apart(items: list[int]) -> bool:
    return all(abs(x - y) > 1 for x, y in pairwise(items))


# declared


class Undeclared(Environment[int]):
    a: int
    anything: Any
    items: list
    more: dict[str, object]

    max_difficulty = -1
    unique_up_to = "order"
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

_sampled: list[Any] = []


class Lossy(Adding):
    """Holds an integer as a float, and judges by what is not in the record."""

    weight: float

    @classmethod
    def sample(cls, rng: Random, limit: int) -> Self:
        a, b = rng.randint(0, limit), rng.randint(0, limit)
        _sampled.append(cls(a=a, b=b, reference_answer=a + b, weight=1))
        return _sampled[-1]

    def prompt(self) -> str:
        return f"{super().prompt()} The weight is {self.weight}."

    def reference(self) -> str:
        return "" if self.is_copy() else str(self.reference_answer)

    def score(self, answer: int) -> float:
        return super().score(answer) / (1 + self.is_copy())

    def is_copy(self) -> bool:
        return not any(self is problem for problem in _sampled)


class Infinite(Adding):
    """Has a number that JSON does not have."""

    weight: float

    @classmethod
    def sample(cls, rng: Random, limit: int) -> Self:
        a = rng.randint(0, limit)
        return cls(a=a, b=1, reference_answer=a + 1, weight=float("inf"))


# prompt


class Wordless(Adding):
    """States no output format."""

    template = "What is {a} + {b}?"


class Careless(Adding):
    """Shows what it must not show."""

    template = """
        Output format: one integer, {{a}} + {b}, like {reference_answer}. {object}
        """

    def prompt(self) -> str:
        return self.fill(object=f"{object()} {'x' * 32_000}\0")


# reference


class Mistaken(Adding):
    """Has a wrong reference at difficulty 1."""

    def reference(self) -> str:
        return str(self.reference_answer + (10 < max(abs(self.a), self.b) <= 20))


class Numeric(Adding):
    """Gives the reference as a number."""

    def reference(self) -> int:
        return self.reference_answer


class Clueless(Adding):
    """Knows no reference."""

    def reference(self) -> None:
        return None


class Endless(Adding):
    """Has answers of more than 4,000 digits."""

    @classmethod
    def sample(cls, rng: Random, limit: int) -> Self:
        a = 10 ** (4_000 + limit)
        return cls(a=a, b=rng.randint(0, limit), reference_answer=0)

    def reference(self) -> str:
        return "1" + "0" * 4_100

    def parse(self, text: str) -> int:
        return len(text)

    def score(self, answer: int) -> float:
        return exact(answer == 4_101)


# wrong_answers


class Generous(Adding):
    """Accepts what is wrong by one."""

    def score(self, answer: int) -> float:
        return exact(abs(answer - self.reference_answer) <= 1)


class Listing(Environment[list[int]]):
    """Find the divisors of a number, in any order: nothing is wrong with this one."""

    number: int
    reference_answer: str

    unique_up_to = sorted

    template = """
        List all divisors of {number}, in any order.

        Output format: integers, separated by spaces.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"limit": 100 * (d + 1)}]

    @classmethod
    def sample(cls, rng: Random, limit: int) -> Self:
        number = rng.randint(10, limit)
        return cls(number=number, reference_answer=spaced(divisors(number)))

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        return exact(sorted(answer) == divisors(self.number))


def divisors(number: int) -> list[int]:
    return [k for k in range(1, number + 1) if number % k == 0]


class Incomplete(Listing):
    """Does not miss a divisor that is missing."""

    def score(self, answer: list[int]) -> float:
        return exact(bool(answer) and set(answer) <= set(divisors(self.number)))


class Covering(Environment[list[int]]):
    """Choose numbers of the largest sum below a limit: nothing is wrong with this one."""

    numbers: list[int]
    limit: int
    gold_answer: int

    unique_up_to = None

    template = """
        Choose some of the numbers {numbers} such that their sum is as large as possible, and at
        most {limit}.

        Output format: the chosen numbers, separated by spaces.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 5 + d // 2}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        numbers = rng.sample(range(10, 100), N)
        limit = sum(numbers) // 2
        return cls(numbers=numbers, limit=limit, gold_answer=sum(best_below(numbers, limit)))

    def reference(self) -> str:
        return spaced(best_below(self.numbers, self.limit))

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if len(set(answer)) < len(answer) or not set(answer) <= set(self.numbers):
            return INVALID
        return exact(sum(answer) == self.gold_answer)


def best_below(numbers: list[int], limit: int) -> list[int]:
    sets = (
        [x for i, x in enumerate(numbers) if mask >> i & 1] for mask in range(2 ** len(numbers))
    )
    return max((chosen for chosen in sets if sum(chosen) <= limit), key=sum)


# parts


class Doubling(Covering):
    """Asks for different numbers, and does not mind one that is repeated."""

    template = """
        Choose different ones of the numbers {numbers} such that their sum is as large as possible,
        and at most {limit}.

        Output format: the chosen numbers, separated by spaces. Write each number once.
        """

    def score(self, answer: list[int]) -> float:
        return exact(sum(set(answer)) == self.gold_answer)


class Halving(Doubling):
    """Asks for different numbers, and pays half for an answer that repeats one."""

    def score(self, answer: list[int]) -> float:
        return super().score(answer) / (1 + (len(set(answer)) < len(answer)))


class Sequential(Listing):
    """Asks for divisors in any order, and takes only one."""

    def score(self, answer: list[int]) -> float:
        return exact(answer == divisors(self.number))


class Tolerant(Covering):
    """Is content with one less than the best sum."""

    def score(self, answer: list[int]) -> float:
        exact_score = super().score(answer)
        return exact_score if exact_score else exact(sum(answer) == self.gold_answer - 1)


class Indifferent(Choosing):
    """Accepts everything."""

    def score(self, answer: list[int]) -> float:
        return 1.0


class Surpassed(Adding):
    """Pays more for an answer that is not the reference."""

    @property
    def passing(self) -> float:
        return 0.5

    def score(self, answer: int) -> float:
        return {0: 0.5, 1: 0.75}.get(answer - self.reference_answer, 0.0)


class Overwriting(Environment[list[int]]):
    """Sorts what was given, in the problem itself."""

    items: list[int]
    reference_answer: str

    template = "Sort {items}.\nOutput format: integers."

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": d + 4}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        items = rng.sample(range(100), N)
        return cls(items=items, reference_answer=spaced(sorted(items)))

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        self.items.sort()
        return exact(answer == self.items)


# hostile


class Trusting(Adding):
    """Evaluates, raises, leaves the bounds, and takes nonsense for right."""

    def parse(self, text: str) -> int:
        return 10**6 if text.startswith("9") else int(float(text))

    def score(self, answer: int) -> float:
        return 7.0 if answer == 10**6 else super().score(answer)


class Confused(Adding):
    """Says what does not fit together."""

    def verify(self, output: str, *, marker: str = "any") -> Verdict:
        return Verdict(reward=0.25, correct="answer" in output, well_formed=False)


# guesses


class Trivial(Adding):
    """Is 0 half of the time."""

    @classmethod
    def sample(cls, rng: Random, limit: int) -> Self:
        problem = super().sample(rng, limit)
        if rng.random() < 0.5:
            problem = cls(a=-problem.b, b=problem.b, reference_answer=0)
        return problem


class Excused(Trivial):
    """Is 0 half of the time, and says so."""

    guessable = "Zero is a nice number."


class Deciding(Environment[str]):
    """Say whether a number is above zero: a fair question with two answers."""

    share = 0.5

    number: int
    reference_answer: str

    template = "Is {number} above zero?\nOutput format: Yes or No."

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"limit": 100 * (d + 1)}]

    @classmethod
    def sample(cls, rng: Random, limit: int) -> Self:
        number = rng.randint(1, limit)
        above = rng.random() < cls.share
        return cls(number=number if above else -number, reference_answer="Yes" if above else "No")

    def parse(self, text: str) -> str:
        return text

    def score(self, answer: str) -> float:
        return exact(answer == self.reference_answer) if answer in ("Yes", "No") else INVALID


class Partial(Deciding):
    """The same, but nearly always Yes."""

    share = 0.9


class Ordered(Choosing):
    """Accepts 1, 2, ..., N, as many as the prompt says."""

    def score(self, answer: list[int]) -> float:
        return 1.0 if answer == [*range(1, self.N + 1)] else super().score(answer)


# What only a process of its own can survive.


class Looping(Adding):
    """Never ends at difficulty 1, seed 2."""

    @classmethod
    def generate(cls, *, difficulty: int, seed: int) -> Self:
        while (difficulty, seed) == (1, 2):
            time.sleep(0.01)
        return super().generate(difficulty=difficulty, seed=seed)


class Sleeping(Adding):
    """Never ends judging a long output, and holds the interpreter meanwhile."""

    def parse(self, text: str) -> int:
        if len(text) > 50_000:
            ctypes.PyDLL(None).sleep(1_000)
        return super().parse(text)


class Exiting(Adding):
    """Ends its process, always, after having said something that nobody asked for."""

    @classmethod
    def sample(cls, rng: Random, limit: int) -> Self:
        print('{"type":"Done"}', flush=True)
        os._exit(7)


class Talking(Adding):
    """Prints."""

    def reference(self) -> str:
        print("the answer is near")
        return super().reference()


class Hoarding(Adding):
    """Takes all memory."""

    def reference(self) -> str:
        return "0" * 2**45
