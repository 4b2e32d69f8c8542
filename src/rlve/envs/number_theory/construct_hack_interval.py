from collections.abc import Iterator
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integers
from rlve.rewards import INVALID, exact
from rlve.work import Work


class ConstructHackInterval(Environment[list[int]]):
    """Find an interval of integers whose digit sums add up to a multiple of a given number."""

    MAX_MOD: int
    MOD: int

    guessable = "At low difficulties, an interval that is right for one MOD is right for many."

    max_difficulty = 80  # at 100, finding a reference takes too long
    unique_up_to = None  # several answers can be right

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

    def parse(self, text: str) -> list[int]:
        return integers(text, count=2)

    def score(self, answer: list[int]) -> float:
        L, R = answer
        if not 1 <= L <= R <= 10 * self.MOD:
            return INVALID
        return exact((total_up_to(R) - total_up_to(L - 1)) % self.MOD == 0)

    def reference(self) -> str:
        L, R = next(intervals(self.MOD))
        return f"{L} {R}"

    def work(self) -> Work[str]:
        yield f"Let S be f(1) + ... + f(n) modulo {self.MOD}. It is 0 for n = 0."
        yield f"When S comes back, the digit sums in between add up to a multiple of {self.MOD}."
        rest, first, n = 0, {0: 0}, 0
        while True:
            n += 1
            f = sum(map(int, str(n)))
            digits = f"f({n}) = {' + '.join(str(n))} = {f}, " if n > 9 else ""
            after = rest + f
            over = f", {after} mod {self.MOD} = {after % self.MOD}" if after >= self.MOD else ""
            yield f"n = {n}: {digits}S = {rest} + {f} = {after}{over}"
            rest = after % self.MOD
            if rest in first:
                break
            first[rest] = n
        before = first[rest]
        yield f"S = {rest} was there at n = {before}. So L = {before} + 1 = {before + 1}, R = {n}"
        return f"{before + 1} {n}"


def total_up_to(n: int) -> int:
    """f(1) + ... + f(n)."""
    total, power = 0, 1
    while power <= n:
        above, digit, below = n // (10 * power), n // power % 10, n % power
        total += (45 * above + digit * (digit - 1) // 2) * power + digit * (below + 1)
        power *= 10
    return total


def intervals(mod: int) -> Iterator[tuple[int, int]]:
    """The right intervals, in ascending order.

    The sums from a fixed L on grow by one digit sum at a time, so a fair share of all multiples of
    mod is met. At least one interval exists: among the mod + 1 sums f(1) + ... + f(n) with 0 <= n
    <= mod, two agree modulo mod.
    """
    limit = 10 * mod
    for start in range(limit):
        for target in range(total_up_to(start) + mod, total_up_to(limit) + 1, mod):
            end = first_reaching(target, start + 1, limit)
            if total_up_to(end) == target:
                yield start + 1, end


def first_reaching(target: int, low: int, high: int) -> int:
    """The first n in low .. high with f(1) + ... + f(n) >= target; high reaches it."""
    while low < high:
        middle = (low + high) // 2
        if total_up_to(middle) >= target:
            high = middle
        else:
            low = middle + 1
    return low
