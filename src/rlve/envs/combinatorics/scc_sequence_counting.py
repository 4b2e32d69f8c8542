from functools import cache
from itertools import accumulate
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integers
from rlve.rewards import INVALID, ratio
from rlve.text import spaced


class SCC_Sequence_Counting(Environment[list[int]]):
    """Count the possible sequences of the number of strong components as edges are added.

    The counts depend only on N, so MOD never exceeds the largest of them: that way the residues
    vary.
    """

    N: int
    MOD: int
    gold_answer: list[int]
    reference_answer: str

    max_difficulty = 25  # at 35, generating a problem takes too long

    template = """
        A directed graph has {N} labelled vertices and, at first, no edges. A list of E distinct
        directed edges, none of them from a vertex to itself, is added to it one edge at a time.
        After each addition the number of strongly connected components of the graph is written
        down. These E numbers form a sequence.

        For each E = 1, 2, ..., {most}, count the different sequences of length E that arise from
        all possible ordered lists of E edges. Give each count modulo {MOD}.

        Output format: one line with {most} integers from 0 to {largest}, separated by spaces, for
        E = 1, 2, ..., {most} in this order.
        """

    def prompt(self) -> str:
        return self.fill(most=self.N * (self.N - 1), largest=self.MOD - 1)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 3 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        counts = count_sequences(N)
        MOD = rng.randint(2, min(10**6, max(counts)))
        gold = [count % MOD for count in counts]
        return cls(N=N, MOD=MOD, gold_answer=gold, reference_answer=spaced(gold))

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if len(answer) != len(self.gold_answer):
            return INVALID
        right = sum(x == gold for x, gold in zip(answer, self.gold_answer, strict=True))
        return ratio(right, len(self.gold_answer)) ** 10


@cache
def count_sequences(N: int) -> list[int]:
    """The number of sequences of each length from 1 to N(N-1).

    A sequence that never increases can arise if and only if at any time there are enough edges for
    its drops, and not too many for its components. Joining m + 1 components takes m edges and one
    that closes a cycle. A graph with j components has the most edges if all but one are single
    vertices and every edge that closes no cycle between components is present.
    """
    most = [0] + [(N - j + 1) * (N - 1) + (j - 1) * (j - 2) // 2 for j in range(1, N + 1)]
    counts: list[int] = []
    ways = [[0] * (N + 1) for _ in range(N)]  # by the number of drops and of components
    ways[0][N] = 1
    for edges in range(1, N * (N - 1) + 1):
        dropped = [[0] * (N + 1), *map(sums_of_larger, ways[:-1])]
        ways = [
            [stay[j] + drop[j] if N - j + drops <= edges <= most[j] else 0 for j in range(N + 1)]
            for drops, (stay, drop) in enumerate(zip(ways, dropped, strict=True))
        ]
        counts.append(sum(map(sum, ways)))
    return counts


def sums_of_larger(row: list[int]) -> list[int]:
    """For each index, the sum of all entries after it."""
    return list(accumulate(reversed(row), initial=0))[-2::-1]
