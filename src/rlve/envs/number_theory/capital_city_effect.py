from itertools import groupby
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import closeness
from rlve.work import Work, add_to


class CapitalCityEffect(Environment[int]):
    """Sum, over a range of integers, a score that rewards runs of equal digits."""

    MAX_R: int
    R: int
    L: int
    reference_answer: int

    max_difficulty = 1_000  # the highest difficulty measured

    template = """
        For a positive integer x in decimal notation, split its digits into maximal runs of equal
        digits. Let f(x) be the sum, over the runs, of the digit times the square of the run's
        length. For example, 7744422 has the runs 77, 444 and 22, so
        f(7744422) = 7 * 2^2 + 4 * 3^2 + 2 * 2^2 = 72.

        Compute the sum of f(x) over all integers x with {L} <= x <= {R}.

        Output format: one integer, the sum.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_R": grow(20, d, by=1.5, plus=0)}]

    @classmethod
    def sample(cls, rng: Random, MAX_R: int) -> Self:
        R = rng.randint(20, MAX_R)
        L = rng.randint(1, R)
        return cls(MAX_R=MAX_R, R=R, L=L, reference_answer=total_below(R + 1) - total_below(L))

    def parse(self, text: str) -> int:
        return integer(text, low=0)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 10

    def work(self) -> Work[str]:
        total = 0
        for x in range(self.L, self.R + 1):
            runs = [(digit, len(list(run))) for digit, run in groupby(str(x))]
            value = sum(int(digit) * length**2 for digit, length in runs)
            terms = [digit if length == 1 else f"{digit} * {length}^2" for digit, length in runs]
            shown = " + ".join(terms)
            total = yield from add_to(
                total, value, f"f({x}) = {shown}" + ("" if shown == str(value) else f" = {value}")
            )
        yield f"So the sum is {total}"
        return str(total)


def total_below(n: int) -> int:
    """The sum of f(x) over 0 <= x < n; leading zeros change no f(x).

    The numbers below n are grouped by the first digit that differs from n's.
    """
    digits = [int(c) for c in str(n)]
    total = closed = 0  # closed: f of the runs before the one at the end of the prefix
    last, length = 0, 0  # the digit and the length of that run
    for i, digit in enumerate(digits):
        free = len(digits) - i - 1
        for smaller in range(digit):
            if smaller == last:
                prefix, run = closed, length + 1
            else:
                prefix, run = closed + last * length**2, 1
            total += prefix * 10**free + completions(smaller, run, free)
        if digit == last:
            length += 1
        else:
            closed += last * length**2
            last, length = digit, 1
    return total


def completions(digit: int, run: int, free: int) -> int:
    """The sum of f over a run of the digit followed by each of the 10^free digit strings.

    The square of a length counts the ordered pairs of positions in the run. So each pair adds its
    digit in every string that has no other digit between the two.
    """
    total = digit * run**2 * 10**free
    for k in range(1, free + 1):
        reaching = digit * 2 * run * 10 ** (free - k)  # from the run to the k-th digit after it
        inside = 45 * (free - k + 1) * 10 ** (free - k)  # both among k consecutive free digits
        total += reaching + (inside if k == 1 else 2 * inside)
    return total
