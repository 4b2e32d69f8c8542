from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import closeness
from rlve.work import Work, add_to


class FibonacciContainingCounting(Environment[int]):
    """Count the starting pairs whose Fibonacci-like sequence contains a given number.

    Only K varies, so low levels have few different problems.
    """

    MAX_K: int
    K: int
    reference_answer: int

    max_difficulty = 1_000  # the highest difficulty measured

    template = """
        For positive integers a and b, let f(0) = a, f(1) = b and f(n) = f(n-1) + f(n-2) for every
        n >= 2.

        Count the ordered pairs (a, b) of positive integers for which f(n) = {K} for some n >= 2.
        (A pair in which only f(0) or f(1) is {K} is not counted.)

        Output format: one integer, the number of pairs.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_K": grow(10, d, by=1.5, plus=0)}]

    @classmethod
    def sample(cls, rng: Random, MAX_K: int) -> Self:
        K = rng.randint(2, MAX_K)
        return cls(MAX_K=MAX_K, K=K, reference_answer=count_pairs(K))

    def parse(self, text: str) -> int:
        return integer(text, low=0)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10

    def work(self) -> Work[str]:
        K = self.K
        yield "From f(2) on the terms grow, so no pair is counted for two values of n."
        total, n, p, q = 0, 2, 1, 1
        while p + q <= K:
            yield f"n = {n}: f({n}) = {p} * a + {q} * b, at least {p} + {q} = {p + q} <= {K}"
            most = (K - p) // q
            if p == 1:
                yield f"({K} - 1) // {q} = {most}, so b can be 1 to {most}"
                found = most
            else:
                yield f"({K} - {p}) // {q} = {most}, so b is at most {most}, as a >= 1"
                found, cases = 0, list[str]()
                for b in range(1, most + 1):
                    rest = K - q * b
                    fits = rest % p == 0
                    found += fits
                    cases.append(f"b = {b}: {K} - {q} * {b} = {rest}, {'yes' if fits else 'no'}")
                yield f"Is {K} - {q} * b divisible by {p}? {'; '.join(cases)}"
            total = yield from add_to(total, found, f"pairs: {found}")
            n, p, q = n + 1, q, p + q
        yield f"n = {n}: f({n}) is at least {p} + {q} = {p + q} > {K}, too large"
        yield f"So the number of pairs is {total}"
        return str(total)


def count_pairs(K: int) -> int:
    """The number of pairs. As f grows from f(2) on, each has f(n) = K for only one n.

    f(n) is F(n-1)*a + F(n)*b with the Fibonacci numbers F, where neighbours are coprime.
    """
    total, p, q = 0, 1, 1
    while p + q <= K:
        total += count_positive_solutions(p, q, K)
        p, q = q, p + q
    return total


def count_positive_solutions(p: int, q: int, K: int) -> int:
    """The number of pairs a, b >= 1 with p*a + q*b = K, for coprime p and q."""
    residue = K * pow(q, -1, p) % p  # of b modulo p
    smallest, largest = residue or p, (K - p) // q
    return max(0, (largest - smallest) // p + 1)
