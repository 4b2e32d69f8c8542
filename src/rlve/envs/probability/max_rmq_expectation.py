from fractions import Fraction
from itertools import combinations
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.modular import residue
from rlve.answers import integer
from rlve.foundation.pictures import Intervals
from rlve.rewards import exact_residue
from rlve.sampling.rejection import spread
from rlve.text import counted, lines, listed, spaced
from rlve.work import Work, add_all, fraction_mod, is_easy, multiply_all, power, show_sum

PRIMES = (666_623_333, 998_244_353, 1_000_000_007)
LARGE = 100  # by such a denominator, nobody divides modulo a prime on paper


class MaxRMQExpectation(Environment[int]):
    """Find the expected maximum of the minima of a random array over given intervals.

    At the lowest levels, the few answers are about equally likely.
    """

    N: int
    X: int
    Q: int
    intervals: list[tuple[int, int]]  # (L, R), counted from 1, both ends included
    MOD: int
    reference_answer: int

    max_difficulty = 90  # at 105, generating a problem takes too long
    picture = Intervals(first=1)

    template = """
        A[1] to A[{N}] are {N} independent random integers, each of them uniform on {values}.
        Here are intervals [L, R], one per line:

        {intervals}

        The minimum of an interval [L, R] is the smallest of A[L], A[L+1], ..., A[R], both ends
        included. Let E be the expected value of the largest of the minima of these intervals.

        E is a fraction p/q. Give it modulo the prime {MOD}: the integer r with 0 <= r < {MOD} for
        which q * r and p leave the same remainder when divided by {MOD}, that is, p times the
        modular inverse of q.

        Output format: one integer, only the value of r.
        """

    def prompt(self) -> str:
        return self.fill(
            values=listed("{}", 1, self.X),
            intervals=lines(f"[{L}, {R}]" for L, R in self.intervals),
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 2 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> Self:
            X, Q = rng.randint(2, N), rng.randint(1, N)
            ends = [sorted((rng.randint(1, N), rng.randint(1, N))) for _ in range(Q)]
            intervals = [(L, R) for L, R in ends]
            MOD = rng.choice(PRIMES)
            gold = residue(expected_maximum(N, X, intervals), MOD)
            return cls(N=N, X=X, Q=Q, intervals=intervals, MOD=MOD, reference_answer=gold)

        return spread(rng, draw, by=lambda problem: problem.reference_answer)

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact_residue(answer, self.reference_answer, self.MOD)

    def work(self) -> Work[str | None]:
        X = self.X
        spans = {(L, R): set(range(L, R + 1)) for L, R in sorted(set(self.intervals))}
        least = [ends for ends, span in spans.items() if not any(s < span for s in spans.values())]
        yield "An interval that contains another one has no larger minimum. The others:"
        places = sorted(set[int]().union(*(spans[ends] for ends in least)))
        shown = ", ".join(f"[{L}, {R}]" for L, R in least)
        yield f"{shown}; positions that matter: {spaced(places)}"
        yield "E is the sum, over t >= 1, of P(largest minimum >= t). Let elements be high if they"
        yield "are t or more: some interval must have only high ones. High positions with such an"
        yield "interval:"
        sets: dict[int, int] = {}  # how many, by size
        for size in range(1, len(places) + 1):
            some = combinations(places, size)
            found = [spaced(s) for s in some if contains(s, [spans[ends] for ends in least])]
            if found:
                yield f"{counted(size, 'position')}: {', '.join(found)}"
                sets[size] = len(found)
        N = len(places)
        yield f"With h high values and l low, s sets of n give s * h^n * l^({N} - n) arrays."
        yield f"t = 1: all arrays of {'these' if N > 1 else 'this'} {counted(N, 'position')}"
        whole = yield from power(X, N)
        arrays = [whole]
        for t in range(2, X + 1):
            yield f"t = {t}: h = {X - t + 1}, l = {t - 1}"
            arrays.append((yield from count_arrays(N, sets, X - t + 1, t - 1)))
        total = yield from add_all(arrays)
        mean = yield from cancel(total, whole, next(f for f in range(2, X + 1) if X % f == 0))
        if mean[1] >= LARGE:
            return None
        r = yield from fraction_mod(*mean, self.MOD)
        yield f"So r = {r}"
        return str(r)


def contains(positions: tuple[int, ...], spans: list[set[int]]) -> bool:
    return any(span <= set(positions) for span in spans)


def count_arrays(N: int, sets: dict[int, int], high: int, low: int) -> Work[int]:
    """The arrays with a high value at each position of a set, and a low one at the others."""
    terms: list[int] = []
    easy: list[str] = []
    for size, count in sets.items():
        above, below = high**size, low ** (N - size)
        terms.append(count * above * below)
        text = f"{count} * {high}^{size}" + (f" * {low}^{N - size}" if size < N else "")
        powers = is_easy("^", high, size) and is_easy("^", low, N - size)
        if powers and is_easy("*", count, above) and is_easy("*", count * above, below):
            easy.append(f"{text} = {terms[-1]}")
        else:
            yield f"{text}:"
            yield from power(high, size)
            yield from power(low, N - size)
            yield from multiply_all([count, above, below])
    if easy:
        yield ", ".join(easy)
    if sum(terms) >= 1_000:
        return (yield from add_all(terms))
    if len(terms) > 1:
        yield show_sum(terms)
    return sum(terms)


def cancel(p: int, q: int, factor: int) -> Work[tuple[int, int]]:
    """The fraction E, with a factor cancelled as long as both of its numbers have it."""
    steps = [f"{p}/{q}"]
    while p % factor == q % factor == 0:
        p, q = p // factor, q // factor
        steps.append(f"{p}/{q}")
    yield f"Divided by the number of all such arrays: E = {' = '.join(steps)}"
    return p, q


def expected_maximum(N: int, X: int, intervals: list[tuple[int, int]]) -> Fraction:
    """The sum over t = 1 .. X of the probability that some interval has no value below t."""
    low_from = [0] * (N + 1)  # [i]: a low value is needed from here to i
    for L, R in intervals:
        low_from[R] = max(low_from[R], L)
    arrays = sum(X**N - hitting(low_from, low, X - low) for low in range(X))
    return Fraction(arrays, X**N)


def hitting(low_from: list[int], low: int, high: int) -> int:
    """The arrays with a low value in each interval, if `low` values are low and `high` are not.

    Position by position, the arrays are counted by the position of their last low value.
    """
    ways = [1]  # [j]: those whose last low value is at j; 0 is before the first
    for first in low_from[1:]:
        ways = [count * high for count in ways] + [sum(ways) * low]
        ways[:first] = [0] * min(first, len(ways))
    return sum(ways)
