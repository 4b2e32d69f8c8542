from fractions import Fraction
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.modular import residue
from rlve.answers import integer
from rlve.rewards import exact_residue
from rlve.sampling.rejection import spread
from rlve.text import lines, listed

PRIMES = (666_623_333, 998_244_353, 1_000_000_007)


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
