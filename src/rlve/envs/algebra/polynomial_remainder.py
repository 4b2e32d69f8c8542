from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.polynomials import expanded
from rlve.answers import integers
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.text import listed, spaced
from rlve.work import Work, state

MAX_COEFFICIENT = 5


class PolynomialRemainder(Environment[list[int]]):
    """Find the remainder when one polynomial is divided by another."""

    N: int  # the degree of P
    M: int  # the degree of Q
    Q_coeffs: list[int]  # of x^i at index i, here and below
    R_coeffs: list[int]  # the quotient
    S_coeffs: list[int]  # the remainder
    P_coeffs: list[int]
    reference_answer: str

    max_difficulty = 45  # at 57, a prompt exceeds 32,000 characters

    template = """
        P and Q are two polynomials, P of degree {N} and Q of degree {M}:

        P(x) = {P}
        Q(x) = {Q}

        There are unique polynomials R and S with P(x) = Q(x) * R(x) + S(x) where the degree of S is
        less than {M}. Find S. Its coefficients are integers; let s_i be that of x^i.

        Output format: one line with {listed}, the constant term first, separated by spaces.
        Coefficients that are 0 are written, too.
        """

    def prompt(self) -> str:
        return self.fill(
            P=expanded(self.P_coeffs),
            Q=expanded(self.Q_coeffs),
            listed=listed("s_{}", 0, self.M - 1),
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        N = grow(3, d)
        shares = {int(N * share) for share in (0.1, 0.3, 0.5, 0.7, 0.9)}
        degrees = {M for M in (2, 3, 4, 5) if M <= N} | {M for M in shares if M >= 2}
        return [{"N": N, "M": M} for M in sorted(degrees)]

    @classmethod
    def sample(cls, rng: Random, N: int, M: int) -> Self:
        Q = random_coefficients(rng, M)
        Q.append(rng.randint(1, MAX_COEFFICIENT))
        R = random_coefficients(rng, N - M)
        R.append(rng.randint(1, MAX_COEFFICIENT))
        S = random_coefficients(rng, M)
        P = [*S, *([0] * (N - M + 1))]
        for i, q in enumerate(Q):
            for j, r in enumerate(R):
                P[i + j] += q * r
        return cls(
            N=N,
            M=M,
            Q_coeffs=Q,
            R_coeffs=R,
            S_coeffs=S,
            P_coeffs=P,
            reference_answer=spaced(S),
        )

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if len(answer) != self.M:
            return INVALID
        right = sum(s == gold for s, gold in zip(answer, self.S_coeffs, strict=True))
        return ratio(right, self.M) ** 10

    def work(self) -> Work[str]:
        yield "Long division, highest power first: take away multiples of Q."
        Q, left = self.Q_coeffs[::-1], self.P_coeffs[::-1]
        yield state("Q", Q)
        yield state("P", left)
        while len(left) > self.M:
            factor = left[0] // Q[0]
            yield f"{left[0]} / {Q[0]} = {factor}"
            after: list[int] = []
            steps: list[str] = []
            for p, q in zip(left[1:], Q[1:], strict=False):
                if factor and q:
                    sign = "-" if factor > 0 else "+"
                    steps.append(f"{p} {sign} {abs(factor)} * {q} = {p - factor * q}")
                after.append(p - factor * q)
            if steps:
                yield ", ".join(steps)
            left = [*after, *left[len(Q) :]]
            yield state("Left", left)
        yield state("So the remainder is, constant term first", left[::-1])
        return spaced(left[::-1])


def random_coefficients(rng: Random, count: int) -> list[int]:
    return [rng.randint(-MAX_COEFFICIENT, MAX_COEFFICIENT) for _ in range(count)]
