from itertools import pairwise
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integers
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.text import lines
from rlve.work import Work, find_best, state, xor_pairs


class MinXorPair(Environment[list[int]]):
    """Find two elements of an array whose XOR is smallest.

    There are so few bits that uniformly random arrays usually have many pairs whose XOR is 1, and
    any of them would do. So an array has one such pair or, equally likely, none.
    """

    N: int
    max_bit_length: int
    A: list[int]
    indices: list[int]  # in ascending order of A
    reference_answer: str
    gold_answer: int  # the smallest XOR

    max_difficulty = 50  # at 62, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right

    template = """
        Here is an array A of {N} distinct non-negative integers:

        {A}

        Find indices i and j with 0 <= i < j < {N} such that (A[i] AND A[j]) XOR (A[i] OR A[j]) is
        as small as possible. AND, OR and XOR are bitwise. If several pairs give the smallest value,
        any of them is right.

        Output format: one line with i and j, separated by a space.
        """

    def prompt(self) -> str:
        return self.fill(A=lines(f"A[{i}]={x}" for i, x in enumerate(self.A)))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        N = grow(3, d)
        return [{"N": N, "max_bit_length": (2 * N).bit_length()}]

    @classmethod
    def sample(cls, rng: Random, N: int, max_bit_length: int) -> Self:
        A = random_array(rng, N, max_bit_length, twins=rng.randint(0, 1))
        indices = sorted(range(N), key=A.__getitem__)
        # Neighbours give the smallest XOR: any number between two others shares their prefix.
        i, j = min(pairwise(indices), key=lambda pair: A[pair[0]] ^ A[pair[1]])
        return cls(
            N=N,
            max_bit_length=max_bit_length,
            A=A,
            indices=indices,
            reference_answer=f"{min(i, j)} {max(i, j)}",
            gold_answer=A[i] ^ A[j],
        )

    def parse(self, text: str) -> list[int]:
        return integers(text, count=2)

    def score(self, answer: list[int]) -> float:
        i, j = answer
        if not 0 <= i < j < self.N:
            return INVALID
        return ratio(self.gold_answer, self.A[i] ^ self.A[j]) ** 5

    def work(self) -> Work[str]:
        yield "(x AND y) XOR (x OR y) is x XOR y: the bits in which they differ. A number"
        yield "between x and y shares their common first bits, and the next bit with one of them,"
        yield "so its XOR with that one is smaller. So only neighbours in sorted order matter."
        order = sorted(range(self.N), key=self.A.__getitem__)
        yield state("Sorted", (self.A[i] for i in order))
        pairs = [(self.A[i], self.A[j]) for i, j in pairwise(order)]
        xors = yield from xor_pairs(pairs)
        cases = [
            (f"{i} {j}: {self.A[i]} XOR {self.A[j]} is {xor}", xor)
            for (i, j), xor in zip(pairwise(order), xors, strict=True)
        ]
        yield "By their indices:"
        i, j = list(pairwise(order))[(yield from find_best(cases, "<"))]
        yield f"So the indices are {min(i, j)} {max(i, j)}"
        return f"{min(i, j)} {max(i, j)}"


def random_array(rng: Random, N: int, bits: int, twins: int) -> list[int]:
    """N distinct integers below 2^bits, uniform among those with this many pairs whose XOR is 1."""
    halves = rng.sample(range(2 ** (bits - 1)), N - twins)
    array = [2 * half + rng.getrandbits(1) for half in halves]
    array += [x ^ 1 for x in array[:twins]]
    rng.shuffle(array)
    return array
