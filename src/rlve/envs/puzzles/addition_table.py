from itertools import combinations_with_replacement
from operator import eq
from random import Random
from string import ascii_lowercase
from typing import Self

from rlve import Environment, Level
from rlve.answers import integers
from rlve.errors import Unparseable
from rlve.rewards import INVALID, WRONG, ratio
from rlve.text import lines, spaced
from rlve.work import Work, state


class AdditionTable(Environment[list[int]]):
    """Find the base, and the digit each letter stands for, from a complete addition table.

    Anything but a list of integers is ill-formed, with the published reward of -0.5.
    """

    N: int
    digit2letter: list[str]  # the letter of each digit
    reference_answer: str

    max_difficulty = 1_000  # the highest difficulty measured

    template = """
        In base N (N >= 3), the digits are written as the letters {letters}. Each letter
        stands for a different digit from 0 to N - 1, and every digit has a letter. Letters written
        next to each other form a number in base N, with the most significant digit first: ba is
        the number b * N + a.

        Here are the sums of all pairs of letters:

        {table}

        Find N and the digit of each letter.

        Output format: one line of integers in decimal notation, separated by spaces: first N, then
        the digits of {letters}, in this order.
        """

    def prompt(self) -> str:
        letters = sorted(self.digit2letter)
        digits = {letter: digit for digit, letter in enumerate(self.digit2letter)}
        table = [
            f"{p} + {q} = {self.written(digits[p] + digits[q])}"
            for p, q in combinations_with_replacement(letters, 2)
        ]
        return self.fill(letters=", ".join(letters), table=lines(table))

    def written(self, total: int) -> str:
        """The sum of two digits in letters."""
        carry, digit = divmod(total, self.N)
        return (self.digit2letter[1] if carry else "") + self.digit2letter[digit]

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": min(26, d + 3)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        letters = ascii_lowercase[:N]
        digit2letter = rng.sample(letters, N)
        digits = [digit2letter.index(letter) for letter in letters]
        return cls(N=N, digit2letter=digit2letter, reference_answer=spaced([N, *digits]))

    def parse(self, text: str) -> list[int]:
        try:
            return integers(text)
        except Unparseable as error:
            raise Unparseable(str(error), reward=INVALID) from None

    def score(self, answer: list[int]) -> float:
        if len(answer) != self.N + 1:
            return INVALID
        base, *values = answer
        if base != self.N:
            return WRONG
        digits = [self.digit2letter.index(letter) for letter in sorted(self.digit2letter)]
        return ratio(sum(map(eq, values, digits)), self.N) ** 3

    def work(self) -> Work[str]:
        letters = sorted(self.digit2letter)
        digits = {letter: digit for digit, letter in enumerate(self.digit2letter)}

        def written(p: str, q: str) -> str:
            """What the table says of a sum."""
            return self.written(digits[p] + digits[q])

        yield f"There are {self.N} letters, so N = {self.N}."
        zero = next(x for x in letters if written(x, x) == x)
        yield f"{zero} + {zero} = {zero}, which only 0 does: {zero} = 0"
        p, q = next((p, q) for p in letters for q in letters if len(written(p, q)) == 2)
        one = written(p, q)[0]
        yield f"{p} + {q} = {written(p, q)} has two digits, but is below 2 * N, so {one} = 1"
        found, last = {zero: 0, one: 1}, one
        while len(found) < self.N:
            before, last = last, written(last, one)
            found[last] = found[before] + 1
            yield f"{before} + {one} = {last}: {last} = {found[before]} + 1 = {found[last]}"
        answer = [self.N, *(found[letter] for letter in letters)]
        yield state("N and the digits in the order of the letters", answer)
        return spaced(answer)
