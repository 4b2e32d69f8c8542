from math import comb
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.rewards import closeness
from rlve.text import indexed
from rlve.work import Work, show_sum


class BubbleSwapLowerBound_PermutationCounting(Environment[int]):
    """Count the larger permutations for which bubble sort needs no more swaps than their bound.

    P is uniform, so the answer is 0 for a third of the problems at d = 0, and for fewer beyond.
    """

    N: int
    P: list[int]
    reference_answer: int

    max_difficulty = 1_000  # the highest difficulty measured

    template = """
        Bubble sort sorts a permutation p[1] to p[{N}] of the integers 1 to {N} like this:

        repeat {N} times:
            for i from 1 to {last}:
                if p[i] > p[i + 1]: swap p[i] and p[i + 1]

        The number of swaps is never less than (|1 - p[1]| + |2 - p[2]| + ... + |{N} - p[{N}]|) / 2,
        with p as it is before sorting. Call p good if the number of swaps is equal to this bound.

        P is this permutation of 1 to {N}:

        {P}

        Count the good permutations of 1 to {N} that are lexicographically strictly greater than P.
        That is, at the first position where such a permutation differs from P, it has the greater
        integer.

        Output format: one integer, the exact count; it can be 0.
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1, P=indexed("P", self.P, start=1))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 3 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        P = rng.sample(range(1, N + 1), N)
        return cls(N=N, P=P, reference_answer=larger_good_permutations(P))

    def parse(self, text: str) -> int:
        return integer(text, low=0)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10

    def work(self) -> Work[str]:
        yield "A swap moves two elements by one place, so p is good exactly if no element moves"
        yield "both ways, as one does with a larger one before it and a smaller one after it. So"
        yield "each element must be a new maximum or the smallest left."
        yield "Row i: how many ways there are to go on after i elements, for each maximum m. It can"
        yield "stay, if a smaller number is left, or rise. So add up the row above from m on: the"
        yield "entry before, plus the one above."
        yield f"Row {self.N}, only m = {self.N}: 1"
        ways: dict[tuple[int, int], int] = {(self.N, self.N): 1}
        for i in range(self.N - 1, 0, -1):
            shown: list[str] = []
            for m in range(self.N, i - 1, -1):
                terms = [ways[i, m + 1]] if m < self.N else []
                terms += [ways[i + 1, m]] if m > i else []
                ways[i, m] = sum(terms)
                shown.append(show_sum(terms))
            yield f"Row {i}, m = {self.N} down to {i}: {', '.join(shown)}"
        yield "Now let a permutation agree with P before a position and be greater there: as the"
        yield "smallest one left is not greater, it has a new maximum."
        total = maximum = 0
        for i, value in enumerate(self.P, 1):
            smallest, is_new = min(self.P[i - 1 :]), value > maximum
            maximum = max(maximum, value)
            more = [ways[i, m] for m in range(maximum + 1, self.N + 1)]
            if more:
                yield f"Position {i}, m from {maximum + 1}: {show_sum(more)}"
                yield f"Total {total} + {sum(more)} = {total + sum(more)}"
                total += sum(more)
            if not is_new and value != smallest:
                yield f"P[{i}] = {value} is neither a new maximum nor the smallest left, {smallest}"
                yield "So no good one goes on like P."
                break
        yield f"So there are {total}"
        return str(total)


def larger_good_permutations(P: list[int]) -> int:
    """The number of good permutations that are lexicographically greater than P.

    A permutation is good if and only if it has no decreasing subsequence of length 3: each integer
    is greater than all before it, or the smallest of those not yet placed. So a good permutation
    that exceeds P for the first time at some position has a new maximum there.
    """
    n, maximum, count = len(P), 0, 0
    for placed, value in enumerate(P):
        smallest_left = min(P[placed:])
        is_new_maximum = value > maximum
        maximum = max(maximum, value)
        count += completions(n, placed, maximum + 1)
        if not is_new_maximum and value != smallest_left:
            break
    return count


def completions(n: int, placed: int, low: int) -> int:
    """The number of good permutations with a given start and, after it, an integer >= low.

    The start has length `placed`, and `low` exceeds its maximum. The ways to continue are lattice
    paths that do not cross the diagonal; the reflection principle counts them.
    """
    if low > n:
        return 0
    steps = 2 * n - placed - low - 1
    crossing = comb(steps, n - low - 2) if low <= n - 2 else 0
    return comb(steps, n - placed - 1) - crossing
