from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.arrays import is_permutation
from rlve.algorithms.assignment import lightest_assignment
from rlve.answers import integers
from rlve.foundation.pictures import Grid
from rlve.rewards import INVALID, ratio
from rlve.text import indexed, lines, spaced


class MinPairSumMultiplicationPermutation(Environment[list[int]]):
    """Choose one entry per row and column so that the product of two sums is smallest."""

    N: int
    A: list[list[int]]
    B: list[list[int]]
    gold_answer: int  # the smallest product

    max_difficulty = 25  # at 33, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right
    picture = (Grid("A", answer="columns"), Grid("B", answer="columns"))

    template = """
        A and B are two {N} x {N} matrices, with rows and columns numbered from 0 to {last}:

        {A}

        {B}

        Find a permutation P of the integers 0 to {last} such that the product
        (A[0][P[0]] + A[1][P[1]] + ... + A[{last}][P[{last}]])
        * (B[0][P[0]] + B[1][P[1]] + ... + B[{last}][P[{last}]])
        is as small as possible. If several permutations have the smallest product, any of them is
        right.

        Output format: one line with P[0] to P[{last}] in this order, separated by spaces.
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1, A=written("A", self.A), B=written("B", self.B))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 3 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        A, B = ([[rng.randint(1, N) for _ in range(N)] for _ in range(N)] for _ in "AB")
        sum_a, sum_b = sums(A, B, best_permutation(A, B))
        return cls(N=N, A=A, B=B, gold_answer=sum_a * sum_b)

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if not is_permutation(answer, self.N):
            return INVALID
        sum_a, sum_b = sums(self.A, self.B, answer)
        return ratio(self.gold_answer, sum_a * sum_b) ** 5

    def reference(self) -> str:
        return spaced(best_permutation(self.A, self.B))


def written(name: str, matrix: list[list[int]]) -> str:
    return lines(indexed(f"{name}[{i}]", row) for i, row in enumerate(matrix))


def sums(A: list[list[int]], B: list[list[int]], columns: list[int]) -> tuple[int, int]:
    sum_a = sum(row[j] for row, j in zip(A, columns, strict=True))
    sum_b = sum(row[j] for row, j in zip(B, columns, strict=True))
    return sum_a, sum_b


def best_permutation(A: list[list[int]], B: list[list[int]]) -> list[int]:
    """The permutation for which the product of the sums is smallest.

    Seen as points (sum of A, sum of B), some best one is a corner of the lower left convex hull of
    all permutations, as a product is concave along a side. Each corner minimises a weighted sum.
    """
    permutations: dict[tuple[int, int], list[int]] = {}

    def lowest(a: int, b: int) -> tuple[int, int]:
        """The point for which a * (sum of A) + b * (sum of B) is smallest."""
        weighted = [
            [a * x + b * y for x, y in zip(*rows, strict=True)] for rows in zip(A, B, strict=True)
        ]
        columns = lightest_assignment(weighted) or []
        point = sums(A, B, columns)
        permutations[point] = columns
        return point

    beyond = 1 + sum(map(max, A)) + sum(map(max, B))  # decides a tie by the other sum
    sides = [(lowest(beyond, 1), lowest(1, beyond))]
    while sides:
        p, q = sides.pop()
        a, b = p[1] - q[1], q[0] - p[0]
        corner = lowest(a, b)
        if a * corner[0] + b * corner[1] < a * p[0] + b * p[1]:
            sides += [(p, corner), (corner, q)]
    sum_a, sum_b = min(permutations, key=lambda point: point[0] * point[1])
    return permutations[sum_a, sum_b]
