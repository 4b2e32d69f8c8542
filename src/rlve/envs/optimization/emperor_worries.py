from itertools import pairwise
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.rewards import exact
from rlve.text import indexed
from rlve.work import Work, add_all, divide, find_largest


class EmperorWorries(Environment[int]):
    """Find the fewest types of medals for which neighbours in a circle share none."""

    K: int
    N: int
    A: list[int]
    reference_answer: int

    max_difficulty = 1_000  # the highest difficulty measured

    template = """
        {N} generals, numbered from 0 to {last}, sit in a circle: the generals i and (i + 1) mod {N}
        are neighbours. General i must get A[i] medals:

        {A}

        The medals of one general must be of pairwise different types, and two neighbours must not
        have any type in common. There are as many medals of each type as needed.

        What is the smallest number of types with which this is possible?

        Output format: one integer, the smallest number of types.
        """

    def prompt(self) -> str:
        return self.fill(last=self.N - 1, A=indexed("A", self.A))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"K": d + 1}]

    @classmethod
    def sample(cls, rng: Random, K: int) -> Self:
        N = 2 * K + rng.randrange(2)
        A = [rng.randint(1, 2 * N) for _ in range(N)]
        return cls(K=K, N=N, A=A, reference_answer=fewest_types(A))

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact(answer == self.reference_answer)

    def work(self) -> Work[str]:
        yield "Two neighbours together need as many types as they have medals."
        sums: list[int] = []
        for a, b in pairwise([*self.A, self.A[0]]):
            sums.append(a + b)
            yield f"{a} + {b} = {a + b}"
        most = yield from find_largest(sums)
        if self.N % 2 == 0:
            yield f"Generals 0, 2, ... take the first types, 1, 3, ... the last: {most} are enough."
            return str(most)
        half = self.N // 2
        yield f"A type goes to every second general at most, so to {self.N} // 2 = {half} of them."
        total = yield from add_all(self.A)
        quotient, rest = yield from divide(total, half)
        types = quotient
        if rest:
            types += 1
            yield f"{quotient} types are not enough for all, so {quotient} + 1 = {types}"
        bound = max(most, types)
        yield f"max({most}, {types}) = {bound} types are enough: deal them round and round to"
        yield "generals 0 to 2j, with the least j > 0 for which j rounds are enough. Generals"
        yield "2j, 2j + 2, ... then take the last types, and 2j + 1, 2j + 3, ... the first ones."
        return str(bound)


def fewest_types(A: list[int]) -> int:
    """The larger of two bounds, which can be met.

    Two neighbours need as many types as they have medals, and a type can go to at most every second
    general, so to no more than half of them, rounded down.
    """
    neighbours = max(a + b for a, b in pairwise([*A, A[0]]))
    return max(neighbours, -(-sum(A) // (len(A) // 2)))
