from collections import Counter
from itertools import combinations
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integers
from rlve.rewards import INVALID, ratio
from rlve.text import spaced
from rlve.work import Work, state


class SquSquarks(Environment[list[int]]):
    """Find distinct integers from the sums of all their pairs.

    There can be several solutions, especially for 4 or 8 integers. Each is right.
    """

    N: int
    sums: list[int]
    reference_answer: str

    max_difficulty = 90  # at 115, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right

    template = """
        There are {N} distinct positive integers. The sums of all {count} pairs are, in no
        particular order (a sum of k pairs is listed k times):

        {sums}

        Find the {N} integers. If several answers are possible, any of them is right.

        Output format: one line with the {N} integers, in any order, separated by spaces.
        """

    def prompt(self) -> str:
        return self.fill(count=len(self.sums), sums=", ".join(map(str, self.sums)))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 3 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        numbers = rng.sample(range(1, 2 * N + 1), N)
        sums = [a + b for a, b in combinations(numbers, 2)]
        rng.shuffle(sums)
        return cls(N=N, sums=sums, reference_answer=spaced(numbers))

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if len(answer) != self.N or len(set(answer)) != self.N or min(answer) < 1:
            return INVALID
        pair_sums = Counter(a + b for a, b in combinations(answer, 2))
        common = (pair_sums & Counter(self.sums)).total()
        return ratio(common, 2 * len(self.sums) - common) ** 5

    def work(self) -> Work[str | None]:
        sums = sorted(self.sums)
        yield state("Sorted", sums)
        first, second = sums[:2]
        yield f"Let a < b < c be the smallest integers. Then a + b = {first} and a + c = {second}."
        yield "Try the next sums as b + c: only sums with a can be smaller. Once a is known, each"
        yield "sum left has an integer still to find, so the smallest is a plus the next integer."
        for third in dict.fromkeys(sums[2 : self.N]):
            twice = first + second - third
            half = f", a = {twice // 2}" if twice % 2 == 0 else ", which is odd"
            yield f"Try b + c = {third}: 2 * a = {first} + {second} - {third} = {twice}{half}"
            found = (
                (yield from complete(sums, twice // 2)) if twice > 0 and twice % 2 == 0 else None
            )
            if found and len(found) == self.N:
                yield state("So the integers are", found)
                return spaced(found)
            yield "That cannot be"
        return None


def complete(sums: list[int], a: int) -> Work[list[int] | None]:
    """The integers whose smallest one is a, each from the smallest sum that is left."""
    found, left = [a], Counter(sums)
    while left:
        smallest = min(left.elements())
        new = smallest - a
        if new in found or new < a:
            yield f"Next integer {smallest} - {a} = {new}, which is not larger than the one before"
            return None
        pairs = [f"{x} + {new} = {x + new}" for x in found]
        yield f"Next integer, from the smallest sum left: {smallest} - {a} = {new}"
        yield f"With those before: {', '.join(pairs)}"
        if Counter(x + new for x in found) - left:
            yield "Not all of these are left"
            return None
        left -= Counter(x + new for x in found)
        found.append(new)
        yield state("Sums left", sorted(left.elements()))
    return found
