from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.modular import extended_gcd
from rlve.answers import integer
from rlve.rewards import closeness
from rlve.sampling.rejection import prefer
from rlve.text import weighted

UNPLANTED = 0.05  # the probability that no solution is planted


class BinaryLinearEquation_SolutionCounting(Environment[int]):
    """Count the integer solutions of a linear equation in two unknowns within a box.

    At any level, two in five draws have exactly one solution and one in five has two, so an
    equation with at most two solutions is redrawn up to twice.
    """

    MAX_RANGE: int
    A: int
    B: int
    C: int
    X1: int
    X2: int
    Y1: int
    Y2: int
    reference_answer: int

    max_difficulty = 1_000  # the highest difficulty measured

    template = """
        Count the pairs of integers (x, y) such that

        {sum} = 0

        with {X1} <= x <= {X2} and {Y1} <= y <= {Y2}.

        Output format: one non-negative integer, the number of pairs.
        """

    def prompt(self) -> str:
        return self.fill(sum=weighted([(self.A, "x"), (self.B, "y"), (self.C, "")]))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_RANGE": 8 * 2**d}]

    @classmethod
    def sample(cls, rng: Random, MAX_RANGE: int) -> Self:
        return prefer(lambda: cls.draw(rng, MAX_RANGE), lambda p: p.reference_answer > 2, tries=3)

    @classmethod
    def draw(cls, rng: Random, MAX_RANGE: int) -> Self:
        K = MAX_RANGE
        A, B = rng.randint(-K, K), rng.randint(-K, K)
        if rng.random() < UNPLANTED:
            x_low, y_low = rng.randint(-K, K), rng.randint(-K, K)
            x_range, y_range = (x_low, rng.randint(x_low, K)), (y_low, rng.randint(y_low, K))
            constant = rng.randint(-2 * K * K, 2 * K * K)
        else:
            x, y = rng.randint(-K, K), rng.randint(-K, K)
            x_range = rng.randint(-K, x), rng.randint(x, K)
            y_range = rng.randint(-K, y), rng.randint(y, K)
            constant = -(A * x + B * y)
        return cls(
            MAX_RANGE=MAX_RANGE,
            A=A,
            B=B,
            C=constant,
            X1=x_range[0],
            X2=x_range[1],
            Y1=y_range[0],
            Y2=y_range[1],
            reference_answer=count_solutions(A, B, constant, x_range, y_range),
        )

    def parse(self, text: str) -> int:
        return integer(text, low=0)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10


def count_solutions(
    A: int, B: int, C: int, x_range: tuple[int, int], y_range: tuple[int, int]
) -> int:
    """The number of integer points of A*x + B*y + C = 0 in a box that is not empty."""
    (X1, X2), (Y1, Y2) = x_range, y_range
    if A == 0 and B == 0:
        return (X2 - X1 + 1) * (Y2 - Y1 + 1) if C == 0 else 0
    g, u, v = extended_gcd(A, B)
    if C % g:
        return 0
    # All solutions are (x, y) + t * (B/g, -A/g).
    x, y = -C // g * u, -C // g * v
    bounds = [multiples(X1 - x, X2 - x, B // g), multiples(Y1 - y, Y2 - y, -A // g)]
    limits = [bound for bound in bounds if bound is not None]
    return max(0, min(high for _, high in limits) - max(low for low, _ in limits) + 1)


def multiples(low: int, high: int, step: int) -> tuple[int, int] | None:
    """The first and last t with low <= t*step <= high; None if every t is, (0, -1) if none is."""
    if step == 0:
        return None if low <= 0 <= high else (0, -1)
    if step < 0:
        low, high, step = -high, -low, -step
    return -(-low // step), high // step
