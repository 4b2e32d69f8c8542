from itertools import accumulate
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import exact_residue
from rlve.text import counted
from rlve.work import Work, modulo


class InversionPairK_Counting(Environment[int]):
    """Count the permutations with a given number of inversions."""

    N: int
    K: int
    MOD: int
    reference_answer: int

    max_difficulty = 25  # at 33, generating a problem takes too long

    template = """
        A permutation of 1 to {N} contains each of the integers from 1 to {N} exactly once.
        An inversion of a permutation a is a pair of positions i < j with a[i] > a[j].

        How many permutations of 1 to {N} have exactly {inversions}? Give the number modulo {MOD}.

        Output format: one integer from 0 to {largest}.
        """

    def prompt(self) -> str:
        return self.fill(inversions=counted(self.K, "inversion"), largest=self.MOD - 1)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        K = rng.randint(0, N * (N - 1) // 2)
        MOD = rng.randint(2, 1_000_000)
        return cls(N=N, K=K, MOD=MOD, reference_answer=permutations_with(N, K) % MOD)

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact_residue(answer, self.reference_answer, self.MOD)

    def work(self) -> Work[str | None]:
        yield "Row n counts the permutations of 1 to n with 0, 1, 2, ... inversions. If n is put"
        yield "into a permutation of 1 to n - 1, its place adds 0 to n - 1 inversions. So an entry"
        yield "is the sum of n entries above it, up to its own place: the entry before it, plus the"
        yield "one above, less the one n places before that one."
        row = [1]
        yield "Row 1: 1"
        for n in range(2, self.N + 1):
            above, row, shown = row, list[int](), list[str]()
            for k in range(min(self.K, n * (n - 1) // 2) + 1):
                terms = [row[-1]] if row else []
                terms += [above[k]] if k < len(above) else []
                less = above[k - n] if k >= n else 0
                row.append(sum(terms) - less)
                if row[-1] > 9999:
                    return None  # too long for the head
                text = " + ".join(map(str, terms)) + (f" - {less}" if less else "")
                shown.append(f"{text} = {row[-1]}" if len(terms) > 1 or less else text)
            yield f"Row {n}: {', '.join(shown)}"
        yield f"Row {self.N} has {row[self.K]} for {counted(self.K, 'inversion')}"
        if row[self.K] < self.MOD:
            return str(row[self.K])
        return str((yield from modulo(row[self.K], self.MOD)))


def permutations_with(n: int, inversions: int) -> int:
    """The number of permutations of 1 .. n that have this many inversions.

    Inserting the integer i into a permutation of the smaller ones adds 0 .. i-1 inversions.
    """
    counts = [1, *[0] * inversions]
    for i in range(2, n + 1):
        sums = list(accumulate(counts))
        counts = [x - y for x, y in zip(sums, [*[0] * i, *sums], strict=False)]
    return counts[inversions]
