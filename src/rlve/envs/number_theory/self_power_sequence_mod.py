from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.primes import totient
from rlve.answers import integer
from rlve.rewards import exact_residue
from rlve.work import Work

PER_LINE = 5  # powers in one line of a worked solution


class SelfPowerSequenceMOD(Environment[int]):
    """Find the remainder at which the towers 2, 2^2, 2^(2^2), ... settle."""

    MAX_MOD: int
    MOD: int
    reference_answer: int

    max_difficulty = 70  # at 90, generating a problem takes too long

    template = """
        Let a[0] = 1 and a[n] = 2^(a[n-1]) for every n >= 1. So the sequence begins with 1, 2, 4,
        16, 65536.

        The remainder of a[n] divided by {MOD} is the same for all n from some n on. What is this
        remainder?

        Output format: one integer from 0 to {largest}, the remainder.
        """

    def prompt(self) -> str:
        return self.fill(largest=self.MOD - 1)

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_MOD": 16 * 2**d}]

    @classmethod
    def sample(cls, rng: Random, MAX_MOD: int) -> Self:
        MOD = rng.randint(3, MAX_MOD)
        return cls(MAX_MOD=MAX_MOD, MOD=MOD, reference_answer=tower(MOD))

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        return exact_residue(answer, self.reference_answer, self.MOD)

    def work(self) -> Work[str]:
        yield "Powers of 2 modulo m repeat with a period, from some power on. So a late exponent,"
        yield "which is a term itself, only matters modulo that period, and so on. Power e is 2^e."
        return str((yield from remainder(self.MOD)))


def remainder(m: int) -> Work[int]:
    """The remainder of all late terms modulo m, from that modulo the period of the powers of 2."""
    powers, steps = [1], ["power 0: 1"]
    places = {1: 0}
    while (twice := 2 * powers[-1]) % m not in places:
        steps.append(doubled(powers, m))
        places[twice % m] = len(powers)
        powers.append(twice % m)
        if len(steps) == PER_LINE:
            yield f"Modulo {m}, {'; '.join(steps)}"
            steps.clear()
    start = places[twice % m]
    period = len(powers) - start
    steps.append(f"{doubled(powers, m)}, the same as power {start}")
    yield f"Modulo {m}, {'; '.join(steps)}"
    if period == 1:
        yield f"So late terms are {powers[start]} modulo {m}"
        return powers[start]
    yield (
        f"The period is {len(powers)} - {start} = {period}, so we need the exponent modulo {period}"
    )
    exponent = yield from remainder(period)
    e = start + (exponent - start) % period
    first = ""
    if e > exponent:
        yield f"Power {exponent} is before the repeating part, which starts with power {start}"
        first = f", the first such from {start} on"
    yield (
        f"An exponent that is {exponent} modulo {period} acts like {e}{first}: "
        f"power {e} is {powers[e]}"
    )
    yield f"So late terms are {powers[e]} modulo {m}"
    return powers[e]


def doubled(powers: list[int], m: int) -> str:
    """The step to the next power of 2 modulo m."""
    twice = 2 * powers[-1]
    over = f", {twice} - {m} = {twice - m}" if twice >= m else ""
    return f"power {len(powers)}: 2 * {powers[-1]} = {twice}{over}"


def tower(m: int) -> int:
    """The remainder modulo m of all towers that are high enough.

    By the extension of Euler's theorem, 2^e depends only on the remainder of e modulo totient(m),
    as long as e is at least totient(m).
    """
    if m == 1:
        return 0
    period = totient(m)
    return pow(2, tower(period) + period, m)
