from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integers
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import redraw, spread
from rlve.text import indexed, spaced
from rlve.work import Work, state

NOT_EMPTY = -0.2


class TetrisAttack(Environment[list[int]]):
    """Empty an array in which equal neighbours vanish, with the fewest swaps of neighbours.

    Three values have only five arrangements, so several are drawn, and each of their reference
    answers is equally likely.
    """

    N: int
    A: list[int]
    gold_answer: int  # the fewest swaps
    reference_answer: str

    max_difficulty = 350  # at 420, answers are too long to parse
    unique_up_to = None  # several answers can be right

    template = """
        An array A has {length} elements, numbered from 0 to {last}. It holds each of the integers
        from 0 to {highest} exactly twice:

        {A}

        Whenever two neighbouring elements are equal, both vanish and the array closes up: the
        elements after them move to the left, and all elements are numbered anew from 0. This goes
        on until no two neighbours are equal. (The order in which pairs vanish makes no difference.)
        At first, no two neighbours are equal.

        A swap at index i exchanges the elements i and i + 1 of the array as it is at that moment,
        which must both exist. Then equal neighbours vanish as above, before the next swap.

        Make the array empty by as few swaps as possible. If there are several ways to do so, any of
        them is right.

        Output format: one line with the indices of the swaps in order, separated by spaces.
        """

    def prompt(self) -> str:
        size = 2 * self.N
        return self.fill(length=size, last=size - 1, highest=self.N - 1, A=indexed("A", self.A))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": 3 + d}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        def draw_array() -> list[int]:
            return rng.sample([*range(N)] * 2, 2 * N)

        def draw() -> Self:
            A = redraw(draw_array, until=lambda A: len(settled(A)) == 2 * N)
            swaps = fewest_swaps(A)
            return cls(N=N, A=A, gold_answer=len(swaps), reference_answer=spaced(swaps))

        return spread(rng, draw, by=lambda problem: problem.reference_answer)

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        array = list(self.A)
        for i in answer:
            if not 0 <= i < len(array) - 1:
                return INVALID
            array[i : i + 2] = array[i + 1], array[i]
            around = array[max(0, i - 1) : i + 3]
            if len(settled(around)) < len(around):
                array = settled(array)
        if array:
            return NOT_EMPTY
        return ratio(self.gold_answer, len(answer)) ** 5

    def work(self) -> Work[str]:
        yield "Two values in the order x y x y need a swap of their own. Go from left to right, and"
        yield "when a value comes again, swap it to the left until it meets the first one. All that"
        yield "it passes comes again later, so no swap is wasted."
        row: list[int] = []  # the values that have come once
        swaps: list[int] = []
        for value in self.A:
            if value not in row:
                row.append(value)
                continue
            partner = row.index(value)
            moves = list(range(len(row) - 1, partner, -1))
            yield f"{spaced(row)} and {value}: swaps at {spaced(moves) or 'none'}, {value} vanishes"
            swaps += moves
            row.remove(value)
        yield state("Swaps", swaps)
        return spaced(swaps)


def settled(array: list[int]) -> list[int]:
    """What is left once equal neighbours have vanished."""
    left: list[int] = []
    for value in array:
        if left and left[-1] == value:
            left.pop()
        else:
            left.append(value)
    return left


def fewest_swaps(A: list[int]) -> list[int]:
    """Move the second occurrence of each value to the first one, in the order of the array.

    That takes one swap per pair of values whose occurrences alternate, and no swap can make more
    than one such pair disappear.
    """
    swaps: list[int] = []
    single: list[int] = []  # the values that have occurred once
    for value in A:
        if value in single:
            partner = single.index(value)
            swaps += range(len(single) - 1, partner, -1)
            del single[partner]
        else:
            single.append(value)
    return swaps
