from collections import Counter
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.arrays import increasing_lengths
from rlve.answers import integer
from rlve.foundation.pictures import Bars
from rlve.levels import grow
from rlve.rewards import exact
from rlve.sampling.rejection import spread
from rlve.text import spaced
from rlve.work import Work, find_largest, state


class RepeatSequenceLNDS(Environment[int]):
    """Find the length of the longest non-decreasing subsequence of a repeated pattern.

    Short patterns have few different answers, so several problems are drawn, and each of their
    answers is equally likely.
    """

    n: int
    MAX_T: int
    T: int
    a: list[int]
    reference_answer: int

    max_difficulty = 150  # at 190, generating a problem takes too long
    picture = Bars("a")

    template = """
        Here is a pattern of {n} integers:

        {a}

        {T} copies of it are written one after the other, which gives a sequence of {length}
        integers. (For example, 3 copies of the pattern 5 2 give the sequence 5 2 5 2 5 2.)

        A non-decreasing subsequence consists of elements of the sequence, not necessarily adjacent,
        in their order, none of which is smaller than the one before it. How many elements does the
        longest non-decreasing subsequence of the sequence have?

        Output format: one integer, the number of elements.
        """

    def prompt(self) -> str:
        return self.fill(a=spaced(self.a), length=self.n * self.T)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"n": 3 + d, "MAX_T": grow(5, d, by=1.5, plus=0)}]

    @classmethod
    def sample(cls, rng: Random, n: int, MAX_T: int) -> Self:
        def draw() -> Self:
            T = rng.randint(2, MAX_T)
            a = [rng.randint(1, n) for _ in range(n)]
            return cls(n=n, MAX_T=MAX_T, T=T, a=a, reference_answer=longest(a, T))

        return spread(rng, draw, by=lambda problem: problem.reference_answer)

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact(answer == self.reference_answer)

    def work(self) -> Work[str]:
        values = sorted(set(self.a))
        yield "For each value v, keep the length of the longest subsequence so far ending with v."
        yield "An element v adds 1 to the largest length of a value up to v."
        best = dict.fromkeys(values, 0)
        yield state("Values", values)
        for copy in range(1, self.T + 1):
            steps: list[str] = []
            for v in self.a:
                before = max(best[u] for u in values if u <= v)
                best[v] = before + 1
                steps.append(f"{v}: {before} + 1 = {best[v]}")
            yield f"Copy {copy}: {', '.join(steps)}; lengths now: {spaced(best.values())}"
        yield "The longest subsequence has the largest of these lengths."
        return str((yield from find_largest(list(best.values()))))


def longest(a: list[int], T: int) -> int:
    """In all but at most 2n copies, it is best to take only the most frequent value."""
    copies = min(T, 2 * len(a))
    longest = max(increasing_lengths(a * copies, strictly=False))
    return longest + (T - copies) * max(Counter(a).values())
