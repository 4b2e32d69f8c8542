from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.rewards import exact
from rlve.work import Work, multiply

WORDINGS = (
    "Multiply {a} by {b}.",
    "What is {a} times {b}?",
    "Compute the product of {a} and {b}.",
    "Work out {a} * {b} exactly.",
    "{a} * {b} = ?",
    "Which number is the product of the two factors {a} and {b}?",
    "Each of {a} shelves holds {b} books. How many books are there?",
    "Evaluate {a} * {b}.",
    "What do you get when {a} is multiplied by {b}?",
    "Add up {b} copies of the number {a}. What is the sum?",
)


class Multiplication(Environment[int]):
    """Multiply two non-negative integers."""

    digit_num: int  # a and b have at most this many digits
    a: int
    b: int
    reference_answer: int
    prompt_template: int  # which of the wordings the prompt uses

    max_difficulty = 1_000  # the highest difficulty measured

    template = """
        {question}

        Output format: one integer in decimal digits, without thousands separators.
        """

    def prompt(self) -> str:
        return self.fill(question=WORDINGS[self.prompt_template].format(a=self.a, b=self.b))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"digit_num": 2 + d}]

    @classmethod
    def sample(cls, rng: Random, digit_num: int) -> Self:
        a, b = rng.randrange(10**digit_num), rng.randrange(10**digit_num)
        return cls(
            digit_num=digit_num,
            a=a,
            b=b,
            reference_answer=a * b,
            prompt_template=rng.randrange(len(WORDINGS)),
        )

    def parse(self, text: str) -> int:
        return integer(text, max_digits=4000)

    def score(self, answer: int) -> float:
        return exact(answer == self.reference_answer)

    def work(self) -> Work[str]:
        return str((yield from multiply(self.a, self.b, by_digits=True)))
