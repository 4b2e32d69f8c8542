from collections import Counter
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.foundation.pictures import Bars
from rlve.levels import grow
from rlve.rewards import INVALID, exact
from rlve.sampling.rejection import prefer, spread
from rlve.text import spaced
from rlve.work import Work, find_best

MANY_VALUES = 12


class BucketSorting(Environment[int]):
    """Find a value that occurs most often in an array.

    With few different values, ties make each of them right too often, so arrays with a single most
    frequent value are preferred there; it is as often the smallest as the largest, the median or
    another.
    """

    N: int
    MAX: int
    array: list[int]
    value2count: dict[int, int]
    reference_answer: int

    guessable = (
        "At difficulty 0, five numbers of three values: if one value is most frequent, it fills "
        "more than half of them and is the median, which is always right. At d = 3, it fills at "
        "least three of eight, so that any element is right in about 45% of the problems."
    )

    max_difficulty = 60  # at 75, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right
    picture = Bars("array")

    template = """
        Here is an array of {N} integers:

        {array}

        Find a value that occurs most often in it. If several values do, any of them is right.

        Output format: one integer, the value.
        """

    def prompt(self) -> str:
        return self.fill(array=spaced(self.array))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(5, d), "MAX": 2 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int, MAX: int) -> Self:
        def draw() -> list[int]:
            return [rng.randint(0, MAX) for _ in range(N)]

        if MAX <= MANY_VALUES:
            array = spread(rng, lambda: prefer(draw, has_one_mode), by=place_of_mode)
        else:
            array = draw()
        counts = Counter(array)
        return cls(
            N=N,
            MAX=MAX,
            array=array,
            value2count=dict(counts),
            reference_answer=max(counts, key=counts.__getitem__),
        )

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        counts = Counter(self.array)
        if answer not in counts:
            return INVALID
        return exact(counts[answer] == max(counts.values()))

    def work(self) -> Work[str]:
        values = sorted(set(self.array))
        cases: list[tuple[str, int]] = []
        for value in values:
            places = [i for i, x in enumerate(self.array, 1) if x == value]
            where = f"{'place' if len(places) == 1 else 'places'} {spaced(places)}"
            cases.append((f"{value} at {where}: {len(places)}", len(places)))
        best = values[(yield from find_best(cases))]
        yield f"So {best} occurs most often"
        return str(best)


def has_one_mode(array: list[int]) -> bool:
    counts = sorted(Counter(array).values())
    return counts[-2:].count(counts[-1]) == 1


def place_of_mode(array: list[int]) -> str:
    """Where the most frequent value is among all values."""
    mode, ordered = max(array, key=array.count), sorted(array)
    if mode in ordered[(len(array) - 1) // 2 : len(array) // 2 + 1]:
        return "median"
    return "first" if mode == ordered[0] else "last" if mode == ordered[-1] else "between"
