from itertools import accumulate
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.arrays import is_permutation
from rlve.answers import integers
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.text import spaced
from rlve.work import Work, state


class PrefixSumMODDistinctPermutation(Environment[list[int]]):
    """Find a permutation of 1 to N whose prefix sums are distinct modulo N.

    N alone determines the problem, so a level has few of them: three at d = 0.
    """

    MAX_N: int
    N: int
    reference_answer: str

    guessable = (
        "Counting down from N solves every N that is a power of two; below d = 3 there are few N."
    )
    max_difficulty = 12  # answers have up to 3,000 digits, and over 4,000 at the next level
    unique_up_to = None  # several answers can be right

    template = """
        Find a permutation of the integers 1 to {N} whose {N} prefix sums are pairwise different
        modulo {N}. The prefix sums are the sums of the first 1, 2, ..., {N} elements.
        Any such permutation is accepted, and there is one.

        Output format: one line with the {N} integers of the permutation, separated by spaces.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_N": grow(8, d, by=1.5, plus=0)}]

    @classmethod
    def sample(cls, rng: Random, MAX_N: int) -> Self:
        N = rng.randrange(4, MAX_N + 1, 2)
        # The prefix sums are 0, 1, -1, 2, -2, ... modulo N.
        zigzag = [N, *(i if i % 2 else N - i for i in range(1, N))]
        return cls(MAX_N=MAX_N, N=N, reference_answer=spaced(zigzag))

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if not is_permutation(answer, self.N, first=1):
            return INVALID
        residues = {total % self.N for total in accumulate(answer)}
        return ratio(len(residues), self.N) ** 10

    def work(self) -> Work[str]:
        yield f"Begin with {self.N}. Let the sums be 0, 1, -1, 2, -2 and so on, modulo {self.N}."
        yield f"The steps are 1, -2, 3, -4 and so on; instead of -i, take {self.N} - i, also even."
        yield state("Sizes of the steps", range(1, self.N))
        order = [self.N, *(i if i % 2 else self.N - i for i in range(1, self.N))]
        yield ", ".join(f"{self.N} - {i} = {self.N - i}" for i in range(2, self.N, 2))
        yield state("Permutation", order)
        total, steps = 0, list[str]()
        for value in order[1:]:
            less = f" - {self.N}" if total + value >= self.N else ""
            steps.append(f"{total} + {value}{less} = {(total + value) % self.N}")
            total = (total + value) % self.N
        yield f"The sums modulo {self.N} are 0, {', '.join(steps)}: all different"
        return spaced(order)
