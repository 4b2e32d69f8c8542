from collections.abc import Sequence
from random import Random
from typing import Self, TypeAlias

from rlve import Environment, Level
from rlve.answers import integer
from rlve.rewards import closeness

MAX_K = 5


class BoundedAdjacencyDifference_Permutation_Counting(Environment[int]):
    """Count the permutations whose adjacent elements differ by at most K.

    A level has one problem per K. To have more of them, K goes up to 5, not just 4.
    """

    N: int
    K: int
    reference_answer: int

    max_difficulty = 150  # at 230, generating a problem takes too long

    template = """
        Count the permutations of the integers 1 to {N} in which every two adjacent elements differ
        by at most {K} in absolute value. A permutation and its reversal count as two.

        Output format: one integer, the exact count.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 4 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        K = rng.randint(2, min(MAX_K, N - 1))
        return cls(N=N, K=K, reference_answer=smooth_permutations(N, K))

    def parse(self, text: str) -> int:
        return integer(text, low=0)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10


Fragments: TypeAlias = tuple[int, ...]
"""The paths that the integers so far form, as seen from the last K of them, the latest first.

An integer that is an end of a path has the place of the other end (its own if it is alone), or
FIXED if that end is out of reach and so an end of the whole permutation. Others have INNER.
"""
FIXED, INNER = -1, -2


def smooth_permutations(n: int, k: int) -> int:
    """The permutations of 1 .. n >= 2 with differences of at most k, as paths read both ways.

    The integers are added one by one, each joined to at most two ends of paths within reach.
    """
    counts: dict[Fragments, int] = {(): 1}
    following: dict[Fragments, list[Fragments]] = {}
    for _ in range(n):
        before, counts = counts, {}
        for fragments, count in before.items():
            if fragments not in following:
                following[fragments] = extensions(fragments, k)
            for extended in following[fragments]:
                counts[extended] = counts.get(extended, 0) + count
    return 2 * sum(count for fragments, count in counts.items() if is_one_path(fragments))


def extensions(fragments: Fragments, k: int) -> list[Fragments]:
    """What the fragments can become when the next integer is added."""
    if fragments and not ends_of(fragments):
        return []  # a whole path with both ends out of reach
    mates = [0, *(mate + 1 if mate >= 0 else mate for mate in fragments)]
    options = [mates]
    ends = ends_of(mates)[1:]
    for end in ends:
        joined = join(mates, 0, end)
        options.append(joined)
        for other in ends:
            is_circle = mates[end] == other
            is_whole = mates[end] == mates[other] == FIXED  # and leaves no room for others
            if other > end and not is_circle and (not is_whole or len(ends) == 2):
                options.append(join(joined, 0, other))
    return [tuple(rest) for option in options if (rest := within_reach(option, k)) is not None]


def join(mates: list[int], a: int, b: int) -> list[int]:
    """The fragments after an edge between a and b, ends of two paths."""
    mates = mates[:]
    far_a, far_b = mates[a], mates[b]
    mates[a] = mates[b] = INNER
    if far_a != FIXED:
        mates[far_a] = far_b
    if far_b != FIXED:
        mates[far_b] = far_a
    return mates


def within_reach(mates: list[int], k: int) -> list[int] | None:
    """The fragments as seen from the last k integers; None if they cannot become one path."""
    if len(mates) <= k:
        return mates
    *rest, mate = mates
    if mate == FIXED:
        return None if ends_of(rest) else rest
    if mate == len(rest):
        return None
    if mate != INNER:
        rest[mate] = FIXED
    return rest if rest.count(FIXED) <= 2 else None


def ends_of(mates: Sequence[int]) -> list[int]:
    return [place for place, mate in enumerate(mates) if mate != INNER]


def is_one_path(fragments: Fragments) -> bool:
    match ends_of(fragments):
        case [a, b]:
            return fragments[a] == b
        case ends:
            return len(ends) < 2
