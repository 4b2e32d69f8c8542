from itertools import combinations, pairwise
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.arrays import increasing_lengths
from rlve.answers import integer_rows, pairs
from rlve.foundation.pictures import Bars
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import prefer
from rlve.text import counted, grid, indexed
from rlve.work import Work, state


class Cornfield(Environment[list[tuple[int, int]]]):
    """Lengthen the longest non-decreasing subsequence by adding 1 to intervals.

    Arrays that no operation improves are redrawn.
    """

    N: int
    H: list[int]
    K: int
    gold_answer: int  # the greatest length of a non-decreasing subsequence

    max_difficulty = 30  # at 36, generating a problem takes too long
    unique_up_to = None  # several answers can be right
    picture = Bars("H")

    template = """
        An array H has {N} integers, numbered from 0 to {last}:

        {H}

        An operation picks L and R with 0 <= L <= R <= {last} and adds 1 to each of H[L] to H[R].
        Use at most {operations}; the same L and R can be picked again.

        A non-decreasing subsequence consists of elements, not necessarily adjacent, in their order,
        none of which is smaller than the one before it. Make the longest one of the resulting array
        as long as possible. If several ways are best, any of them is right.

        Output format: one line per operation, with L and R, separated by a space. For no operation
        at all, leave the answer empty.
        """

    def prompt(self) -> str:
        return self.fill(
            last=self.N - 1, H=indexed("H", self.H), operations=counted(self.K, "operation")
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> Self:
            H = [rng.randint(1, 2 * N) for _ in range(N)]
            descent = sum(max(a - b, 0) for a, b in pairwise(H))
            K = rng.randint(1, max(1, min(N, descent)))
            return cls(N=N, H=H, K=K, gold_answer=max(map(max, lengths(H, K))))

        return prefer(draw, until=lambda problem: problem.gold_answer > score_of(problem.H))

    def parse(self, text: str) -> list[tuple[int, int]]:
        return [pair for row in integer_rows(text, columns=2) for pair in pairs(row)]

    def score(self, answer: list[tuple[int, int]]) -> float:
        if len(answer) > self.K or not all(0 <= L <= R < self.N for L, R in answer):
            return INVALID
        H = list(self.H)
        for L, R in answer:
            for i in range(L, R + 1):
                H[i] += 1
        return ratio(score_of(H), self.gold_answer) ** 5

    def reference(self) -> str:
        starts = best_starts(self.H, self.K)
        return grid((start, self.N - 1) for start in starts)

    def work(self) -> Work[str]:
        yield "Let all intervals reach the right end: raising all later elements, too, breaks no"
        yield "subsequence. Then each fall in one needs operations of its own, as many as its size."
        yield "These are the falls, by indices:"
        falls = {(i, j): max(0, self.H[i] - self.H[j]) for i, j in combinations(range(self.N), 2)}
        yield (
            ", ".join(
                f"{i} to {j}: {self.H[i]} - {self.H[j]} = {fall}"
                for (i, j), fall in falls.items()
                if fall
            )
            or "none"
        )
        yield "Row n has, for each last index, the least total fall of a subsequence of n elements."
        yield f"Go on while the least of a row is at most {self.K}, the number of operations."
        row = {i: (0, [i]) for i in range(self.N)}
        best = [0]
        yield state("Row 1", (0 for _ in row))
        for n in range(2, self.N + 1):
            after: dict[int, tuple[int, list[int]]] = {}
            shown: list[str] = []
            for j in range(n - 1, self.N):
                before = [i for i in row if i < j]
                total, i = min((row[i][0] + falls[i, j], i) for i in before)
                terms = ", ".join(f"{row[i][0]} + {falls[i, j]}" for i in before)
                shown.append(f"{j}: {f'min({terms})' if len(before) > 1 else terms} = {total}")
                after[j] = total, [*row[i][1], j]
            yield f"Row {n}, index {'; '.join(shown)}"
            least, chain = min(after.values(), key=lambda entry: entry[0])
            if least > self.K:
                yield f"The least is {least} > {self.K}: too much"
                break
            row, best = after, chain
        yield state(f"Back from the least entry of row {len(best)}, by indices", best)
        starts: list[int] = []
        for i, j in pairwise(best):
            starts += [j] * falls[i, j]
            if falls[i, j]:
                operations = counted(falls[i, j], "operation")
                yield f"{operations} from {j} to {self.N - 1} for the fall from {i} to {j}"
        yield state("Left ends of the operations", starts)
        return grid((start, self.N - 1) for start in starts)


def score_of(H: list[int]) -> int:
    return max(increasing_lengths(H, strictly=False))


def lengths(H: list[int], K: int) -> list[list[int]]:
    """[i][j]: the longest subsequence that ends at i, when j intervals have begun by then.

    Intervals that reach the right end are as good as any. So (i, j), which has height H[i] + j, can
    follow any (i', j') with i' < i, j' <= j and no greater height.
    """
    import numpy as np

    boosts = np.arange(K + 1)
    longest = np.zeros((K + 1, max(H) + K + 1), dtype=np.int64)  # [boosts, height], at most
    table: list[list[int]] = []
    for h in H:
        here = longest[boosts, h + boosts] + 1
        ending_here = np.zeros_like(longest)
        ending_here[boosts, h + boosts] = here
        for axis in (0, 1):
            np.maximum.accumulate(ending_here, axis=axis, out=ending_here)
        np.maximum(longest, ending_here, out=longest)
        table.append(here.tolist())
    return table


def best_starts(H: list[int], K: int) -> list[int]:
    """The left ends of intervals, all with the right end N - 1, that give the largest score."""
    table = lengths(H, K)
    length, j, i = max((table[i][j], -j, i) for i in range(len(H)) for j in range(K + 1))
    j = -j  # the fewest, among equals
    boosts = {i: j}  # at the positions of the subsequence
    while length > 1:
        length -= 1
        i, j = next(
            (i2, j2)
            for i2 in range(i)
            for j2 in range(j + 1)
            if table[i2][j2] == length and H[i2] + j2 <= H[i] + j
        )
        boosts[i] = j
    steps = pairwise([(0, 0), *sorted(boosts.items())])
    return [position for (_, fewer), (position, more) in steps for _ in range(more - fewer)]
