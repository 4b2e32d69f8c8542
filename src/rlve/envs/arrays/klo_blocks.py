from itertools import accumulate
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.foundation.pictures import Bars
from rlve.levels import grow
from rlve.rewards import exact
from rlve.sampling.rejection import redraw, spread
from rlve.text import counted, spaced
from rlve.work import Work, find_best, prefix_sums

SHORT = 4


class KloBlocks(Environment[int]):
    """Find the longest run of elements that can all be made at least K by moving units.

    Arrays with the answer 1 or N are avoided, except short ones, which have few other answers.
    Several arrays are drawn, and each of their answers is equally likely.
    """

    N: int
    A: list[int]
    K: int
    reference_answer: int

    max_difficulty = 60  # at 70, a prompt exceeds 32,000 characters
    picture = Bars()

    template = """
        Here is an array of {N} positive integers:

        {A}

        One move takes an element that is greater than {K}, subtracts 1 from it and adds 1 to its
        left or right neighbour in the array. You can make any number of moves, also none.

        What is the greatest number of consecutive elements that can all be at least {K} at the
        same time?

        Output format: one integer, the greatest number of consecutive elements.
        """

    def prompt(self) -> str:
        return self.fill(A=spaced(self.A))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw_array() -> list[int]:
            return [rng.randint(1, 2 * N) for _ in range(N)]

        def draw() -> Self:
            A = redraw(draw_array, until=lambda A: min(A) + 1 < max(A))
            K = rng.randint(min(A) + 1, max(A) - 1)
            return cls(N=N, A=A, K=K, reference_answer=longest_run(A, K))

        def is_allowed(problem: Self) -> bool:
            return N <= SHORT or 1 < problem.reference_answer < N

        return spread(
            rng, lambda: redraw(draw, is_allowed), by=lambda problem: problem.reference_answer
        )

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact(answer == self.reference_answer)

    def work(self) -> Work[str]:
        yield f"Consecutive elements can all reach {self.K} if their mean does: pass on what is"
        yield f"above {self.K}. A longest run needs that: an element that gave to it from outside"
        yield f"would still be at least {self.K}, and so belong to it."
        yield f"That is, once {self.K} is taken off each, their sum must be at least 0."
        rest = [a - self.K for a in self.A]
        yield ", ".join(f"{a} - {self.K} = {a - self.K}" for a in self.A)
        yield "P[j] is the sum of the first j. From i + 1 to j the sum is P[j] - P[i]."
        sums = yield from prefix_sums(rest)
        yield "For each j, the first i with P[i] <= P[j] gives the most elements."
        cases: list[tuple[str, int]] = []
        for j in range(1, self.N + 1):
            i = next(i for i in range(j + 1) if sums[i] <= sums[j])
            cases.append((f"j = {j}, i = {i}: {j} - {i} = {j - i}", j - i))
        _, longest = cases[(yield from find_best(cases))]
        yield f"So at most {counted(longest, 'element')}"
        return str(longest)


def longest_run(A: list[int], K: int) -> int:
    """The longest subarray whose mean is at least K: exactly these can be levelled.

    That is, the two prefix sums of the excesses over K that are farthest apart, the later one not
    smaller. The earlier one is then smaller than all before it.
    """
    sums = list(accumulate((a - K for a in A), initial=0))
    minima: list[int] = []
    for i, total in enumerate(sums):
        if not minima or total < sums[minima[-1]]:
            minima.append(i)
    longest = 0
    for end in reversed(range(len(sums))):
        while minima and sums[minima[-1]] <= sums[end]:
            longest = max(longest, end - minima.pop())
    return longest
