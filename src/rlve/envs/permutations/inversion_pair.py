from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.arrays import inversions
from rlve.answers import integer
from rlve.foundation.pictures import Bars
from rlve.levels import grow
from rlve.rewards import closeness
from rlve.text import indexed, spaced
from rlve.work import Work, add_cases, state


class InversionPair(Environment[int]):
    """Find the fewest adjacent swaps that bring two arrays as close together as possible."""

    N: int
    A: list[int]
    B: list[int]
    reference_answer: int

    max_difficulty = 45  # at 55, a prompt exceeds 32,000 characters
    picture = (Bars("A"), Bars("B"))

    template = """
        A and B are two arrays of {N} integers each, indexed from 0. The integers in an array are
        distinct, but an integer can be in both arrays.

        {A}
        {B}

        A move swaps two adjacent elements of A, or two adjacent elements of B. Moves can be
        repeated as often as you like, in any order.

        The goal is to make the sum of (A[i] - B[i])^2 over all i as small as moves can make it.
        What is the least number of moves that reaches this goal?

        Output format: one integer; it can be 0.
        """

    def prompt(self) -> str:
        return self.fill(A=indexed("A", self.A), B=indexed("B", self.B))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        A, B = (rng.sample(range(2 * N), N) for _ in range(2))
        return cls(N=N, A=A, B=B, reference_answer=fewest_swaps(A, B))

    def parse(self, text: str) -> int:
        return integer(text, low=0)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10

    def work(self) -> Work[str]:
        yield "The sum is smallest exactly if the smallest elements face each other, the second"
        yield "smallest, and so on: if u < v in A face x > y in B, exchanging x and y lowers it."
        a, b = sorted(self.A), sorted(self.B)
        yield f"{state('A sorted', a)}; {state('B sorted', b)}"
        partners = [b[a.index(value)] for value in self.A]
        yield state("So the elements of A should face, in this order", partners)
        places = [self.B.index(value) for value in partners]
        yield state("They are now at these indices of B", places)
        yield "A move changes the order of only one pair of these, and as long as any is wrong,"
        yield "swapping two neighbours in A can put one right. Count the smaller ones after each."
        cases: list[tuple[str, int]] = []
        for i, place in enumerate(places):
            smaller = [other for other in places[i + 1 :] if other < place]
            cases.append((f"{place}: {spaced(smaller) or 'none'}", len(smaller)))
        return str((yield from add_cases(cases)))


def fewest_swaps(A: list[int], B: list[int]) -> int:
    """The sum is smallest where elements of equal rank face each other.

    Only the order of A relative to B matters, and a swap in either array removes one inversion.
    """
    place_in_b = dict(zip(sorted(A), sorted(range(len(B)), key=B.__getitem__), strict=True))
    return inversions(place_in_b[value] for value in A)
