from random import Random
from typing import Self

import rlve
from rlve.answers import integers
from rlve.rewards import INVALID, RIGHT, WRONG


class Picks(rlve.Environment[list[int]]):
    """Pick boxes whose weights have a given sum."""

    weights: list[int]
    count: int
    total: int
    chosen: list[int]

    unique_up_to = None
    template = """
        {boxes} boxes stand in a row and are numbered 0, 1, 2 and so on. Their weights, in grams and
        in this order, are

        {row}

        Pick exactly {count} different boxes that weigh {total} grams together. If there are several
        ways, any of them is right.

        Output format: the {count} numbers of the boxes in any order, separated by spaces.
        """

    def prompt(self) -> str:
        return self.fill(boxes=len(self.weights), row=" ".join(map(str, self.weights)))

    @classmethod
    def level(cls, d: int) -> list[rlve.Level]:
        return [{"boxes": 7 + d // 2, "count": 3 + d // 7, "heaviest": 40 + 3 * d}]

    @classmethod
    def sample(cls, rng: Random, boxes: int, count: int, heaviest: int) -> Self:
        weights = [rng.randint(10, heaviest) for _ in range(boxes)]
        chosen = rng.sample(range(boxes), count)
        total = sum(weights[i] for i in chosen)
        return cls(weights=weights, count=count, total=total, chosen=chosen)

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if not all(0 <= i < len(self.weights) for i in answer):
            return INVALID
        if len(answer) != self.count or len(set(answer)) != self.count:
            return INVALID
        return RIGHT if sum(self.weights[i] for i in answer) == self.total else WRONG

    def reference(self) -> str:
        return " ".join(map(str, self.chosen))
