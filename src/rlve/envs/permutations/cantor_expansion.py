from collections import Counter
from math import factorial, prod
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.rewards import exact_residue
from rlve.sampling.rejection import spread
from rlve.text import spaced
from rlve.work import Work, add, divide, is_easy, modulo, multiply


class CantorExpansion(Environment[int]):
    """Count the rearrangements of a sequence that are lexicographically smaller than it.

    The answer 0 is no more likely than others, although many short sequences are already sorted.
    """

    N: int
    A: list[int]
    MOD: int
    reference_answer: int

    max_difficulty = 600  # at 775, generating a problem takes too long

    template = """
        Here is a sequence of {N} integers:

        {A}

        Count its distinct rearrangements, which use each integer as often as it occurs above, that
        are lexicographically strictly smaller than the sequence itself. Rearrangements are distinct
        if they differ as sequences: exchanging equal integers gives the same one. Of two sequences,
        the smaller is the one with the smaller integer at the first position where they differ.

        Give the count modulo {MOD}.

        Output format: one integer from 0 to {largest}.
        """

    def prompt(self) -> str:
        return self.fill(A=spaced(self.A), largest=self.MOD - 1)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 3 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> Self:
            V = rng.randint(2, N)
            A = [rng.randint(1, V) for _ in range(N)]
            MOD = rng.randint(2, 100_000)
            return cls(N=N, A=A, MOD=MOD, reference_answer=smaller_rearrangements(A) % MOD)

        return spread(rng, draw, by=lambda problem: problem.reference_answer)

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact_residue(answer, self.reference_answer, self.MOD)

    def work(self) -> Work[str]:
        yield "A smaller rearrangement agrees with the sequence before some position and is smaller"
        yield "there. Go from the last position to the first. From it on, let there be n integers,"
        yield "s of them smaller than the first one and c equal to it; those after it have t"
        yield "arrangements. So t arrangements of all n begin with the first one, a share of c / n."
        yield "There are t * n / c in all, the new t, and t * s / c begin with a smaller integer."
        t, total = 1, 0
        for i in reversed(range(self.N)):
            rest = self.A[i:]
            n, s, c = len(rest), sum(x < rest[0] for x in rest), rest.count(rest[0])
            yield f"{spaced(rest)}: n = {n}, s = {s}, c = {c}"
            if s:
                smaller = yield from scale("Smaller", t, s, c)
                total = yield from add(total, smaller)
            if i:
                t = yield from scale("New t", t, n, c)
        if total < self.MOD:
            yield f"So there are {total} < {self.MOD}"
            return str(total)
        yield f"So there are {total}"
        return str((yield from modulo(total, self.MOD)))


def scale(label: str, t: int, by: int, over: int) -> Work[int]:
    """t * by / over, which is an integer."""
    product, result = t * by, t * by // over
    if is_easy("*", t, by) and is_easy("/", product, over):
        yield f"{label}: {t} * {by} / {over} = {result}"
        return result
    yield f"{label}: {t} * {by} / {over}"
    yield from multiply(t, by)
    yield from divide(product, over)
    return result


def smaller_rearrangements(A: list[int]) -> int:
    """Those that first differ from A at each position, from the last position to the first.

    The share of arrangements of the rest of A that begin with a given value is how often the rest
    has this value, divided by its length.
    """
    count = 0
    rest: Counter[int] = Counter()
    for value in reversed(A):
        rest[value] += 1
        smaller = sum(times for other, times in rest.items() if other < value)
        arrangements = factorial(rest.total()) // prod(map(factorial, rest.values()))
        count += arrangements * smaller // rest.total()
    return count
