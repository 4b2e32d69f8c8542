from itertools import combinations
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integers
from rlve.foundation.pictures import Bars
from rlve.levels import grow
from rlve.rewards import INVALID, exact
from rlve.sampling.rejection import prefer
from rlve.text import indexed, spaced
from rlve.work import Work, state

SMALL = 4


class SubsetSum(Environment[list[int]]):
    """Find elements of an array with a given sum.

    In arrays of up to four elements, which offer few choices, only one choice may be right.
    """

    N: int
    A: list[int]
    target: int
    reference_answer: str

    max_difficulty = 50  # at 62, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right
    picture = Bars(answer="positions")

    template = """
        An array A has {N} positive integers, with the indices 0 to {last}:

        {A}

        Find different indices such that the sum of A[i] over these indices i is exactly {target}.
        There is such a choice; if there are several, any of them is right.

        Output format: one line with the chosen indices, in any order, each once, separated by
        spaces.
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1, A=indexed("A", self.A))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> Self:
            A = [rng.randint(1, N) for _ in range(N)]
            indices = rng.sample(range(N), rng.randint(2, N - 1))
            target = sum(A[i] for i in indices)
            return cls(N=N, A=A, target=target, reference_answer=spaced(indices))

        return prefer(draw, lambda problem: N > SMALL or problem.right_choices() == 1)

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if len(set(answer)) != len(answer) or not all(0 <= i < self.N for i in answer):
            return INVALID
        return exact(sum(self.A[i] for i in answer) == self.target)

    def right_choices(self) -> int:
        choices = (values for size in range(self.N + 1) for values in combinations(self.A, size))
        return sum(sum(values) == self.target for values in choices)

    def work(self) -> Work[str | None]:
        yield "Element by element, collect new sums up to the target, until it is among them."
        last: dict[int, int] = {}  # the last element of each new sum
        sums = [0]
        yield state("Sums", sums)
        for i, a in enumerate(self.A):
            if self.target in sums:
                break
            new = [x for x in sums if x + a <= self.target and x + a not in sums]
            last |= {x + a: i for x in new}
            added = ", ".join(f"{x} + {a} = {x + a}" for x in new) or "nothing new"
            sums = [*sums, *(x + a for x in new)]
            yield f"With A[{i}]={a}: {added}. {state('Sums', sums)}"
        if self.target not in sums:
            return None
        rest, chosen = self.target, list[int]()
        while rest:
            i = last[rest]
            chosen.append(i)
            yield f"{rest} came up with A[{i}]: {rest} - {self.A[i]} = {rest - self.A[i]}"
            rest -= self.A[i]
        yield state("Indices", chosen)
        return spaced(chosen)
