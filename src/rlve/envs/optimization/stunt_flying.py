from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integers
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import spread
from rlve.text import indexed, spaced
from rlve.work import Work, state


class StuntFlying(Environment[list[int]]):
    """Arrange elements in a sequence that rewards long distances between repetitions.

    With few elements, the first ones are often best, so other answers are made as likely.
    """

    N: int
    K: int
    C: list[int]
    gold_answer: int  # the largest total

    max_difficulty = 50  # at 67, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right

    template = """
        There are {K} elements, numbered from 0 to {last}. Element x has the value C[x]:

        {C}

        Build a sequence A[1], A[2], ..., A[{N}] of these elements. An element can occur several
        times, and not all of them need to occur. If the element at position i occurred before, let
        j < i be the last position before i with the same element; then position i contributes
        C[A[i]] * (i - j). The first occurrence of an element contributes 0.

        Make the sum of all contributions as large as possible. If several sequences have the
        largest sum, any of them is right.

        Output format: one line with A[1], A[2], ..., A[{N}] in this order, separated by spaces.
        """

    def prompt(self) -> str:
        return self.fill(last=self.K - 1, C=indexed("C", self.C))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(4, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw() -> Self:
            K = rng.randint(2, N)
            C = [rng.randint(1, K) for _ in range(K)]
            return cls(N=N, K=K, C=C, gold_answer=total(C, best_sequence(C, N)))

        return spread(rng, draw, by=lambda problem: problem.reference())

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if len(answer) != self.N or not all(0 <= x < self.K for x in answer):
            return INVALID
        return ratio(total(self.C, answer), self.gold_answer) ** 5

    def reference(self) -> str:
        return spaced(best_sequence(self.C, self.N))

    def work(self) -> Work[str]:
        yield "The distances of an element add up to that from its first to its last position."
        yield "So the most valuable element takes the first and the last position, the next one"
        yield "those inside, and so on."
        yield "A position that is left in the middle adds nothing, whatever element it gets."
        ranked = sorted(range(self.K), key=lambda x: -self.C[x])
        yield "By value: " + ", ".join(f"{x} ({self.C[x]})" for x in ranked)
        sequence = ["_"] * self.N
        for i, x in enumerate(ranked[: self.N // 2]):
            sequence[i] = sequence[~i] = str(x)
            yield state(f"Positions {i + 1} and {self.N - i}", sequence)
        sequence = [str(ranked[0]) if x == "_" else x for x in sequence]
        yield state("Sequence", sequence)
        return spaced(sequence)


def total(C: list[int], sequence: list[int]) -> int:
    """An element's distances add up to that between its first and last occurrence."""
    first = {x: i for i, x in reversed(list(enumerate(sequence)))}
    last = {x: i for i, x in enumerate(sequence)}
    return sum(C[x] * (last[x] - first[x]) for x in first)


def best_sequence(C: list[int], n: int) -> list[int]:
    """The most valuable element is outermost, the next one inside it, and so on."""
    ranked = sorted(range(len(C)), key=lambda x: -C[x])
    sequence = [ranked[0]] * n
    for i, x in enumerate(ranked[: n // 2]):
        sequence[i] = sequence[n - 1 - i] = x
    return sequence
