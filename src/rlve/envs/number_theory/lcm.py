from math import lcm
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import exact
from rlve.sampling.rejection import prefer
from rlve.work import Work, least_multiple

WORDINGS = (
    "Find the least common multiple of {a} and {b}.",
    "What is LCM({a}, {b}), the least common multiple of the two numbers?",
    "What is the smallest positive integer that is divisible by both {a} and {b}?",
    "Which is the smallest positive number that is a multiple of {a} and also a multiple of {b}?",
    "List the positive multiples of {a} and those of {b}. What is the first number in both lists?",
    "Find the smallest integer n >= 1 that leaves remainder 0 when divided by {a} and by {b}.",
    "One lamp flashes every {a} seconds, another every {b} seconds. Both flash now. "
    "In how many seconds will they next flash at the same moment?",
    "Tiles that are {a} cm wide form one row, tiles that are {b} cm wide another. "
    "What is the smallest length in cm, above 0, that both rows can have exactly?",
    "What is the smallest common denominator of the fractions 1/{a} and 1/{b}?",
    "Compute the product of {a} and {b} divided by their greatest common divisor.",
)


class LCM(Environment[int]):
    """Compute the least common multiple of two integers.

    Most pairs have their product or the larger one as the answer, so such pairs are redrawn a few
    times.
    """

    MAX_a_b: int
    a: int
    b: int
    reference_answer: int
    prompt_template: int  # which of the wordings the prompt uses

    max_difficulty = 1_000  # the highest difficulty measured

    template = """
        {question}

        Output format: one integer.
        """

    def prompt(self) -> str:
        wording = WORDINGS[self.prompt_template % len(WORDINGS)]
        return self.fill(question=wording.format(a=self.a, b=self.b))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_a_b": grow(15, d, by=1.5, plus=0)}]

    @classmethod
    def sample(cls, rng: Random, MAX_a_b: int) -> Self:
        a, b = prefer(
            lambda: (rng.randint(2, MAX_a_b), rng.randint(2, MAX_a_b)),
            until=lambda pair: max(pair) < lcm(*pair) < pair[0] * pair[1],
            tries=4,
        )
        return cls(
            MAX_a_b=MAX_a_b,
            a=a,
            b=b,
            reference_answer=lcm(a, b),
            prompt_template=rng.randrange(len(WORDINGS)),
        )

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact(answer == self.reference_answer)

    def work(self) -> Work[str]:
        yield "The answer is the least common multiple: one number times the other, where the other"
        yield "is first divided by the greatest common divisor."
        return str((yield from least_multiple(self.a, self.b)))
