import re
from fractions import Fraction
from random import Random
from typing import Self

import rlve
from rlve.answers import text_lines


def sum_counts(dice: list[list[int]]) -> dict[int, int]:
    """How many of the equally likely throws have each sum."""
    counts = {0: 1}
    for faces in dice:
        more: dict[int, int] = {}
        for total, count in counts.items():
            for face in faces:
                more[total + face] = more.get(total + face, 0) + count
        counts = more
    return counts


def thresholds(dice: list[list[int]]) -> list[tuple[int, Fraction]]:
    """The numbers that can be asked for, each with the probability of a larger sum."""
    counts = sum_counts(dice)
    larger = total = sum(counts.values())
    found: list[tuple[int, Fraction]] = []
    for threshold in range(min(counts), max(counts)):
        larger -= counts.get(threshold, 0)
        chance = Fraction(larger, total)
        if Fraction(1, 20) <= chance <= Fraction(19, 20) and chance.denominator >= 5:
            found.append((threshold, chance))
    return found


class UnusualDice(rlve.Environment[str]):
    """The probability that the sum of unusual dice is larger than a number."""

    max_difficulty = 20

    dice: list[list[int]]
    threshold: int
    reference_answer: str

    template = """
        There are {dice_num} fair dice with these numbers on their faces (a number that is on several faces of a die is listed that many times):

        {rows}

        All dice are thrown once, independently of each other; on each die every listed face is equally likely. What is the probability that the sum of the {dice_num} thrown numbers is strictly larger than {threshold}? A sum that is equal to this number does not count.

        Output format: the probability as a fraction p/q in lowest terms, two positive integers with a slash between them and without spaces, such as 7/12.
        """

    @classmethod
    def level(cls, d: int) -> list[rlve.Level]:
        return [
            {
                "dice_num": 2 + d // 5,
                "most_faces": 6 + d // 7,
                "lowest": -(d // 2) if d >= 10 else 1,
                "highest": 6 + d,
            }
        ]

    @classmethod
    def sample(cls, rng: Random, dice_num: int, most_faces: int, lowest: int, highest: int) -> Self:
        for _ in range(200):
            dice = [
                sorted(rng.randint(lowest, highest) for _ in range(rng.randint(4, most_faces))) for _ in range(dice_num)
            ]
            if any(faces[0] == faces[-1] or dice.count(faces) > 1 for faces in dice):
                continue
            choices = thresholds(dice)
            if choices:
                break
        else:
            # The denominators of five-sided dice are powers of 5.
            dice = [[lowest + i + face for face in range(5)] for i in range(dice_num)]
            choices = thresholds(dice)
        threshold, chance = rng.choice(choices)
        return cls(dice=dice, threshold=threshold, reference_answer=f"{chance.numerator}/{chance.denominator}")

    def prompt(self) -> str:
        rows = [f"die {i}: " + ", ".join(map(str, faces)) for i, faces in enumerate(self.dice, 1)]
        return self.fill(dice_num=str(len(self.dice)), rows="\n".join(rows))

    def parse(self, text: str) -> str:
        match = re.fullmatch(r"([0-9]{1,60}) ?/ ?([0-9]{1,60})", " ".join(text_lines(text)).strip())
        if match is None:
            raise rlve.Unparseable("not a fraction p/q")
        return f"{int(match[1])}/{int(match[2])}"

    def score(self, answer: str) -> float:
        return 1.0 if answer == self.reference_answer else 0.0
