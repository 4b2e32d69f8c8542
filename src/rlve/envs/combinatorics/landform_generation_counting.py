from itertools import accumulate, groupby
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import exact_residue
from rlve.sampling.rejection import spread
from rlve.text import indexed


class LandformGenerationCounting(Environment[int]):
    """Count the height sequences in which few enough higher items precede each item.

    At N = 3 the count is 1, 2, 3, 4 or 6. It would often be 3, so each is made equally likely.
    """

    N: int
    A: list[tuple[int, int]]  # (H[i], C[i])
    MOD: int
    reference_answer: int

    max_difficulty = 40  # at 50, generating a problem takes too long

    template = """
        There are {N} items, numbered from 0 to {last}. Item i has the height H[i] and the limit
        C[i]:

        {H}
        {C}

        Put all items in a row. The order is valid if, for each item i, the number of items that
        are anywhere before item i in the row and have a height strictly greater than H[i] is
        strictly less than C[i].

        Each valid order gives a sequence of {N} heights, read from the first item to the last. How
        many different sequences of heights do the valid orders give? Orders that give the same
        sequence count once. Give the number modulo {MOD}.

        Output format: one integer from 0 to {largest}.
        """

    def prompt(self) -> str:
        return self.fill(
            last=self.N - 1,
            H=indexed("H", (height for height, _ in self.A)),
            C=indexed("C", (limit for _, limit in self.A)),
            largest=self.MOD - 1,
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        A = spread(rng, lambda: draw_items(rng, N), by=count_height_sequences, draws=8)
        MOD = rng.randint(2, 10**9)
        return cls(N=N, A=A, MOD=MOD, reference_answer=count_height_sequences(A) % MOD)

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact_residue(answer, self.reference_answer, self.MOD)


def draw_items(rng: Random, N: int) -> list[tuple[int, int]]:
    """Random heights with limits that make one order valid, shown in another order."""
    heights = [rng.randint(1, N) for _ in range(N)]
    items: list[tuple[int, int]] = []
    for i, height in enumerate(heights):
        before = sum(other > height for other in heights[:i])
        anywhere = sum(other > height for other in heights)
        items.append((height, rng.randint(before + 1, anywhere + 1)))
    rng.shuffle(items)
    return items


def count_height_sequences(items: list[tuple[int, int]]) -> int:
    """The number of different height sequences of valid orders.

    From the tallest to the shortest, the items of one height go into the gaps between the taller
    ones; gap g has g taller items before it, and an item may use the gaps below its limit. As equal
    heights look alike, only non-decreasing choices of gaps are counted, with the limits ascending.
    """
    total, taller = 1, 0
    descending = sorted(items, key=lambda item: (-item[0], item[1]))
    for _, block in groupby(descending, key=lambda item: item[0]):
        limits = [min(limit, taller + 1) for _, limit in block]
        ways = [1]  # by the gap of the last item; at first, an item before all others
        for limit in limits:
            sums = list(accumulate(ways))
            ways = sums + sums[-1:] * (limit - len(sums))
        total *= sum(ways)
        taller += len(limits)
    return total
