from random import Random
from typing import Self

import rlve
from rlve.answers import integer


def perimeter(rectangles: list[list[int]]) -> int:
    """The perimeter of the union; one integer holds the covered unit squares of a row as bits."""
    height = max(r[3] for r in rectangles)
    rows = [0] * (height + 1)
    for x1, y1, x2, y2 in rectangles:
        mask = (1 << x2) - (1 << x1)
        for y in range(y1, y2):
            rows[y] |= mask
    total = 0
    below = 0
    for row in rows:  # the last row is empty
        total += (row ^ (row << 1)).bit_count() + (row ^ below).bit_count()
        below = row
    return total


def one_more(rng: Random, rectangles: list[list[int]], bound: int, side_max: int) -> list[int]:
    """A new rectangle, which mostly overlaps or touches an earlier one."""
    for _ in range(100):
        w, h = rng.randint(4, side_max), rng.randint(4, side_max)
        x, y = rng.randint(0, bound - w), rng.randint(0, bound - h)
        kind = rng.random()
        if rectangles and kind < 7 / 8:
            x1, y1, x2, y2 = rng.choice(rectangles)
            overlap_x = rng.randint(max(0, x1 - w + 1), min(bound - w, x2 - 1))
            overlap_y = rng.randint(max(0, y1 - h + 1), min(bound - h, y2 - 1))
            if kind < 3 / 4:
                x, y = overlap_x, overlap_y
            elif rng.random() < 0.5:
                x, y = rng.choice((x1 - w, x2)), overlap_y
            else:
                x, y = overlap_x, rng.choice((y1 - h, y2))
        rectangle = [x, y, x + w, y + h]
        if min(rectangle) >= 0 and max(rectangle) <= bound and rectangle not in rectangles:
            return rectangle
    x, y = rng.randint(0, bound - side_max), rng.randint(0, bound - side_max)
    return [x, y, x + side_max, y + side_max]


def notched(rng: Random, rectangle_num: int) -> list[list[int]]:
    """A block with two towers, and further rectangles inside the block: neither box nor sum is its perimeter."""
    rectangles = [
        [0, 0, 25, 6],
        [0, 0, rng.randint(4, 10), rng.randint(10, 25)],
        [25 - rng.randint(4, 10), 0, 25, rng.randint(10, 25)],
    ]
    for _ in range(rectangle_num - 3):
        x, y = rng.randint(0, 15), rng.randint(0, 2)
        rectangles.append([x, y, x + rng.randint(4, 10), y + 4])
    rng.shuffle(rectangles)
    return rectangles


class UnionPerimeter(rlve.Environment[int]):
    """The perimeter of a union of rectangles with sides parallel to the axes."""

    rectangle_num: int
    bound: int
    side_max: int
    rectangles: list[list[int]]
    reference_answer: int

    template = """
        In the plane there are {rectangle_num} rectangles with sides parallel to the axes. Each line gives one rectangle by four integers x1 y1 x2 y2: its lower left corner is (x1, y1), its upper right corner is (x2, y2).

        {rows}

        The rectangles may overlap, touch, or lie inside each other. What is the perimeter of their union, that is, the total length of the border between the region covered by at least one rectangle and the uncovered region? The borders of holes (uncovered regions enclosed by covered ones) count as well. Where two rectangles only touch along a piece of their sides, this piece is no border. If the union consists of several separate pieces, their perimeters are added. In other words: count the segments of length 1 between neighbouring points with integer coordinates which have a covered unit square on exactly one of their two sides.

        Output format: one integer, the perimeter of the union.
        """

    def prompt(self) -> str:
        return self.fill(rows="\n".join(" ".join(map(str, r)) for r in self.rectangles))

    @classmethod
    def level(cls, d: int) -> list[rlve.Level]:
        return [{"rectangle_num": 3 + 5 * d // 4, "bound": 40 + 3 * d, "side_max": 25}]

    @classmethod
    def sample(cls, rng: Random, rectangle_num: int, bound: int, side_max: int) -> Self:
        for _ in range(100):
            rectangles = []
            for _ in range(rectangle_num):
                rectangles.append(one_more(rng, rectangles, bound, side_max))
            answer = perimeter(rectangles)
            single = sum(2 * (x2 - x1 + y2 - y1) for x1, y1, x2, y2 in rectangles)
            box = 2 * (
                max(r[2] for r in rectangles)
                - min(r[0] for r in rectangles)
                + max(r[3] for r in rectangles)
                - min(r[1] for r in rectangles)
            )
            if answer not in (single, box, rectangle_num) and not any(answer in r for r in rectangles):
                break
        else:
            rectangles = notched(rng, rectangle_num)
            answer = perimeter(rectangles)
        return cls(
            rectangle_num=rectangle_num,
            bound=bound,
            side_max=side_max,
            rectangles=rectangles,
            reference_answer=answer,
        )

    def parse(self, text: str) -> int:
        return integer(text, low=0)

    def score(self, answer: int) -> float:
        return 1.0 if answer == self.reference_answer else 0.0
