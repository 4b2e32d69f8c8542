from random import Random
from typing import Self

from rlve.answers import integers
from rlve.environment import Environment, Level
from rlve.errors import Unparseable
from rlve.rewards import INVALID, exact


class ConstructHackInterval(Environment[tuple[int, int]]):
    """Find an interval of integers whose digit sums add up to a multiple of a given number."""

    MAX_MOD: int
    MOD: int

    template = """
        Let f(x) be the sum of the decimal digits of x; for example, f(408) = 4 + 0 + 8 = 12.

        Find integers L and R with 1 <= L <= R <= {limit} such that the sum
        f(L) + f(L+1) + ... + f(R) is divisible by {MOD}. Any such pair is right, also one with
        L = R.

        Output format: L and R on one line, separated by a space.
        """

    def prompt(self) -> str:
        return self.fill(limit=10 * self.MOD)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_MOD": 10 * 2**d}]

    @classmethod
    def sample(cls, rng: Random, MAX_MOD: int) -> Self:
        return cls(MAX_MOD=MAX_MOD, MOD=rng.randint(1, MAX_MOD))

    def parse(self, text: str) -> tuple[int, int]:
        values = integers(text)
        if len(values) != 2:
            raise Unparseable(f"two integers are expected, not {len(values)}")
        return values[0], values[1]

    def score(self, answer: tuple[int, int]) -> float:
        L, R = answer
        if not 1 <= L <= R <= 10 * self.MOD:
            return INVALID
        return exact((total_up_to(R) - total_up_to(L - 1)) % self.MOD == 0)

    def reference(self) -> str:
        L, R = find_interval(self.MOD)
        return f"{L} {R}"


def total_up_to(n: int) -> int:
    """f(1) + ... + f(n)."""
    total, power = 0, 1
    while power <= n:
        above, digit, below = n // (10 * power), n // power % 10, n % power
        total += (45 * above + digit * (digit - 1) // 2) * power + digit * (below + 1)
        power *= 10
    return total


def find_interval(mod: int) -> tuple[int, int]:
    """An interval that is right; the smallest possible L is found.

    From each L the sums grow by one digit sum at a time, so each multiple of mod is met exactly
    with a fair chance and a handful of them is tried. Among the mod + 1 sums f(1) + ... + f(n)
    with 0 <= n <= mod two agree modulo mod: so an interval exists.
    """
    limit = 10 * mod
    for start in range(limit):
        before = total_up_to(start)
        for target in range(before + mod, total_up_to(limit) + 1, mod):
            end = first_reaching(target, start + 1, limit)
            if total_up_to(end) == target:
                return start + 1, end
    raise AssertionError("two of the sums agree")


def first_reaching(target: int, low: int, high: int) -> int:
    """The first n in low .. high with f(1) + ... + f(n) >= target; high reaches it."""
    while low < high:
        middle = (low + high) // 2
        if total_up_to(middle) >= target:
            high = middle
        else:
            low = middle + 1
    return low
