from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.bits import XorBasis
from rlve.answers import integers
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.text import lines, spaced
from rlve.work import Work, split_powers, state


class MaxXorSet(Environment[list[int]]):
    """Choose elements of an array with the largest XOR.

    The prompt asks for each index at most once, so an answer that repeats one is invalid.
    """

    N: int
    MAX_bit_length: int
    A: list[int]
    gold_answer: int  # the largest XOR

    max_difficulty = 50  # at 60, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right

    template = """
        Here is an array A of {N} positive integers:

        {A}

        Choose indices such that the bitwise XOR of the elements at these indices is as large as
        possible. You can choose as many indices as you like. If several choices give the largest
        XOR, any of them is right.

        Output format: one line with the chosen indices in any order, separated by spaces. Write
        each index at most once.
        """

    def prompt(self) -> str:
        return self.fill(A=lines(f"A[{i}]={x}" for i, x in enumerate(self.A)))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        N = grow(3, d)
        shortest = (2 * N + 1).bit_length()
        return [{"N": N, "MAX_bit_length": shortest + more} for more in range(5)]

    @classmethod
    def sample(cls, rng: Random, N: int, MAX_bit_length: int) -> Self:
        A = [rng.randint(1, 2**MAX_bit_length - 2) for _ in range(N)]
        return cls(N=N, MAX_bit_length=MAX_bit_length, A=A, gold_answer=XorBasis(A).largest())

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if not all(0 <= index < self.N for index in answer) or len(set(answer)) < len(answer):
            return INVALID
        value = 0
        for index in answer:
            value ^= self.A[index]
        return ratio(value, self.gold_answer) ** 5

    def reference(self) -> str:
        return spaced(best_indices(self.A))

    def work(self) -> Work[str]:
        yield "Make rows whose first 1s are at different places: from the left, XOR each element"
        yield "with the rows whose first 1 is where it has a 1. These rows make the same XORs. Note"
        yield "which elements each is made of, by index; an index that comes twice cancels out."
        width = max(self.A).bit_length()
        yield from split_powers(self.A)
        rows: list[
            tuple[int, set[int]]
        ] = []  # the largest first, with the indices they are made of
        for i, value in enumerate(self.A):
            made, text = {i}, f"A[{i}]"
            for row, indices in rows:
                if value ^ row < value:
                    value, made = value ^ row, made ^ indices
                    text += f" XOR {bits(row, width)}"
            yield f"{text}: {bits(value, width)}, " + (
                state("new row, made of", sorted(made)) if value else "nothing new"
            )
            if value:
                rows = sorted([*rows, (value, made)], reverse=True, key=lambda row: row[0])
        yield "Now take each row, the largest first, if there is still a 0 at its first 1, as no"
        yield "later row changes this place."
        largest, chosen = 0, set[int]()
        for row, indices in rows:
            if largest ^ row > largest:
                largest, chosen = largest ^ row, chosen ^ indices
                made_of = state("made of", sorted(chosen))
                yield f"Take {bits(row, width)}: {bits(largest, width)}, {made_of}"
            else:
                yield f"Leave {bits(row, width)}"
        return spaced(sorted(chosen))


def bits(value: int, width: int) -> str:
    return spaced(f"{value:0{width}b}")


def best_indices(A: list[int]) -> list[int]:
    """Indices of elements with the largest XOR.

    Each element gets a low bit of its own, so the largest XOR tells which elements it comes from.
    """
    n = len(A)
    marked = XorBasis(value << n | 1 << i for i, value in enumerate(A)).largest()
    return [i for i in range(n) if marked >> i & 1]
