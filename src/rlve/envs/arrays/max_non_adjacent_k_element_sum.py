from itertools import combinations
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integers
from rlve.foundation.pictures import Bars
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import prefer, spread
from rlve.text import indexed, spaced
from rlve.work import Work, state

SHORT = 4


class Max_NonAdjacent_KElementSum(Environment[list[int]]):
    """Choose K elements of an array, no two adjacent, with the largest sum.

    Four elements offer three choices, and often several are best. So arrays with a single best
    choice are preferred, and the best choices of several arrays are made equally likely.
    """

    N: int
    K: int
    A: list[int]
    gold_answer: int  # the largest sum

    max_difficulty = 45  # at 57, generating a problem takes too long
    unique_up_to = None  # several answers can be right
    picture = Bars(answer="positions")

    template = """
        An array A has {N} integers, numbered from 0 to {last}:

        {A}

        Choose exactly {K} different indices such that no two of them are consecutive (differ by 1).
        The array is not circular: the indices 0 and {last} are not consecutive.
        Make the sum of the chosen elements as large as possible. If several choices have the
        largest sum, any of them is right.

        Output format: one line with the {K} chosen indices in any order, separated by spaces.
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1, A=indexed("A", self.A))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(4, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> Self:
            K = rng.randint(2, N // 2)
            A = [rng.randint(1, N) for _ in range(N)]
            return cls(N=N, K=K, A=A, gold_answer=sum(A[i] for i in best_choice(A, K)))

        if N > SHORT:
            return draw()
        return spread(
            rng,
            lambda: prefer(draw, until=lambda problem: len(problem.optima()) == 1),
            by=cls.optima,
        )

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        chosen = set(answer)
        if len(answer) != self.K or len(chosen) != self.K:
            return INVALID
        if not all(0 <= i < self.N and i + 1 not in chosen for i in chosen):
            return INVALID
        return ratio(sum(self.A[i] for i in chosen), self.gold_answer) ** 5

    def reference(self) -> str:
        return spaced(best_choice(self.A, self.K))

    def optima(self) -> tuple[tuple[int, ...], ...]:
        """All best choices from a short array."""
        choices = combinations(range(self.N), self.K)
        return tuple(indices for indices in choices if self.score(list(indices)) == 1)

    def work(self) -> Work[str]:
        yield "Row k, entry n: the largest sum of k of the first n elements, no two consecutive."
        yield "Without the last of these n, it is entry n - 1; with it, that element plus entry"
        yield "n - 2 of row k - 1. Row 0 is all 0."
        rows: list[dict[int, int]] = [dict.fromkeys(range(-1, self.N + 1), 0)]
        for k in range(1, self.K + 1):
            row: dict[int, int] = {}
            shown: list[str] = []
            for n in range(2 * k - 1, self.N + 1):
                chosen = f"{rows[k - 1][n - 2]} + {self.A[n - 1]}"
                row[n] = rows[k - 1][n - 2] + self.A[n - 1]
                if n - 1 in row:
                    chosen = f"max({row[n - 1]}, {chosen})"
                    row[n] = max(row[n - 1], row[n])
                shown.append(f"{chosen} = {row[n]}")
            yield f"Row {k}, from entry {2 * k - 1}: {', '.join(shown)}"
            rows.append(row)
        indices: list[int] = []
        n = self.N
        for k in range(self.K, 0, -1):
            n = next(m for m in sorted(rows[k]) if rows[k][m] == rows[k][n])
            yield f"Row {k} has {rows[k][n]} first in entry {n}: take index {n - 1}"
            indices.append(n - 1)
            n -= 2
            if k > 1:
                yield f"Before it, up to entry {n} of row {k - 1}:"
        yield state("Indices", indices)
        return spaced(indices)


def best_choice(A: list[int], K: int) -> list[int]:
    """The indices, by dynamic programming over prefixes and the number of chosen elements."""
    impossible = -1
    best = [[0] + [impossible] * K for _ in range(len(A) + 2)]  # [n + 1][k]: k of the first n
    for n, value in enumerate(A, 1):
        for k in range(1, K + 1):
            with_last = best[n - 1][k - 1]
            best[n + 1][k] = max(
                best[n][k], impossible if with_last == impossible else with_last + value
            )
    chosen: list[int] = []
    n = len(A)
    for k in range(K, 0, -1):
        while best[n + 1][k] == best[n][k]:
            n -= 1
        chosen.append(n - 1)
        n -= 2
    return chosen[::-1]
