from itertools import pairwise
from os.path import commonprefix
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.arrays import is_permutation
from rlve.answers import integers
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import prefer
from rlve.text import joined, lines, listed, spaced
from rlve.work import Work

AVERAGE_LENGTHS = (1.2, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 7.0, 10.0)


class PCPPermutation(Environment[list[int]]):
    """Order pairs of strings so that the two sides join to the same string.

    Nearly constant strings fit in almost any order. So each letter has a probability of at least a
    quarter, and problems that are easily guessed (solved by the order 0, 1, 2, ... or by one of
    five random orders) are redrawn.
    """

    N: int
    average_length: float  # a bound on the average length of the strings
    A: list[str]
    B: list[str]
    reference_answer: str

    max_difficulty = 1_000  # the highest difficulty measured
    unique_up_to = None  # several answers can be right

    template = """
        There are {N} pairs of strings (A[i], B[i]), one per line:

        {pairs}

        Find an order p of all {N} indices 0 to {last}, each exactly once, in which joining the
        strings of either side gives the same string:
        {A} = {B}.
        At least one such order exists; any of them is right.

        Output format: one line with the {N} indices p[0] to p[{last}], separated by spaces.
        """

    def prompt(self) -> str:
        pairs = zip(self.A, self.B, strict=True)
        written = lines(f"A[{i}]={a} B[{i}]={b}" for i, (a, b) in enumerate(pairs))
        return self.fill(
            last=self.N - 1,
            pairs=written,
            A=listed("A[p[{}]]", 0, self.N - 1, " + "),
            B=listed("B[p[{}]]", 0, self.N - 1, " + "),
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 3 + d, "average_length": length} for length in AVERAGE_LENGTHS]

    @classmethod
    def sample(cls, rng: Random, N: int, average_length: float) -> Self:
        def draw() -> Self:
            length = max(N + 1, rng.randint(N, int(N * average_length)))
            chance = rng.uniform(0.25, 0.75)
            whole = joined("b" if rng.random() < chance else "a" for _ in range(length))
            order = rng.sample(range(N), N)
            A = placed(order, random_pieces(rng, whole, N))
            B = placed(order, random_pieces(rng, whole, N))
            answer = spaced(order)
            return cls(N=N, average_length=average_length, A=A, B=B, reference_answer=answer)

        return prefer(draw, lambda problem: not is_easily_guessed(rng, problem), tries=100)

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if not is_permutation(answer, self.N):
            return INVALID
        a = joined(self.A[i] for i in answer)
        b = joined(self.B[i] for i in answer)
        return ratio(sum(x == y for x, y in zip(a, b, strict=True)), len(a)) ** 10

    def work(self) -> Work[str]:
        yield "Choose one pair after the other. As far as both sides reach, they must agree. The"
        yield "rest of the longer side comes before that side of the next pair."

        def extend(chosen: list[int], rests: tuple[str, str]) -> Work[list[int] | None]:
            if len(chosen) == self.N:
                return chosen
            for i in range(self.N):
                if i in chosen:
                    continue
                a, b = rests[0] + self.A[i], rests[1] + self.B[i]
                agreed = len(commonprefix([a, b]))
                sides = f"{i}: A {spaced(a)}, B {spaced(b)}"
                if agreed < min(len(a), len(b)):
                    yield f"{sides}, differ"
                    continue
                longer, left = [*chosen, i], (a[agreed:], b[agreed:])
                yield f"{sides}, agree. Try {spaced(longer)}, {rest_of(*left)}"
                found = yield from extend(longer, left)
                if found is not None:
                    return found
                yield f"Back to {spaced(chosen) or 'the start'}, {rest_of(*rests)}"
            return None

        return spaced((yield from extend([], ("", ""))) or [])


def rest_of(a: str, b: str) -> str:
    """What one side has beyond the other, letter by letter."""
    return f"rest A {spaced(a)}" if a else f"rest B {spaced(b)}" if b else "no rest"


def random_pieces(rng: Random, whole: str, n: int) -> list[str]:
    """The string cut at n - 1 distinct random places into n pieces, none of them empty."""
    cuts = sorted(rng.sample(range(1, len(whole)), n - 1))
    return [whole[start:end] for start, end in pairwise([0, *cuts, len(whole)])]


def placed(order: list[int], pieces: list[str]) -> list[str]:
    """The list from which this order reads the pieces one after the other."""
    piece_at = dict(zip(order, pieces, strict=True))
    return [piece_at[i] for i in range(len(order))]


def is_easily_guessed(rng: Random, problem: PCPPermutation) -> bool:
    N = problem.N
    guesses = [list(range(N)), *(rng.sample(range(N), N) for _ in range(5))]
    return any(problem.score(guess) == 1 for guess in guesses)
