from math import comb
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import closeness
from rlve.work import Work, show_sum


class LDSTwo_Counting(Environment[int]):
    """Count the permutations with one element fixed and no decreasing subsequence of length 3."""

    N: int
    X: int
    Y: int
    reference_answer: int

    max_difficulty = 45  # at 55, answers are too long to parse

    template = """
        Count the permutations A[1], A[2], ..., A[{N}] of the integers 1 to {N} for which

        - A[{X}] = {Y}, and
        - there are no positions a < b < c with A[a] > A[b] > A[c].

        Output format: one integer, the exact count.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(4, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        X, Y = rng.randint(1, N), rng.randint(1, N)
        return cls(N=N, X=X, Y=Y, reference_answer=permutations_without_descents(N, X, Y))

    def parse(self, text: str) -> int:
        return integer(text, low=0)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10

    def work(self) -> Work[str]:
        yield "The rule on a, b, c holds exactly if each element is a new maximum (none before it"
        yield "is larger) or the smallest number not yet used (none after it is smaller)."
        x, y = sorted((self.X, self.Y))
        if self.X > self.Y:
            yield f"Swap positions and values; this keeps the rule on a, b, c. Now A[{x}] = {y}."
        if y == self.N:
            yield f"A[{x}] = {y} is the largest, and so a new maximum."
        else:
            yield f"A[{x}] = {y} is a new maximum: if not, a larger one and all smaller ones would"
            yield f"be before it, {y} or more, but there is room for only {x} - 1 = {x - 1}."
        yield "Row i has the number of ways to place the first i elements, for each maximum m."
        yield "It was kept or raised, so add up the row above up to m: the entry before, plus the"
        yield f"one above. In row {x} it was raised to {y}, so add up only the entries for m < {y}."
        yield "Row 0, only m = 0: 1"
        row = {0: 1}  # by maximum
        for i in range(1, self.N + 1):
            above, row, shown = row, dict[int, int](), list[str]()
            below = [count for m, count in above.items() if m < (y if i == x else i)]
            if i == x:
                row[y] = sum(below)
                yield f"Row {i}, only m = {y}: {show_sum(below)}"
                continue
            for m in range(max(i, min(above)), self.N + 1):
                terms = [row[m - 1]] if row else below
                terms = [*terms, *([above[m]] if m in above else [])]
                row[m] = sum(terms)
                shown.append(show_sum(terms))
            yield f"Row {i}, m from {min(row)}: {', '.join(shown)}"
        return str(row[self.N])


def permutations_without_descents(n: int, x: int, y: int) -> int:
    """The permutations of 1 .. n that map x to y and have no decreasing subsequence of length 3.

    The steps of the prefix maxima are a lattice path from (0, 0) to (n, n) that does not cross the
    diagonal, and they determine the permutation. If x <= y, the path passes from (x - 1, y - 1) to
    (x, y); otherwise that of the inverse permutation does, from (y - 1, x - 1) to (y, x).
    """
    return lattice_paths(x - 1, y - 1) * lattice_paths(n - x, n - y)


def lattice_paths(a: int, b: int) -> int:
    """The lattice paths from (0, 0) to (a, b) that do not cross the diagonal (ballot numbers)."""
    low = min(a, b)
    return comb(a + b, low) - (comb(a + b, low - 1) if low else 0)
