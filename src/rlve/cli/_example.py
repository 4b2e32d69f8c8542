from random import Random
from typing import Self

import rlve
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import closeness


class Example(rlve.Environment[int]):
    """Add up the digits of an integer."""

    # Everything that determines a problem. These fields are its JSON record.
    digit_num: int
    number: int
    reference_answer: int  # a correct answer

    max_difficulty = 60  # the highest at which problems are fast, and fit a prompt

    # What the model reads; {number} is the field.
    template = """
        Add up all decimal digits of the integer {number}.

        Output format: one integer, the sum of the digits.
        """

    @classmethod
    def level(cls, d: int) -> list[rlve.Level]:
        """What `sample` takes at difficulty d; it must grow with d."""
        return [{"digit_num": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, digit_num: int) -> Self:
        """One problem; all randomness comes from rng."""
        number = rng.randrange(10 ** (digit_num - 1), 10**digit_num)
        return cls(digit_num=digit_num, number=number, reference_answer=sum(map(int, str(number))))

    def parse(self, text: str) -> int:
        """The answer in an untrusted text; rlve.answers raises Unparseable if there is none."""
        return integer(text, low=0)

    def score(self, answer: int) -> float:
        """The reward, in [-1, 1]; 1 is correct."""
        return closeness(answer, self.reference_answer) ** 10
