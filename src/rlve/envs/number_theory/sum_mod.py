from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.floor_sums import quotient_blocks, squares_to, sum_to
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import closeness
from rlve.work import Work, add_all, multiply, say, subtract


class SumMOD(Environment[int]):
    """Sum the products of the remainders of two numbers over all pairs of different divisors."""

    MAX_N_M: int
    N: int
    M: int
    reference_answer: int

    max_difficulty = 40  # at 50, generating a problem takes too long

    template = """
        Compute the sum of ({N} mod i) * ({M} mod j) over all ordered pairs of integers (i, j) with
        1 <= i <= {N}, 1 <= j <= {M} and i ≠ j, where a mod b is the remainder of a divided by b.

        Output format: one non-negative integer, the exact sum.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N_M": grow(5, d, by=1.5, plus=0)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N_M: int) -> Self:
        N, M = rng.randint(3, MAX_N_M), rng.randint(3, MAX_N_M)
        return cls(MAX_N_M=MAX_N_M, N=N, M=M, reference_answer=product_sum(N, M))

    def parse(self, text: str) -> int:
        return integer(text, low=0)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10

    def work(self) -> Work[str]:
        yield "Over all i and j, the sum is a product of two sums. Take away the pairs with i = j."
        rests = [[n % i for i in range(1, n + 1)] for n in (self.N, self.M)]
        sums: list[int] = []
        for n, rest in zip((self.N, self.M), rests, strict=True):
            for first in range(0, n, 10):
                some = enumerate(rest[first : first + 10], first + 1)
                yield ", ".join(f"{n} mod {i} = {r}" for i, r in some)
            sums.append((yield from add_all([r for r in rest if r])))
            yield f"So the remainders of {n} add up to {sums[-1]}"
        whole = yield from multiply(*sums)
        equal: list[int] = []
        for i, (r, s) in enumerate(zip(*rests, strict=False), 1):
            if r and s:
                yield f"i = j = {i}: {yield from say('*', r, s)}"
                equal.append(r * s)
        if not equal:
            yield "All pairs with i = j give 0"
        total = yield from subtract(whole, (yield from add_all(equal)))
        yield f"So the sum is {total}"
        return str(total)


def product_sum(N: int, M: int) -> int:
    """The sum over all pairs is a product of two sums; the pairs with i = j are subtracted."""
    return remainder_sum(N) * remainder_sum(M) - equal_pairs(N, M)


def remainder_sum(n: int) -> int:
    """The sum of n mod i = n - i * (n // i) over all i in 1 .. n."""
    blocks = quotient_blocks(n, n)
    return n * n - sum(n // first * (sum_to(last) - sum_to(first - 1)) for first, last in blocks)


def equal_pairs(N: int, M: int) -> int:
    """The sum of (N mod i) * (M mod i) over all i up to the smaller number."""
    total = 0
    for first, last in quotient_blocks(min(N, M), N, M):
        p, q = N // first, M // first  # so that the product is (N - p * i) * (M - q * i)
        total += N * M * (last - first + 1)
        total -= (N * q + M * p) * (sum_to(last) - sum_to(first - 1))
        total += p * q * (squares_to(last) - squares_to(first - 1))
    return total
