from itertools import pairwise
from math import sqrt
from random import Random
from typing import TYPE_CHECKING, Self, TypeAlias

from rlve import Environment, Level
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import exact_residue
from rlve.sampling.rejection import prefer, redraw
from rlve.text import indexed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Table: TypeAlias = NDArray[np.int64]

MAX_MOD = 10_000


class GridColoringCounting(Environment[int]):
    """Count the partial colourings of a grid with one colour per row and column, modulo a number.

    Instances are redrawn until the answer is not 0, so most have few colours or few cells. Those
    with one colour, which are many and for which the rule about rows and columns is void, are
    redrawn up to twice.
    """

    MAX_N_M: int
    N: int
    M: int
    C: int
    Xs: list[int]  # how many cells each colour has
    MOD: int
    reference_answer: int

    max_difficulty = 25  # at 35, generating a problem takes too long

    template = """
        Each cell of a grid with {N} rows and {M} columns is left uncoloured or painted with one
        colour. The number of colours is {C}, and they are numbered from 0. Both of these must hold:
        - no row and no column contains cells of two different colours (uncoloured cells do not
          matter);
        - for every colour i, exactly X[i] cells have colour i.

        X: {X}

        Count the ways to paint the grid. All cells are distinguishable: ways that differ in some
        cell are different, even if one can be turned or mirrored into the other. Give their number
        modulo {MOD}.

        Output format: one integer from 0 to {last}.
        """

    def prompt(self) -> str:
        return self.fill(X=indexed("X", self.Xs), last=self.MOD - 1)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N_M": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N_M: int) -> Self:
        return redraw(
            lambda: cls.draw(rng, MAX_N_M), until=lambda problem: problem.reference_answer > 0
        )

    @classmethod
    def draw(cls, rng: Random, MAX_N_M: int) -> Self:
        N, M, Xs = prefer(
            lambda: fitting_requirement(rng, MAX_N_M),
            until=lambda drawn: len(drawn[2]) > 1,
            tries=3,
        )
        MOD = rng.randint(2, MAX_MOD)
        gold = paintings(N, M, Xs, MOD)
        return cls(MAX_N_M=MAX_N_M, N=N, M=M, C=len(Xs), Xs=Xs, MOD=MOD, reference_answer=gold)

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact_residue(answer, self.reference_answer, self.MOD)


def fitting_requirement(rng: Random, MAX_N_M: int) -> tuple[int, int, list[int]]:
    return redraw(lambda: random_requirement(rng, MAX_N_M), until=lambda drawn: may_fit(*drawn))


def random_requirement(rng: Random, MAX_N_M: int) -> tuple[int, int, list[int]]:
    """The sides of the grid, and a random composition of some number of cells."""
    N, M = rng.randint(2, MAX_N_M), rng.randint(2, MAX_N_M)
    total = rng.randint(1, N * M)
    C = rng.randint(1, min(N, M, total))
    cuts = sorted(rng.sample(range(1, total), C - 1))
    return N, M, [right - left for left, right in pairwise([0, *cuts, total])]


def may_fit(N: int, M: int, Xs: list[int]) -> bool:
    """False only if there is no way to paint the grid.

    If colour i has a[i] rows and b[i] columns, then X[i] <= a[i] * b[i], and by the Cauchy-Schwarz
    inequality the sum of sqrt(a[i] * b[i]) is at most sqrt(N * M).
    """
    return sum(map(sqrt, Xs)) <= sqrt(N * M) + 1e-6


def paintings(N: int, M: int, Xs: list[int], MOD: int) -> int:
    """The number of ways to paint the grid modulo MOD.

    Colour by colour: the ways to paint a grid of every size so that no row or column is empty.
    """
    import numpy as np

    rows, columns = binomials(N, MOD), binomials(M, MOD)
    difference = np.maximum(np.arange(M + 1)[None, :] - np.arange(M + 1)[:, None], 0)
    ways = np.zeros((N + 1, M + 1), dtype=np.int64)
    ways[0, 0] = 1
    for x in Xs:
        single = placements(N, M, x, MOD)
        extended = np.zeros_like(ways)
        for a in range(1, min(N, x) + 1):
            # From r to s columns: the colour's own can be any s - r of them.
            widen = columns.T * single[a][difference] % MOD
            extended[a:] += rows[a:, a, None] * (ways[: N + 1 - a] @ widen % MOD)
        ways = extended % MOD
    return int((rows[N] @ (ways @ columns[M] % MOD)) % MOD)


def placements(N: int, M: int, x: int, MOD: int) -> "Table":
    """The ways to choose x cells of an a by b grid that leave no row and no column empty.

    Inclusion and exclusion over the rows and columns that are empty.
    """
    import numpy as np

    choices = [0] * (N * M + 1)  # x out of n cells, modulo MOD
    exactly = 1
    for n in range(x, N * M + 1):
        choices[n] = exactly % MOD
        exactly = exactly * (n + 1) // (n + 1 - x)
    cells = np.arange(N + 1)[:, None] * np.arange(M + 1)[None, :]
    table = np.array(choices, dtype=np.int64)[cells]
    table = signed(binomials(N, MOD)) @ table % MOD
    return table @ signed(binomials(M, MOD)).T % MOD


def binomials(n: int, MOD: int) -> "Table":
    """Row i holds the binomial coefficients of i, modulo MOD."""
    import numpy as np

    table = np.zeros((n + 1, n + 1), dtype=np.int64)
    table[:, 0] = 1 % MOD
    for i in range(1, n + 1):
        table[i, 1:] = (table[i - 1, 1:] + table[i - 1, :-1]) % MOD
    return table


def signed(table: "Table") -> "Table":
    """The matrix with the sign of every second entry changed, so that the diagonal is positive."""
    result = table.copy()
    result[1::2, ::2] *= -1
    result[::2, 1::2] *= -1
    return result
