from itertools import combinations, pairwise
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer_rows
from rlve.rewards import INVALID, ratio
from rlve.text import counted, grid, lines, spaced
from rlve.work import Work, search, state

FORBIDDEN = -0.2  # the reward of sets that contain a forbidden integer


class HungryRabbit(Environment[list[list[int]]]):
    """Find a sequence of sets that avoids forbidden integers and changes little from set to set.

    Every such sequence is right.
    """

    MAX_N_M: int
    N: int  # the integers are 1, 2, ..., N
    M: int  # the number of sets
    K: int  # their size
    L: int  # how many elements may change from one set to the next
    forbidden: list[list[int]]
    reference_answer: str

    max_difficulty = 200  # at 270, answers are too long to parse
    unique_up_to = None  # several answers can be right

    template = """
        Find {M} sets S(1) to S({M}), each of exactly {K} different integers from 1 to {N}.

        S(i) must not contain any of the integers that are forbidden for it:

        {forbidden}

        The sets must change slowly: for each i from 2 to {M}, the number of elements of S(i) that
        are not in S(i-1) must be at most {L}. There are such sets; if there are several ways to
        choose them, any of them is right.

        Output format: {M} lines, the sets S(1) to S({M}) in this order. Each line has the {K}
        integers of one set in any order, separated by spaces.
        """

    def prompt(self) -> str:
        sets = enumerate(self.forbidden, start=1)
        return self.fill(forbidden=lines(f"forbidden for S({i}): {spaced(f)}" for i, f in sets))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N_M": d + 4}]

    @classmethod
    def sample(cls, rng: Random, MAX_N_M: int) -> Self:
        N, M = rng.randint(4, MAX_N_M), rng.randint(3, MAX_N_M)
        K = rng.randint(2, N - 2)
        L = rng.randint(1, K - 1)
        planted = [rng.sample(range(1, N + 1), K)]
        while len(planted) < M:
            changes = rng.randint(0, min(L, K, N - K))
            kept = rng.sample(planted[-1], K - changes)
            planted.append(kept + rng.sample(others(planted[-1], N), changes))
        forbidden = [sorted(rng.sample(others(S, N), rng.randint(1, N - K))) for S in planted]
        return cls(
            MAX_N_M=MAX_N_M,
            N=N,
            M=M,
            K=K,
            L=L,
            forbidden=forbidden,
            reference_answer=grid(map(sorted, planted)),
        )

    def parse(self, text: str) -> list[list[int]]:
        return integer_rows(text)

    def score(self, answer: list[list[int]]) -> float:
        if len(answer) != self.M or any(len(row) != self.K for row in answer):
            return INVALID
        if not all(1 <= x <= self.N for row in answer for x in row):
            return INVALID
        sets = [set(row) for row in answer]
        if any(len(S) != self.K for S in sets):
            return INVALID
        if any(not S.isdisjoint(bad) for S, bad in zip(sets, self.forbidden, strict=True)):
            return FORBIDDEN
        satisfied = sum(len(S - before) <= self.L for before, S in pairwise(sets))
        return ratio(satisfied, self.M - 1) ** 10

    def work(self) -> Work[str | None]:
        yield f"Choose one set after the other, each with at most {counted(self.L, 'new element')}."
        yield "Prefer elements that are forbidden late or never; go back where no set can follow."
        for i, bad in enumerate(self.forbidden, 1):
            yield state(f"Allowed in S({i})", others(bad, self.N))

        def options(sets: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
            later = self.forbidden[len(sets) :]
            allowed = combinations(others(later[0], self.N), self.K)
            fitting = [S for S in allowed if not sets or len({*S} - {*sets[-1]}) <= self.L]

            def patience(S: tuple[int, ...]) -> list[int]:
                """How soon the elements are forbidden, the first of them first."""
                ends = (next((i for i, bad in enumerate(later) if x in bad), self.M) for x in S)
                return sorted(ends)

            return sorted(fitting, key=patience, reverse=True)

        found = yield from search(
            options,
            lambda sets, S: None,
            lambda sets: len(sets) == self.M,
            lambda S: f"[{spaced(S)}]",
        )
        return None if found is None else grid(found)


def others(S: list[int], N: int) -> list[int]:
    return sorted(set(range(1, N + 1)).difference(S))
