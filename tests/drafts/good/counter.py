from random import Random
from typing import Self

import rlve
from rlve.answers import integer
from rlve.rewards import RIGHT, WRONG


class Counter(rlve.Environment[int]):
    """Follow a counter through a short program."""

    start: int
    modulus: int
    program: list[list[int]]
    reference_answer: int

    template = """
        A machine has one counter, which starts at {start}. Its program is

        {listing}

        and is carried out from left to right. PLUS k adds k to the counter, MINUS k subtracts k
        from the counter, TIMES k multiplies the counter by k, and HALF replaces the counter by its
        half, rounded down. After every instruction the counter is replaced by its remainder, a
        number from 0 to {modulus} - 1, on division by {modulus}.

        Output format: one integer, the value of the counter at the end.
        """

    def prompt(self) -> str:
        words = ("PLUS {}", "MINUS {}", "TIMES {}", "HALF")
        return self.fill(listing=", ".join(words[kind].format(k) for kind, k in self.program))

    @classmethod
    def level(cls, d: int) -> list[rlve.Level]:
        return [{"length": 4 + d, "modulus": 97 + 10 * d}]

    @classmethod
    def sample(cls, rng: Random, length: int, modulus: int) -> Self:
        start = rng.randrange(modulus)
        program = [[rng.randrange(4), rng.randrange(2, modulus)] for _ in range(length)]
        value = follow(start, program, modulus)
        return cls(start=start, modulus=modulus, program=program, reference_answer=value)

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return RIGHT if answer == self.reference_answer else WRONG


def follow(value: int, program: list[list[int]], modulus: int) -> int:
    for kind, k in program:
        value = (value + k, value - k, value * k, value // 2)[kind] % modulus
    return value
