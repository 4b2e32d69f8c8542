from math import lcm
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.floor_sums import sum_to
from rlve.algorithms.number_theory import smallest_prime_factors
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import closeness
from rlve.work import Work, add_all, is_easy


class SumLCM(Environment[int]):
    """Sum the least common multiples of all pairs below two bounds."""

    MAX_N_M: int
    N: int
    M: int
    reference_answer: int

    max_difficulty = 25  # at 30, generating a problem takes too long

    template = """
        Compute the sum of lcm(i, j) over all ordered pairs of integers (i, j) with 1 <= i <= {N}
        and 1 <= j <= {M}, where lcm(i, j) is the least common multiple of i and j.

        Output format: one positive integer, the exact sum.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N_M": grow(5, d, by=1.5, plus=0)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N_M: int) -> Self:
        N, M = rng.randint(2, MAX_N_M), rng.randint(2, MAX_N_M)
        return cls(MAX_N_M=MAX_N_M, N=N, M=M, reference_answer=lcm_sum(N, M))

    def parse(self, text: str) -> int:
        return integer(text, low=1)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10

    def work(self) -> Work[str | None]:
        if not is_easy("lcm", self.N, self.M):
            return None  # more than a person would list
        yield "Write a row for each i, and add its values to the total so far."
        total = 0
        for i in range(1, self.N + 1):
            row = {j: lcm(i, j) for j in range(1, self.M + 1)}
            yield ", ".join(f"lcm({i}, {j}) = {multiple}" for j, multiple in row.items())
            total = yield from add_all([total, *row.values()] if total else [*row.values()])
        yield f"So the sum is {total}"
        return str(total)


def lcm_sum(N: int, M: int) -> int:
    """lcm(i, j) = i * j / g, where 1 / g is the sum of weight(t) / t^2 over the divisors t of g.

    So each t adds its weight times the sum of all i / t times the sum of all j / t.
    """
    weight = weights(min(N, M))
    return sum(weight[t] * sum_to(N // t) * sum_to(M // t) for t in range(1, min(N, M) + 1))


def weights(n: int) -> list[int]:
    """t times the product of 1 - p over the primes p that divide t, for each t in 0 .. n."""
    smallest = smallest_prime_factors(n)
    weight = [0, 1]
    for t in range(2, n + 1):
        p = smallest[t]
        rest = t // p
        weight.append(weight[rest] * (p * (1 - p) if rest % p else p))
    return weight
