from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integers
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.text import lines, spaced
from rlve.work import Work, state


class SalesmanFatigue(Environment[list[int]]):
    """For each k, choose k pairs to maximise the sum of their A plus twice their largest S."""

    N: int
    S: list[int]  # non-decreasing
    A: list[int]
    gold_answer: list[int]  # for k = 1, 2, ..., N
    reference_answer: str

    max_difficulty = 45  # at 55, a prompt exceeds 32,000 characters

    template = """
        There are {N} pairs (S[i], A[i]), numbered from 0 to {last}. They are sorted by S, so that S
        never decreases.

        {pairs}

        For each k from 1 to {N}, choose k different indices such that the value
        2 * (largest chosen S[i]) + (sum of all chosen A[i]) is as large as possible.

        Output format: one line with the {N} largest values, for k = 1 to {N} in this order,
        separated by spaces.
        """

    def prompt(self) -> str:
        items = zip(self.S, self.A, strict=True)
        pairs = lines(f"S[{i}]={s} A[{i}]={a}" for i, (s, a) in enumerate(items))
        return self.fill(last=self.N - 1, pairs=pairs)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        S = sorted(rng.randint(1, max(1, N * N // 2)) for _ in range(N))
        A = [rng.randint(1, N) for _ in range(N)]
        gold = largest_values(S, A)
        return cls(N=N, S=S, A=A, gold_answer=gold, reference_answer=spaced(gold))

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if len(answer) != self.N:
            return INVALID
        right = sum(x == gold for x, gold in zip(answer, self.gold_answer, strict=True))
        return ratio(right, self.N) ** 5

    def work(self) -> Work[str]:
        yield "Sort the pairs by A, the largest first, and number them anew from 1. The first k"
        yield "have the largest sum of A; a later pair can only be better for a larger S. As only"
        yield "the largest S counts, one later pair is enough, in place of pair k. So choose the"
        yield "first k - 1, whose A add up to T, and the better of two: pair k, which adds its A"
        yield "and twice the largest S of the first k, or the largest V = 2 * S + A of pairs k and"
        yield "later."
        pairs = sorted(zip(self.A, self.S, strict=True), reverse=True)
        values = [2 * s + a for a, s in pairs]
        for k, (a, s) in enumerate(pairs, 1):
            yield f"Pair {k}: A = {a}, S = {s}, V = 2 * {s} + {a} = {2 * s + a}"
        answers: list[int] = []
        total = 0
        for k, (a, _) in enumerate(pairs, 1):
            farthest, later = max(s for _, s in pairs[:k]), max(values[k - 1 :])
            last = a + 2 * farthest
            answers.append(total + max(last, later))
            yield (
                f"k = {k}: largest S {farthest}, {a} + 2 * {farthest} = {last}, largest V left "
                f"{later}, T + max({last}, {later}) = {total} + {max(last, later)} = {answers[-1]}"
            )
            if k < self.N:
                yield f"T = {total} + {a} = {total + a}"
            total += a
        yield state("Largest values", answers)
        return spaced(answers)


def largest_values(S: list[int], A: list[int]) -> list[int]:
    """The k pairs with the largest A or, in place of the last of them, the best other pair."""
    pairs = sorted(zip(A, S, strict=True), reverse=True)
    best_later = [2 * s + a for a, s in pairs]  # from each pair on
    for i in reversed(range(len(pairs) - 1)):
        best_later[i] = max(best_later[i], best_later[i + 1])
    values: list[int] = []
    total = farthest = 0
    for (a, s), later in zip(pairs, best_later, strict=True):
        values.append(max(total + a + 2 * max(farthest, s), total + later))
        total += a
        farthest = max(farthest, s)
    return values
