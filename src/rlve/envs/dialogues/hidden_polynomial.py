from collections.abc import Sequence
from random import Random
from typing import Self

from rlve import Level
from rlve.algorithms.polynomials import product
from rlve.algorithms.primes import is_prime
from rlve.dialogue import Command, Dialogue, Player, command, numbers_in
from rlve.rewards import exact
from rlve.text import listed, spaced


class HiddenPolynomial(Dialogue[Command]):
    """Find a polynomial modulo a prime from its values."""

    D: int
    M: int
    coefficients: list[int]  # of 1, x, x^2, ...

    template = """
        I have a secret polynomial f(x) = {f}. Each coefficient is an integer from 0
        to {highest}, and {M} is prime. You may name an integer x: I tell you
        f(x) modulo {M}. When you know the polynomial, give its coefficients; that ends the
        dialogue.

        Output format: `ask` and x, such as `ask 2`; or `answer` and the coefficients
        {coefficients}, {count} integers separated by spaces.
        """

    def opening(self) -> str:
        more = [f"c[{k}] * x^{k}" for k in range(2, self.D + 1)]
        if len(more) > 2:
            more[:-1] = ["..."]
        return self.fill(
            f=" + ".join(["c[0]", "c[1] * x", *more]),
            highest=self.M - 1,
            coefficients=listed("c[{}]", 0, self.D),
            count=self.D + 1,
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [
            {"D": 1 + d // 2, "M": next(m for m in range(11 + 6 * d, 100 + 12 * d) if is_prime(m))}
        ]

    @classmethod
    def sample(cls, rng: Random, D: int, M: int) -> Self:
        return cls(D=D, M=M, coefficients=[rng.randrange(M) for _ in range(D + 1)])

    @property
    def turns(self) -> int:
        return self.D + 2  # a value more than the degree, and the answer

    def parse(self, text: str) -> Command:
        return command(text, ask=1, answer=self.D + 1)

    def reply(self, moves: Sequence[Command]) -> str | float:
        word, values = moves[-1]
        if word == "answer":
            return exact(values == self.coefficients)
        x = values[0] % self.M
        return str(sum(c * pow(x, k, self.M) for k, c in enumerate(self.coefficients)) % self.M)

    def play(self) -> Player:
        """Ask for the values at 0, 1, ..., D, and interpolate."""
        points, found = range(self.D + 1), [0] * (self.D + 1)
        for x in points:
            [value] = numbers_in((yield f"ask {x}"))
            basis, scale = [1], value
            for other in points:
                if other != x:
                    basis = product(basis, [-other, 1], self.M)
                    scale = scale * pow(x - other, -1, self.M) % self.M
            found = [(a + scale * b) % self.M for a, b in zip(found, basis, strict=True)]
        yield f"answer {spaced(found)}"
