from fractions import Fraction
from math import comb
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.modular import residue
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import exact_residue
from rlve.sampling.rejection import spread
from rlve.work import Work, fraction_mod, is_easy, multiply_fractions

PRIME = 998_244_353


class Cube_FixedLocalMaximumCounting(Environment[int]):
    """Find the probability that a random filling of a box has a given number of dominant cells.

    At the lowest levels, the few answers are about equally likely.
    """

    MAX_N_M_L: int
    N: int
    M: int
    L: int
    K: int
    reference_answer: int

    max_difficulty = 45  # at 55, generating a problem takes too long

    template = """
        A box consists of {N} * {M} * {L} cells (x, y, z) with 1 <= x <= {N}, 1 <= y <= {M} and
        1 <= z <= {L}. The integers from 1 to {cells} are written into its {cells} cells, one into
        each; all ways to do so are equally likely.

        A cell is dominant if its number is larger than the number of every other cell that has the
        same x, or the same y, or the same z as this cell.

        What is the probability that exactly {K} cells are dominant?
        It is a fraction p/q. Give it modulo the prime {prime}: the integer r with
        0 <= r < {prime} for which q * r and p leave the same remainder when divided by {prime},
        that is, p times the modular inverse of q.

        Output format: one integer, r.
        """

    def prompt(self) -> str:
        return self.fill(cells=self.N * self.M * self.L, prime=PRIME)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N_M_L": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N_M_L: int) -> Self:
        def draw() -> Self:
            N, M, L = (rng.randint(2, MAX_N_M_L) for _ in range(3))
            K = rng.randint(2, min(N, M, L))
            gold = residue(probability(N, M, L, K), PRIME)
            return cls(MAX_N_M_L=MAX_N_M_L, N=N, M=M, L=L, K=K, reference_answer=gold)

        return spread(rng, draw, by=lambda problem: problem.reference_answer)

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact_residue(answer, self.reference_answer, PRIME)

    def work(self) -> Work[str | None]:
        sides, whole = (self.N, self.M, self.L), self.N * self.M * self.L
        most = min(sides)
        yield "Let e(i) be the expected number of sets of i dominant cells. List a set from its"
        yield "smallest number up. No two cells share a coordinate, and each is the largest of the"
        yield "c cells that share one with it or with those before it: a chance of 1 / c, however"
        yield "the others are ordered. So e(i) is e(i - 1) times the choices of a cell, over c."
        expected = [Fraction(1)]
        for i in range(1, most + 1):
            x, y, z = (side - i + 1 for side in sides)
            choices, free = x * y * z, (x - 1) * (y - 1) * (z - 1)
            factor = Fraction(choices, whole - free)
            reduced = f" = {factor}" if factor.denominator < whole - free else ""
            yield (
                f"i = {i}: {x} * {y} * {z} = {choices} choices; {x - 1} * {y - 1} * {z - 1} = "
                f"{free} share none, c = {whole} - {free} = {whole - free}; "
                f"{choices}/{whole - free}{reduced}"
            )
            expected.append(
                factor if i == 1 else (yield from multiply_fractions(expected[-1], factor))
            )
            yield f"So e({i}) = {expected[-1]}"
        yield f"At most {most} cells can be dominant, as no two of them share a coordinate."
        chances = {most: expected[most]}
        if most > self.K:
            yield "Let P(m) be the chance of exactly m: then e(i) counts C(m, i) sets of i of them."
            yield f"P({most}) is e({most})"
        for i in range(most - 1, self.K - 1, -1):
            yield f"P({i}) is e({i})" + "".join(f" - C({m}, {i}) * P({m})" for m in chances)
            chances[i] = expected[i]
            for m in range(most, i, -1):
                part = yield from multiply_fractions(Fraction(comb(m, i)), chances[m])
                if not is_easy("-", chances[i], part):
                    return None
                yield f"{chances[i]} - {part} = {chances[i] - part}"
                chances[i] -= part
        yield f"So the probability is {chances[self.K]}"
        r = yield from fraction_mod(*chances[self.K].as_integer_ratio(), PRIME)
        yield f"So r = {r}"
        return str(r)


def probability(N: int, M: int, L: int, K: int) -> Fraction:
    """From the expected numbers of sets of i dominant cells, i >= K, by inclusion and exclusion."""
    whole = N * M * L
    sets, total = Fraction(1), Fraction(0)  # sets: the expected number of sets of i dominant cells
    for i in range(min(N, M, L) + 1):
        if i:
            free = (N - i) * (M - i) * (L - i)  # cells that share no coordinate with the i cells
            sets *= Fraction((N - i + 1) * (M - i + 1) * (L - i + 1), whole - free)
        if i >= K:
            total += (-1) ** (i - K) * comb(i, K) * sets
    return total
