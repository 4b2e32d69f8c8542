from itertools import accumulate
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.layers import Triple, fewest_layers
from rlve.answers import integer_rows
from rlve.rewards import INVALID, ratio
from rlve.sampling.rejection import redraw
from rlve.text import grid, lines
from rlve.work import Work, find_cover, state

MOST_ONES = 2800  # they take up to 30,800 characters
UNCLEARED = -0.2


class Disinfection(Environment[list[list[int]]]):
    """Clear all ones in a box at least cost, where a block costs the length of its shortest side.

    Boxes with more ones than a prompt can show are redrawn; they are rare up to difficulty 20.
    """

    MAX_A_B_C: int
    A: int
    B: int
    C: int
    one_coordinates: list[Triple]
    gold_answer: int  # the least total cost

    max_difficulty = 150  # at 180, generating a problem takes too long
    unique_up_to = None  # several answers can be right

    template = """
        A box consists of {A} x {B} x {C} cells (x,y,z) with 0 <= x < {A}, 0 <= y < {B} and
        0 <= z < {C}. These cells hold a 1, all others hold a 0:

        {ones}

        An operation chooses integers 0 <= x1 < x2 <= {A}, 0 <= y1 < y2 <= {B} and
        0 <= z1 < z2 <= {C}. It sets all cells (x,y,z) with x1 <= x < x2, y1 <= y < y2 and
        z1 <= z < z2 to 0; its cost is the smallest of x2 - x1, y2 - y1 and z2 - z1.

        Find operations after which all cells hold 0. Make their total cost as small as possible.
        Operations can overlap.
        If several ways are best, any of them is right.

        Output format: one line for each operation, with six integers separated by spaces:
        x1 x2 y1 y2 z1 z2
        """

    def prompt(self) -> str:
        return self.fill(ones=lines(f"({x},{y},{z})" for x, y, z in self.one_coordinates))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_A_B_C": d + 2}]

    @classmethod
    def sample(cls, rng: Random, MAX_A_B_C: int) -> Self:
        (A, B, C), ones = redraw(
            lambda: random_box(rng, MAX_A_B_C),
            until=lambda drawn: max(drawn[0]) > 1 and len(drawn[1]) <= MOST_ONES,
        )
        # A block of cost c consists of c layers of cost 1, so layers are as cheap as any blocks.
        return cls(
            MAX_A_B_C=MAX_A_B_C,
            A=A,
            B=B,
            C=C,
            one_coordinates=ones,
            gold_answer=len(fewest_layers(ones)),
        )

    def parse(self, text: str) -> list[list[int]]:
        return integer_rows(text, columns=6)

    def score(self, answer: list[list[int]]) -> float:
        sizes = (self.A, self.B, self.C)
        blocks = [(row[0:2], row[2:4], row[4:6]) for row in answer]
        if not all(
            0 <= low < high <= size
            for block in blocks
            for (low, high), size in zip(block, sizes, strict=True)
        ):
            return INVALID
        # The ones below each coordinate, as bits: an answer can have thousands of operations.
        below = [ones_below(self.one_coordinates, axis, size) for axis, size in enumerate(sizes)]
        left = below[0][-1]
        for block in blocks:
            x, y, z = (
                ones[low] ^ ones[high] for ones, (low, high) in zip(below, block, strict=True)
            )
            left &= ~(x & y & z)
        if left:
            return UNCLEARED
        cost = sum(min(high - low for low, high in block) for block in blocks)
        return ratio(self.gold_answer, cost) ** 5

    def reference(self) -> str:
        blocks: list[list[int]] = []
        for axis, coordinate in fewest_layers(self.one_coordinates):
            ranges = [[0, self.A], [0, self.B], [0, self.C]]
            ranges[axis] = [coordinate, coordinate + 1]
            blocks.append([x for ends in ranges for x in ends])
        return grid(blocks)

    def work(self) -> Work[str]:
        yield "A block of cost c lies within c layers of cost 1, so take layers: all cells with the"
        yield "same x, the same y or the same z. Each cell with a 1 needs one of its three layers."
        layers = {
            f"({x},{y},{z})": [f"x={x}", f"y={y}", f"z={z}"] for x, y, z in self.one_coordinates
        }
        costs = {layer: 1 for options in layers.values() for layer in options}
        chosen = yield from find_cover(layers, costs)
        blocks: list[list[int]] = []
        for layer in chosen:
            axis, coordinate = "xyz".index(layer[0]), int(layer[2:])
            ranges = [[0, self.A], [0, self.B], [0, self.C]]
            ranges[axis] = [coordinate, coordinate + 1]
            blocks.append([x for ends in ranges for x in ends])
            yield state(f"Block of {layer}", blocks[-1])
        return grid(blocks)


def random_box(rng: Random, most: int) -> tuple[list[int], list[Triple]]:
    """The sizes of a box, and ones on some coordinates of each axis."""
    sizes = [rng.randint(1, most) for _ in range(3)]
    xs, ys, zs = (rng.sample(range(size), rng.randint(1, size)) for size in sizes)
    cells = [(x, y, z) for x in xs for y in ys for z in zs]
    return sizes, rng.sample(cells, rng.randint(1, len(cells)))


def ones_below(ones: list[Triple], axis: int, size: int) -> list[int]:
    """For each bound 0 .. size, the ones with a coordinate below it, as the bits of an integer."""
    at = [0] * size
    for number, one in enumerate(ones):
        at[one[axis]] |= 1 << number
    return list(accumulate(at, int.__or__, initial=0))
