from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.modular import matrix_power
from rlve.answers import integer
from rlve.rewards import exact

MODULUS = 10_000


class Fibonacci(Environment[int]):
    """Compute a term of a linear recurrence of order two, modulo 10,000."""

    MAX_N: int
    N: int
    A1: int
    A2: int
    P: int
    Q: int
    reference_answer: int

    max_difficulty = 1_000  # the highest difficulty measured

    template = """
        A sequence of integers is given by A[1] = {A1}, A[2] = {A2} and, for every n > 2,
        A[n] = {P} * A[n-1] + {Q} * A[n-2].

        Compute A[{N}] modulo {modulus}, that is, the remainder of A[{N}] divided by {modulus}.

        Output format: one integer from 0 to {last}.
        """

    def prompt(self) -> str:
        return self.fill(modulus=MODULUS, last=MODULUS - 1)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N": 3 * 2**d}]

    @classmethod
    def sample(cls, rng: Random, MAX_N: int) -> Self:
        N = rng.randint(3, MAX_N)
        A1, A2 = rng.randrange(MODULUS), rng.randrange(MODULUS)
        P, Q = rng.randrange(1, MODULUS), rng.randrange(1, MODULUS)
        return cls(MAX_N=MAX_N, N=N, A1=A1, A2=A2, P=P, Q=Q, reference_answer=term(N, A1, A2, P, Q))

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact(answer == self.reference_answer)


def term(N: int, A1: int, A2: int, P: int, Q: int) -> int:
    """A[N] modulo the modulus, for N >= 1."""
    power = matrix_power([[0, 1], [Q, P]], N - 1, MODULUS)  # takes (A[1], A[2]) to (A[N], A[N+1])
    return (power[0][0] * A1 + power[0][1] * A2) % MODULUS
