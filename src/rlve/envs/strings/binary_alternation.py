from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer_rows, pairs
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import prefer
from rlve.text import counted, grid, spaced
from rlve.work import Work, state


class BinaryAlternation(Environment[list[tuple[int, int]]]):
    """Make a binary string alternate with as few swaps of two characters as possible.

    A string that already alternates is redrawn.
    """

    zero_count: int
    string: str
    gold_answer: int  # the smallest number of swaps
    reference_answer: str

    max_difficulty = 60  # at 80, a verdict takes too long
    unique_up_to = None  # several answers can be right

    template = """
        Here is a string of {length} digits, each 0 or 1. Its positions are numbered from 0 to
        {last}, from left to right:

        {string}

        A swap (i, j) exchanges the digits at the positions i and j, which need not be adjacent.
        Find a sequence of swaps, executed one after the other, after which no two adjacent digits
        are equal. Use as few swaps as possible.
        If several sequences are best, any of them is right.

        Output format: one swap per line, in the order of execution, as the two positions i and j
        separated by a space. If no swap is needed, the answer is empty.
        """

    def prompt(self) -> str:
        return self.fill(length=len(self.string), last=len(self.string) - 1)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"zero_count": grow(2, d)}]

    @classmethod
    def sample(cls, rng: Random, zero_count: int) -> Self:
        def draw() -> Self:
            digits = "0" * zero_count + "1" * (zero_count + rng.randint(-1, 1))
            string = "".join(rng.sample(digits, len(digits)))
            swaps = fewest_swaps(string)
            return cls(
                zero_count=zero_count,
                string=string,
                gold_answer=len(swaps),
                reference_answer=grid(swaps),
            )

        return prefer(draw, lambda problem: problem.gold_answer > 0)

    def parse(self, text: str) -> list[tuple[int, int]]:
        return [pair for row in integer_rows(text, columns=2) for pair in pairs(row)]

    def score(self, answer: list[tuple[int, int]]) -> float:
        digits = list(self.string)
        for i, j in answer:
            if not (0 <= i < len(digits) and 0 <= j < len(digits)):
                return INVALID
            digits[i], digits[j] = digits[j], digits[i]
        if "".join(digits) not in alternating(len(digits)):
            return INVALID
        return ratio(self.gold_answer, len(answer)) ** 5

    def work(self) -> Work[str]:
        yield "A swap puts at most one 0 and one 1 in place, so pair those that are out of place."
        yield state("Now", self.string)
        best: list[tuple[int, int]] | None = None
        for target in alternating(len(self.string)):
            if target.count("0") != self.string.count("0"):
                yield f"{state('Target', target)}, which has another number of 0s"
                continue
            swaps = swaps_to(target, self.string)
            zeros, ones = zip(*swaps, strict=True) if swaps else ((), ())
            yield state("Target", target)
            misplaced = f"{state('Positions of wrong 0s', zeros)}; {state('of wrong 1s', ones)}"
            yield f"{misplaced}; {counted(len(swaps), 'swap')}"
            if best is None or len(swaps) < len(best):
                best = swaps
        yield "Best: " + (", ".join(map(spaced, best or [])) or "no swap")
        return grid(best or [])


def alternating(length: int) -> list[str]:
    """The two strings of this length that alternate."""
    return [("01" * length)[:length], ("10" * length)[:length]]


def fewest_swaps(string: str) -> list[tuple[int, int]]:
    """Swap misplaced zeros with misplaced ones; of two possible targets, take the nearer."""
    targets = [t for t in alternating(len(string)) if t.count("0") == string.count("0")]
    return min((swaps_to(target, string) for target in targets), key=len)


def swaps_to(target: str, string: str) -> list[tuple[int, int]]:
    misplaced: dict[str, list[int]] = {"0": [], "1": []}
    for i, (digit, wanted) in enumerate(zip(string, target, strict=True)):
        if digit != wanted:
            misplaced[digit].append(i)
    return list(zip(misplaced["0"], misplaced["1"], strict=True))
