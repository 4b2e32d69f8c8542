from collections import Counter
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer_rows
from rlve.levels import grow
from rlve.rewards import ratio
from rlve.sampling.rejection import prefer
from rlve.text import grid, indexed


class QuadMagicItems(Environment[list[list[int]]]):
    """For each item, count the formations of four items in which it has each of four roles.

    Items that make no formation at all are redrawn.
    """

    N: int
    X: list[int]
    gold_answer: list[tuple[int, int, int, int]]  # for each item, how often it is a, b, c, d
    reference_answer: str

    max_difficulty = 40  # at 50, generating a problem takes too long

    template = """
        There are {N} items, numbered from 1 to {N}. Item i has the value X[i]:

        {X}

        A formation is a choice of four items a, b, c, d (numbers of items) such that
        - X[a] < X[b] < X[c] < X[d],
        - X[b] - X[a] = 2 * (X[d] - X[c]), and
        - 3 * (X[b] - X[a]) < X[c] - X[b].

        Items of equal value are different items. For each item, count the formations in which it is
        a, in which it is b, in which it is c, and in which it is d.

        Output format: {N} lines. Line i has the four counts of item i, as a, as b, as c and as d,
        separated by spaces.
        """

    def prompt(self) -> str:
        return self.fill(X=indexed("X", self.X, start=1))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(12, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> Self:
            X = [rng.randint(1, N) for _ in range(N)]
            gold = count_formations(X)
            return cls(N=N, X=X, gold_answer=gold, reference_answer=grid(gold))

        return prefer(draw, until=lambda problem: any(map(any, problem.gold_answer)), tries=100)

    def parse(self, text: str) -> list[list[int]]:
        return integer_rows(text, rows=self.N, columns=4)

    def score(self, answer: list[list[int]]) -> float:
        rows = zip(answer, self.gold_answer, strict=True)
        right = sum(tuple(row) == gold for row, gold in rows)
        return ratio(right, self.N) ** 10


def count_formations(X: list[int]) -> list[tuple[int, int, int, int]]:
    """For each value of t = X[d] - X[c], sums over the pairs (a, b) below c, and (c, d) above b.

    With the values a, b = a + 2t, c and d = c + t, the last condition is c > a + 8t.
    """
    items = Counter(X)
    as_a, as_b, as_c, as_d = (Counter[int]() for _ in range(4))
    low, high = min(X), max(X)
    for t in range(1, (high - low) // 9 + 1):
        pairs = 0
        for c in range(low + 8 * t + 1, high - t + 1):
            a = c - 8 * t - 1
            pairs += items[a] * items[a + 2 * t]
            as_c[c] += pairs * items[c + t]
            as_d[c + t] += pairs * items[c]
        pairs = 0
        for a in range(high - 9 * t - 1, low - 1, -1):
            c = a + 8 * t + 1
            pairs += items[c] * items[c + t]
            as_a[a] += pairs * items[a + 2 * t]
            as_b[a + 2 * t] += pairs * items[a]
    return [(as_a[x], as_b[x], as_c[x], as_d[x]) for x in X]
