from random import Random
from typing import Self

import rlve
from rlve.answers import integers


def free_counts(heights: list[list[int]]) -> list[int]:
    """For each row, the number of squares where one block more changes neither view."""
    front = [max(column) for column in zip(*heights)]
    counts = []
    for row in heights:
        side = max(row)
        counts.append(sum(1 for height, top in zip(row, front) if height < side and height < top))
    return counts


def safe_heights(rng: Random, row_num: int, column_num: int, top: int) -> list[list[int]]:
    """A plan with one full row and one full column; the other rows have many or fewer free squares in turn."""
    heights = [[top] * column_num]
    for number in range(1, row_num):
        row = [top] * column_num
        free = column_num - 1 if number % 2 else (column_num - 1) // 2
        for c in rng.sample(range(1, column_num), free):
            row[c] = rng.randrange(top)
        heights.append(row)
    rng.shuffle(heights)
    columns = list(zip(*heights))
    rng.shuffle(columns)
    return [list(row) for row in zip(*columns)]


class UnseenBlock(rlve.Environment[list[int]]):
    """Count the squares of a floor plan where a block can be added without changing two views."""

    row_num: int
    column_num: int
    heights: list[list[int]]
    reference_answer: str

    template = """
        A floor plan has {row_num} rows and {column_num} columns of squares. The number on a square is the height of the tower of unit blocks that stands there, and 0 means an empty square:

        {rows}

        There are two views of it. The front view shows, for every column, the greatest height in this column. The side view shows, for every row, the greatest height in this row. Nothing else can be seen in the views.

        A square is called free if neither of the two views changes when exactly one block is put on top of the tower on this square (or on the ground, if the square is empty) and nothing else is changed. Each square is judged on its own, for the plan as given above: blocks are not added one after the other.

        How many free squares are there in each row?

        Output format: {row_num} integers separated by single spaces, the numbers of free squares in the rows from the first (top) row to the last, with 0 for a row without free squares.
        """

    @classmethod
    def level(cls, d: int) -> list[rlve.Level]:
        return [{"row_num": 4 + d // 3, "column_num": 5 + (d + 1) // 3, "max_height": 4 + (d + 2) // 3}]

    @classmethod
    def sample(cls, rng: Random, row_num: int, column_num: int, max_height: int) -> Self:
        for _ in range(200):
            side = [rng.randint(1, max_height) for _ in range(row_num)]
            front = [rng.randint(1, max_height) for _ in range(column_num)]
            heights = []
            for a in side:
                row = []
                for b in front:
                    ceiling = min(a, b)
                    row.append(ceiling if rng.random() < 0.3 else rng.randint(0, ceiling))
                heights.append(row)
            counts = free_counts(heights)
            total, squares = sum(counts), row_num * column_num
            if 4 * total < squares or 6 * total > 5 * squares or len(set(counts)) == 1:
                continue
            break
        else:
            heights = safe_heights(rng, row_num, column_num, max_height)
            counts = free_counts(heights)
        return cls(
            row_num=row_num,
            column_num=column_num,
            heights=heights,
            reference_answer=" ".join(map(str, counts)),
        )

    def prompt(self) -> str:
        return self.fill(rows="\n".join(" ".join(map(str, row)) for row in self.heights))

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        return 1.0 if list(answer) == free_counts(self.heights) else 0.0
