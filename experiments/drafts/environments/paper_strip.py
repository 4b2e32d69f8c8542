from random import Random
from typing import Self

import rlve
from rlve.answers import integers

SIDES = ("left", "right")
WAYS = ("over", "under")


def fold(piles: list[list[int]], side: str, k: int, way: str) -> list[list[int]]:
    """Piles from left to right, each from top to bottom, after one fold."""
    if side == "right":
        return fold(piles[::-1], "left", k, way)[::-1]
    turned = [pile[::-1] for pile in reversed(piles[:k])]  # the one next to the crease first
    rest = piles[k:]
    result = []
    for i in range(max(len(turned), len(rest))):
        a = turned[i] if i < len(turned) else []
        b = rest[i] if i < len(rest) else []
        result.append(a + b if way == "over" else b + a)
    return result


def folded(labels: list[int], folds: list[str]) -> list[int]:
    """The segments of the first pile from top to bottom after all folds."""
    piles = [[label] for label in labels]
    for text in folds:
        side, k, way = text.split()
        piles = fold(piles, side, int(k), way)
    return piles[0]


def random_folds(rng: Random, width: int) -> list[str]:
    """Random folds of a strip of this width, until it is one column wide."""
    folds = []
    while width > 1:  # every fold makes it narrower
        k = rng.randint(1, width - 1)
        folds.append(f"{rng.choice(SIDES)} {k} {rng.choice(WAYS)}")
        width = max(k, width - k)
    return folds


class PaperStrip(rlve.Environment[list[int]]):
    """Fold a strip of paper and read its segments from top to bottom."""

    segment_num: int
    labels: list[int]
    folds: list[str]  # such as "left 3 over"
    reference_answer: str

    max_difficulty = 42  # the labels have two digits

    template = """
        A strip of paper lies flat on a table. It is divided into {segment_num} equal segments side by side. From left to right they carry these numbers:

        {strip}

        The strip is folded several times. Before each fold the folded paper is some number w of columns wide; each column is a pile of one or more segments. The columns are counted from 1 at the left, anew before each fold. A fold is described by a side, an integer k with 1 <= k <= w - 1, and a word:
        - "left k over": the leftmost k columns are turned over along the border (the crease) between them and the other columns, and are laid on top of the other columns.
        - "left k under": the same, but the leftmost k columns are turned below the other columns.
        - "right k over": the rightmost k columns are turned over along the border between them and the other columns, and are laid on top of the other columns.
        - "right k under": the same, but the rightmost k columns are turned below the other columns.

        Of the turned columns, the one next to the crease comes to lie on (or below) that one of the other columns which is next to the crease, the second from the crease on (or below) the second, and so on. In each turned column the order of the segments from top to bottom is reversed. If more columns are turned than remain, the surplus turned columns stick out and form columns of their own. So the paper is max(k, w - k) columns wide after the fold.

        The folds, in this order:

        {fold_list}

        At the end the paper is one column wide. What are the numbers of its {segment_num} segments from top to bottom?

        Output format: the {segment_num} integers from top to bottom, separated by single spaces.
        """

    def prompt(self) -> str:
        return self.fill(
            strip=" ".join(map(str, self.labels)),
            fold_list="\n".join(f"{i}. {text}" for i, text in enumerate(self.folds, 1)),
        )

    @classmethod
    def level(cls, d: int) -> list[rlve.Level]:
        return [{"segment_num": 5 + 2 * d}]

    @classmethod
    def sample(cls, rng: Random, segment_num: int) -> Self:
        labels = rng.sample(range(10, 100), segment_num)
        for _ in range(200):
            folds = random_folds(rng, segment_num)
            order = folded(labels, folds)
            if order not in (labels, labels[::-1]):
                break
        else:
            # The segments come alternately to the bottom and to the top.
            folds = ["left 1 over"] * (segment_num - 1)
            order = folded(labels, folds)
        return cls(
            segment_num=segment_num,
            labels=labels,
            folds=folds,
            reference_answer=" ".join(map(str, order)),
        )

    def parse(self, text: str) -> list[int]:
        answer = list(integers(text))
        if len(answer) != self.segment_num:
            raise rlve.Unparseable("wrong number of integers")
        return answer

    def score(self, answer: list[int]) -> float:
        return 1.0 if list(answer) == [int(part) for part in self.reference_answer.split()] else 0.0
