from collections import Counter
from itertools import combinations
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.grids import prefix_sums
from rlve.answers import integer
from rlve.foundation.pictures import Grid
from rlve.rewards import closeness
from rlve.text import grid, spaced
from rlve.work import Work


class SubmatrixSumDivisibleCounting(Environment[int]):
    """Count the contiguous submatrices whose sum is divisible by K."""

    MAX_N_M: int
    N: int
    M: int
    K: int
    matrix: list[list[int]]
    reference_answer: int

    max_difficulty = 100  # at 125, a prompt exceeds 32,000 characters
    picture = Grid("matrix")

    template = """
        A matrix has {N} rows and {M} columns:

        {matrix}

        Count its non-empty contiguous rectangular submatrices in which the sum of all entries is
        divisible by {K}. A sum of 0 is divisible. Submatrices at different positions or of
        different sizes count separately; single cells and the whole matrix are submatrices too.

        Output format: one integer, the number of submatrices, which can be 0.
        """

    def prompt(self) -> str:
        return self.fill(matrix=grid(self.matrix))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N_M": d + 3}]

    @classmethod
    def sample(cls, rng: Random, MAX_N_M: int) -> Self:
        N, M = rng.randint(2, MAX_N_M), rng.randint(2, MAX_N_M)
        K = rng.randint(2, N * M)
        matrix = [[rng.randrange(K) for _ in range(M)] for _ in range(N)]
        return cls(
            MAX_N_M=MAX_N_M,
            N=N,
            M=M,
            K=K,
            matrix=matrix,
            reference_answer=divisible_submatrices(matrix, K),
        )

    def parse(self, text: str) -> int:
        return integer(text, low=0)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10

    def work(self) -> Work[str]:
        yield "For each range of rows (from 0), add up its columns; then add these up from the"
        yield f"left, from 0 on. Take off {self.K} when a sum reaches it. A submatrix has a sum"
        yield f"divisible by {self.K} exactly if the two sums that bound it are equal: count the"
        yield "equal ones before each."
        total = 0
        for top in range(self.N):
            columns = self.matrix[top]
            for bottom in range(top, self.N):
                yield f"Rows {top} to {bottom}:"
                if bottom > top:
                    columns = yield from add_pairs("Columns", columns, self.matrix[bottom], self.K)
                sums = [0, *(sum(columns[: j + 1]) % self.K for j in range(self.M))]
                yield from add_pairs("Sums", sums[:-1], columns, self.K)
                equal = [sums[:j].count(x) for j, x in enumerate(sums)]
                terms = " + ".join(str(count) for count in (total, *equal) if count)
                total += sum(equal)
                result = f"total {terms} = {total}" if "+" in terms else f"total {total}"
                yield f"Of {spaced(sums)}, equal before {spaced(equal)}, {result}"
        yield f"So the number of submatrices is {total}"
        return str(total)


def add_pairs(label: str, first: list[int], second: list[int], K: int) -> Work[list[int]]:
    """The sums of the numbers at each position, mod K."""
    pairs = list(zip(first, second, strict=True))
    yield f"{label}: " + ", ".join(
        f"{x} + {y} - {K} = {x + y - K}" if x + y >= K else f"{x} + {y} = {x + y}" for x, y in pairs
    )
    return [(x + y) % K for x, y in pairs]


def divisible_submatrices(matrix: list[list[int]], K: int) -> int:
    """Between two rows, any two equal prefix sums modulo K bound a divisible submatrix."""
    total = 0
    for above, below in combinations(prefix_sums(matrix), 2):
        residues = Counter((y - x) % K for x, y in zip(above, below, strict=True))
        total += sum(count * (count - 1) // 2 for count in residues.values())
    return total
