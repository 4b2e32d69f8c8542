from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import closeness
from rlve.text import indexed


class AndOr_Sequence_Counting(Environment[int]):
    """Count the arrays whose ANDs with a given array never fall and whose ORs never rise."""

    N: int
    M: int  # bits per element
    A: list[int]
    reference_answer: int

    max_difficulty = 25  # at 33, generating a problem takes too long

    template = """
        Here is an array A of {N} integers, each from 0 to {last}:

        {A}

        Count the arrays B of {N} integers, each from 0 to {last}, such that for every two
        neighbouring positions i and i+1 both of these hold:
        - (A[i] AND B[i]) <= (A[i+1] AND B[i+1])
        - (A[i] OR B[i]) >= (A[i+1] OR B[i+1])

        AND and OR are the bitwise operations.

        Output format: one integer, the exact number of such arrays B.
        """

    def prompt(self) -> str:
        return self.fill(last=2**self.M - 1, A=indexed("A", self.A))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(2, d), "M": M} for M in range(1, 21)]

    @classmethod
    def sample(cls, rng: Random, N: int, M: int) -> Self:
        A = [rng.randrange(2**M) for _ in range(N)]
        return cls(N=N, M=M, A=A, reference_answer=count_arrays(A, M))

    def parse(self, text: str) -> int:
        return integer(text, low=0, max_digits=4000)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10


def count_arrays(A: list[int], M: int) -> int:
    """The bits of B where A has 1 decide the ANDs alone, and the others the ORs.

    A OR B never rises if and only if its complement, the AND of the complements, never falls.
    """
    complements = [x ^ (2**M - 1) for x in A]
    return count_rising(A, M) * count_rising(complements, M)


def count_rising(masks: list[int], M: int) -> int:
    """Count the sequences that never fall and whose i-th element only has bits of masks[i]."""
    n = len(masks)
    # ways[l][r]: to choose the bits seen so far, from the lowest up, at positions l .. r-1
    ways = [[1] * (n + 1) for _ in range(n + 1)]
    for bit in range(M):
        higher = [[1] * (n + 1) for _ in range(n + 1)]
        for left in range(n):
            first_one = left  # the earliest position where the bit can turn from 0 to 1
            for right in range(left + 1, n + 1):
                if not masks[right - 1] >> bit & 1:
                    first_one = right
                higher[left][right] = sum(
                    ways[left][turn] * ways[turn][right] for turn in range(first_one, right + 1)
                )
        ways = higher
    return ways[0][n]
