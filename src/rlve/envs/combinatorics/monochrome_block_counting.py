from math import isqrt
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import closeness
from rlve.sampling.rejection import prefer
from rlve.text import counted
from rlve.work import Work, add_all, add_row, state


class MonochromeBlockCounting(Environment[int]):
    """Count the ways to colour the layers of the highest tower that two stocks of blocks allow.

    Small stocks usually allow one or two towers; these are redrawn once.
    """

    MAX_A_B: int
    A: int
    B: int
    reference_answer: int

    template = """
        A tower is built from {black} and {white}; not all of them need be used. Layer 1
        of the tower consists of 1 block, layer 2 of 2 blocks, and so on: layer i consists of i
        blocks, all of the same colour, black or white.

        Let h be the largest number of layers that such a tower can have. How many different towers
        of h layers can be built? Two towers are different if some layer has different colours in
        them.

        Output format: one positive integer, the exact number of towers of h layers.
        """

    def prompt(self) -> str:
        return self.fill(black=counted(self.A, "black block"), white=counted(self.B, "white block"))

    max_difficulty = 22  # beyond it, counting takes seconds

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_A_B": grow(5, d, by=1.5)}]

    @classmethod
    def sample(cls, rng: Random, MAX_A_B: int) -> Self:
        def draw() -> tuple[int, int, int]:
            A, B = rng.randint(1, MAX_A_B), rng.randint(1, MAX_A_B)
            return A, B, count_towers(A, B)

        A, B, count = prefer(draw, lambda drawn: drawn[2] > 2, tries=2)
        return cls(MAX_A_B=MAX_A_B, A=A, B=B, reference_answer=count)

    def parse(self, text: str) -> int:
        return integer(text, low=1)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10

    def work(self) -> Work[str]:
        few, many = sorted((self.A, self.B))
        yield "For every s up to the total of the layers 1 to h, some of them have s blocks in all."
        yield "So only the number of all blocks limits h."
        yield f"{few} + {many} = {few + many} blocks"
        blocks, h = 0, 0
        while blocks + h + 1 <= few + many:
            h += 1
            blocks += h
            yield f"h = {h} needs {blocks - h} + {h} = {blocks}"
        yield f"h = {h + 1} would need {blocks} + {h + 1} > {few + many}, so h = {h}"
        least = max(0, blocks - many)
        fewer, other = ("black", "white") if self.A <= self.B else ("white", "black")
        yield f"If s {fewer} blocks are used, so are {blocks} - s <= {many} {other} ones:"
        yield f"{blocks} - {many} = {blocks - many}, so s is from {least} to {few}."
        yield f"Row i: how many sets of layers up to i have s = 0 to {few} blocks: the entry above"
        yield "plus the entry of the row above that is i places further left."
        ways = [1] + [0] * few
        yield state("Row 0", ways)
        for i in range(1, h + 1):
            shifted = ([0] * i + ways)[: few + 1]
            ways = yield from add_row(f"Row {i}", zip(ways, shifted, strict=True))
        yield f"Add up the last row from s = {least} on."
        total = yield from add_all(ways[least:])
        yield f"So the number of towers is {total}"
        return str(total)


def count_towers(A: int, B: int) -> int:
    """The number of highest towers: subsets of the layers that the scarcer colour can fill.

    A tower has as many layers as the blocks of both colours together allow, as the layers of one
    colour can use any number of blocks.
    """
    few, many = min(A, B), max(A, B)
    layers = (isqrt(8 * (A + B) + 1) - 1) // 2
    blocks = layers * (layers + 1) // 2
    # The subsets of each sum, as the digits of one integer: no count exceeds 2^layers.
    size = layers // 8 + 1
    kept = (1 << 8 * size * (few + 1)) - 1
    subsets = 1
    for layer in range(1, layers + 1):
        subsets += (subsets << 8 * size * layer) & kept
    digits = subsets.to_bytes(size * (few + 1), "little")
    least = max(0, blocks - many)
    return sum(
        int.from_bytes(digits[size * total : size * (total + 1)], "little")
        for total in range(least, few + 1)
    )
