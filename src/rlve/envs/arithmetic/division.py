from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.rewards import exact
from rlve.work import Work, divide

WORDINGS = (
    "Divide {a} by {b} and round the result down to an integer.",
    "What is the quotient of {a} divided by {b} when the remainder is dropped?",
    "Compute floor({a} / {b}).",
    "What is the largest integer q with {b} * q <= {a}?",
    "Find the integer q such that {a} = {b} * q + r for an integer r with 0 <= r < {b}.",
    "What is the integer part of the fraction {a}/{b}?",
    "{a} items are packed into boxes, {b} to a box. How many boxes become full?",
    "How many times does {b} fit completely into {a}?",
    "Carry out the long division {a} : {b}. What is the quotient, leaving out the remainder?",
    "How many times can {b} be subtracted from {a} before the result would be negative?",
)


class Division(Environment[int]):
    """Divide two integers and round the quotient down."""

    divisor_digit_num: int  # b has at most this many digits,
    answer_digit_num: int  # and the quotient at most this many
    b: int
    a: int
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
        return [{"divisor_digit_num": 1 + d, "answer_digit_num": 1 + d}]

    @classmethod
    def sample(cls, rng: Random, divisor_digit_num: int, answer_digit_num: int) -> Self:
        b = rng.randrange(1, 10**divisor_digit_num)
        quotient = rng.randrange(10**answer_digit_num)
        return cls(
            divisor_digit_num=divisor_digit_num,
            answer_digit_num=answer_digit_num,
            b=b,
            a=b * quotient + rng.randrange(b),
            reference_answer=quotient,
            prompt_template=rng.randrange(len(WORDINGS)),
        )

    def parse(self, text: str) -> int:
        return integer(text, max_digits=4000)

    def score(self, answer: int) -> float:
        return exact(answer == self.reference_answer)

    def work(self) -> Work[str]:
        quotient, _ = yield from divide(self.a, self.b)
        return str(quotient)
