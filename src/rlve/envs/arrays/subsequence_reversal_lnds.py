from collections.abc import Iterator
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.arrays import heaviest_chains
from rlve.answers import integer
from rlve.foundation.pictures import Bars
from rlve.rewards import exact
from rlve.sampling.rejection import spread
from rlve.text import indexed, spaced
from rlve.work import Work, find_best


class SubsequenceReversalLNDS(Environment[int]):
    """Find the longest non-decreasing subsequence that reversing one subsequence can give.

    Uniform sequences have few different answers, and one would dominate. So several are drawn, and
    each of their answers is equally likely. At N = 4 these are nearly always 3 and 4.
    """

    N: int
    A: list[int]
    reference_answer: int

    guessable = "Four numbers, as at difficulty 0, rarely have an answer other than 3 or 4."

    max_difficulty = 40  # at 50, generating a problem takes too long
    picture = Bars(first=1)

    template = """
        A sequence A has {N} integers, numbered from 1 to {N}:

        {A}

        Reverse one subsequence of it, exactly once: choose positions i1 < i2 < ... < ik, with
        k >= 1 and not necessarily adjacent, and put the elements A[i1], A[i2], ..., A[ik] at the
        positions ik, ..., i2, i1, in this order. All other elements stay where they are; with
        k = 1, nothing changes.

        Choose the positions such that the longest non-decreasing subsequence of the resulting
        sequence is as long as possible. Its elements need not be adjacent either.

        Output format: one integer, the greatest possible length of a non-decreasing subsequence.
        """

    def prompt(self) -> str:
        return self.fill(A=indexed("A", self.A, start=1))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 4 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> Self:
            A = [rng.randint(1, N) for _ in range(N)]
            return cls(N=N, A=A, reference_answer=longest_after_reversal(A))

        # Rare answers of a low level need more draws to be among them.
        draws = 48 if N <= 8 else 12
        return spread(rng, draw, by=lambda problem: problem.reference_answer, draws=draws)

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact(answer == self.reference_answer)

    def work(self) -> Work[str]:
        yield "A reversal exchanges the outermost chosen positions, then the next ones inside them,"
        yield "and so on. Try all such pairs, written 1-4 2-3, except that equal values need none,"
        yield "each time with a longest non-decreasing subsequence."
        lengths: list[int] = []

        def cases() -> Iterator[tuple[str, int]]:
            for pairs in nested_pairs(self.A, 1, self.N):
                after = self.A[:]
                for i, j in pairs:
                    after[i - 1], after[j - 1] = self.A[j - 1], self.A[i - 1]
                chain = heaviest_chains([1] * self.N, lambda i, j, A=after: A[i] <= A[j]).heaviest()
                name = " ".join(f"{i}-{j}" for i, j in pairs) or "None"
                kept = spaced(after[i] for i in chain)
                lengths.append(len(chain))
                yield f"{name}: {spaced(after)} has {kept}, length {len(chain)}", len(chain)
                if len(chain) == self.N:
                    return

        longest = lengths[(yield from find_best(cases()))]
        whole = ", as no more is possible" if longest == self.N else ""
        yield f"So the greatest length is {longest}{whole}"
        return str(longest)


def nested_pairs(A: list[int], low: int, high: int) -> Iterator[list[tuple[int, int]]]:
    """All lists of pairs of positions in this range with different values, each inside the last."""
    yield []
    for i in range(low, high):
        for j in range(high, i, -1):
            if A[i - 1] != A[j - 1]:
                for inner in nested_pairs(A, i + 1, j - 1):
                    yield [(i, j), *inner]


def longest_after_reversal(A: list[int]) -> int:
    """Dynamic programming over the intervals of positions and, in one array, of values.

    A reversal exchanges nested pairs of positions. So going inwards, the two ends of each interval
    are exchanged, or one of them stays in place.
    """
    import numpy as np

    rank = {value: i for i, value in enumerate(sorted(set(A)))}
    values = [rank[value] for value in A]
    shape = (len(A) + 1, len(A) + 1, len(rank), len(rank))
    best = np.zeros(shape, dtype=np.int16)  # [start, stop, lowest, highest], without stop
    for stop in range(1, len(A) + 1):
        for start in reversed(range(stop)):
            a, b = values[start], values[stop - 1]
            rest, front = best[start + 1, stop], best[start, stop - 1]
            inner = best[start + 1, stop - 1]
            here = np.maximum(rest, front, out=best[start, stop])
            # a is the first and lowest or, exchanged, the last and highest
            with_a = here[: a + 1, a:]
            with_a[:] = np.maximum(with_a, 1 + np.maximum(rest[a, a:], inner[: a + 1, a, None]))
            # b is the last and highest or, exchanged, the first and lowest
            with_b = here[: b + 1, b:]
            with_b[:] = np.maximum(with_b, 1 + np.maximum(front[: b + 1, b, None], inner[b, b:]))
            if b <= a and stop - start > 1:
                with_both = here[: b + 1, a:]
                with_both[:] = np.maximum(with_both, 2 + inner[b, a])
    return int(best[0, len(A), 0, -1])
