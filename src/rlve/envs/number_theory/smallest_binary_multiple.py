from collections import deque
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.work import Work, divide


class SmallestBinaryMultiple(Environment[int]):
    """Find the smallest factor that gives a product with only the digits 0 and 1."""

    MAX_A: int
    A: int
    reference_answer: int

    max_difficulty = 90  # at 115, generating a problem takes too long

    template = """
        Find the smallest integer B >= 1 for which the product {A} * B, in decimal notation, has no
        digits other than 0 and 1.

        Output format: one positive integer, B (not the product).
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_A": grow(10, d)}]

    @classmethod
    def sample(cls, rng: Random, MAX_A: int) -> Self:
        A = rng.randint(2, MAX_A)
        return cls(MAX_A=MAX_A, A=A, reference_answer=smallest_multiple(A) // A)

    def parse(self, text: str) -> int:
        return integer(text, low=1)

    def score(self, answer: int) -> float:
        if not set(str(self.A * answer)) <= {"0", "1"}:
            return INVALID
        return ratio(self.reference_answer, answer) ** 5

    def work(self) -> Work[str]:
        A = self.A
        yield "Go through the numbers with digits 0 and 1 in ascending order, and append"
        yield "a digit to each. 10 times its remainder plus the digit gives the new remainder."
        yield "Of several numbers with the same remainder only the first matters: with the same"
        yield "digits appended, a later one has the same remainder again, but is larger."
        yield f"1: 1 mod {A} = {1 % A}"
        queue, seen = deque([(1, 1 % A)]), {1 % A}
        while True:
            number, rest = queue.popleft()
            for digit in (0, 1):
                longer, value = 10 * number + digit, 10 * rest + digit
                new = value % A not in seen
                yield (
                    f"10 * {number} + {digit} = {longer}: 10 * {rest} + {digit} = {value}, "
                    f"{value} mod {A} = {value % A}{'' if new else ', not new'}"
                )
                if new:
                    seen.add(value % A)
                    queue.append((longer, value % A))
                if value % A == 0:
                    B, _ = yield from divide(longer, A)
                    yield f"So B = {B}"
                    return str(B)


def smallest_multiple(A: int) -> int:
    """The smallest positive multiple of A whose digits are all 0 or 1.

    Numbers with such digits are tried in ascending order. Of several with the same remainder, only
    the first is continued, which leaves at most A; there is always a multiple among them.
    """
    queue = deque([1])
    seen = {1 % A}
    while queue[0] % A:
        number = queue.popleft()
        for longer in (10 * number, 10 * number + 1):
            if longer % A not in seen:
                seen.add(longer % A)
                queue.append(longer)
    return queue[0]
