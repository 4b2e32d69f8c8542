from collections.abc import Iterable, Mapping
from itertools import zip_longest
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.arrays import is_permutation
from rlve.answers import integers
from rlve.rewards import INVALID, ratio
from rlve.text import joined, spaced
from rlve.work import Work, deduce, state


class Cryptarithmetic(Environment[list[int]]):
    """Find digits for symbols that make a given addition true.

    Any assignment that makes it true is right; there can be several. A sum that comes out longer
    than the given one is wrong in its top digit.
    """

    N: int
    addend_length: int
    digits: list[int]  # the planted digit of each symbol
    addend_1: list[int]  # the planted digits of the numbers, least significant first
    addend_2: list[int]
    sum_result: list[int]
    reference_answer: str

    max_difficulty = 500  # at 600, a prompt exceeds 32,000 characters
    unique_up_to = None  # several answers can be right

    template = """
        In base {N}, the {N} symbols {symbols} stand for the digits 0 to {last}: each symbol for a
        different digit. Numbers are written with the most significant digit first, and may have
        leading zeros.

        Find digits for the symbols such that this addition is true:

        {addend_1}
        + {addend_2}
        = {sum_result}

        There is a solution; if there are several, any of them is right.

        Output format: one line with the digits of {symbols}, in this order, written in decimal
        notation and separated by spaces. For example, {identity} means that d[i] = i for every i.
        """

    def prompt(self) -> str:
        return self.fill(
            symbols=", ".join(f"d[{i}]" for i in range(self.N)),
            last=self.N - 1,
            addend_1=self.written(self.addend_1),
            addend_2=self.written(self.addend_2),
            sum_result=self.written(self.sum_result),
            identity=spaced(range(self.N)),
        )

    def written(self, number: list[int]) -> str:
        return joined(f"d[{symbol}]" for symbol in reversed(self.symbols(number)))

    def symbols(self, number: list[int]) -> list[int]:
        """The symbols that stand for these digits."""
        symbol_of = inverse(self.digits)
        return [symbol_of[digit] for digit in number]

    @classmethod
    def level(cls, d: int) -> list[Level]:
        N = d + 3
        lengths = range(N + 3, max(N + 3, 2 * N) + 1)
        return [{"N": N, "addend_length": length} for length in lengths]

    @classmethod
    def sample(cls, rng: Random, N: int, addend_length: int) -> Self:
        digits = rng.sample(range(N), N)
        a, b = (
            [*(rng.randrange(N) for _ in range(addend_length - 1)), rng.randint(1, N - 1)]
            for _ in range(2)
        )
        return cls(
            N=N,
            addend_length=addend_length,
            digits=digits,
            addend_1=a,
            addend_2=b,
            sum_result=total(a, b, N),
            reference_answer=spaced(digits),
        )

    def parse(self, text: str) -> list[int]:
        return integers(text)

    def score(self, answer: list[int]) -> float:
        if not is_permutation(answer, self.N):
            return INVALID
        a, b = (
            [answer[symbol] for symbol in self.symbols(x)] for x in (self.addend_1, self.addend_2)
        )
        given = [answer[symbol] for symbol in self.symbols(self.sum_result)]
        computed = total(a, b, self.N)
        # Digits that only the given sum has must be zeros; a digit that only the computed sum has
        # is a carry, which is never 0.
        right = sum(x == y for x, y in zip_longest(computed, given, fillvalue=0))
        return ratio(right, max(len(computed), len(given))) ** 3

    def work(self) -> Work[str | None]:
        yield f"Rule out digits for which a column does not add up in base {self.N}."
        yield "Columns count from the right, and missing digits are 0. Where a carry is not known,"
        yield "there is (+ 1)."
        numbers = (self.symbols(x) for x in (self.addend_1, self.addend_2, self.sum_result))
        columns = list(zip_longest(*numbers))
        seen = [x for column in columns for x in column if x is not None]
        order = list(dict.fromkeys([*seen, *range(self.N)]))

        def conflict(digits: Mapping[int, int], symbol: int, digit: int) -> str | None:
            if digit in digits.values():
                return "taken"
            tried: Mapping[int | None, int | None] = {**digits, symbol: digit, None: 0}
            carries = {0}  # that can come into a column
            for place, column in enumerate(columns, 1):
                x, y, z = (tried.get(part) for part in column)
                if x is None or y is None or z is None:
                    carries = {0, 1}
                    continue
                sums = [x + y + carry for carry in carries]
                carry = "" if carries == {0} else " + 1" if carries == {1} else " (+ 1)"
                carries = {total // self.N for total in sums if total % self.N == z}
                if not carries:
                    return f"column {place}: {x} + {y}{carry}, not {z}"
            return None if 0 in carries else "a carry would be left"

        found = yield from deduce(
            order,
            lambda symbol: range(self.N),
            conflict,
            name=lambda symbol: f"d[{symbol}]",
            show=lambda digits: state(
                "Set so far", (f"d[{i}]={x}" for i, x in sorted(digits.items()))
            ),
        )
        if found is None:
            return None
        yield state(f"d[0] to d[{self.N - 1}]", (found[i] for i in range(self.N)))
        return spaced(found[i] for i in range(self.N))


def inverse(permutation: list[int]) -> list[int]:
    return sorted(range(len(permutation)), key=permutation.__getitem__)


def total(a: Iterable[int], b: Iterable[int], base: int) -> list[int]:
    """The sum of two numbers of equal length, as digits, least significant first."""
    digits: list[int] = []
    carry = 0
    for x, y in zip(a, b, strict=True):
        carry, digit = divmod(x + y + carry, base)
        digits.append(digit)
    return [*digits, carry] if carry else digits
