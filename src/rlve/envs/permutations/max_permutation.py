from functools import cmp_to_key
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.arrays import is_permutation
from rlve.answers import integers
from rlve.levels import grow
from rlve.rewards import INVALID, ratio
from rlve.text import joined, lines, spaced
from rlve.work import Work, state


class MaxPermutation(Environment[list[int]]):
    """Order strings of digits so that they form the largest number when joined.

    An order that forms a smaller number never passes, however many leading digits are right.
    """

    N: int
    MAX_DIGIT_NUM: int
    array: list[str]
    gold: int  # the largest number
    reference_answer: str

    max_difficulty = 45  # at 52, numbers have more than 4,000 digits
    unique_up_to = None  # several answers can be right

    template = """
        Here are {N} strings of digits, with their indices from 0 to {last}:

        {strings}

        Put all {N} strings in an order, each index exactly once, and join them to one long
        string of digits. Choose the order such that this string, read as a decimal number, is as
        large as possible. If several orders make the largest number, each of them is accepted.

        Output format: one line with the {N} indices in the chosen order, separated by spaces.
        """

    def prompt(self) -> str:
        strings = [f"{i}: {digits}" for i, digits in enumerate(self.array)]
        return self.fill(last=self.N - 1, strings=lines(strings))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(3, d), "MAX_DIGIT_NUM": 5}]

    @classmethod
    def sample(cls, rng: Random, N: int, MAX_DIGIT_NUM: int) -> Self:
        prefixes = int(N * 0.6)
        bases = [joined(rng.choices("12", k=MAX_DIGIT_NUM)) for _ in range(N - prefixes)]
        array = bases + [
            rng.choice(bases)[: rng.randint(1, MAX_DIGIT_NUM)] for _ in range(prefixes)
        ]
        rng.shuffle(array)
        order = sorted(range(N), key=cmp_to_key(lambda i, j: precedence(array[i], array[j])))
        return cls(
            N=N,
            MAX_DIGIT_NUM=MAX_DIGIT_NUM,
            array=array,
            gold=int(joined(array[i] for i in order)),
            reference_answer=spaced(order),
        )

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if not is_permutation(answer, self.N):
            return INVALID
        return ratio(int(joined(self.array[i] for i in answer)), self.gold) ** 5

    def work(self) -> Work[str]:
        yield "If xy is a larger number than yx, put x before y: swapping neighbours y x is a gain."
        yield "This orders all strings: it compares xxx... with yyy..., each repeated without end."
        yield "Insert one string after the other, from the end as far forward as it should go."
        order: list[int] = []
        for i, digits in enumerate(self.array):
            place = len(order)
            while place > 0:
                other = self.array[order[place - 1]]
                sign = ">" if digits + other > other + digits else "<="
                both = f"{digits}{other} {sign} {other}{digits}"
                yield f"{i} before {order[place - 1]}? {digits} and {other}: {both}"
                if sign == "<=":
                    break
                place -= 1
            order.insert(place, i)
            yield state("Order", order)
        return spaced(order)


def precedence(x: str, y: str) -> int:
    """Negative if x should come before y, positive if after, 0 if it makes no difference."""
    return (x + y < y + x) - (x + y > y + x)
