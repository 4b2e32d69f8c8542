from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.primes import totient
from rlve.answers import integer
from rlve.rewards import exact_residue
from rlve.text import spaced
from rlve.work import Work


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
        yield "Powers of 2 modulo m repeat with a period. So the exponent, which is a term itself,"
        yield "only matters modulo that period, and so on."
        return str((yield from remainder(self.MOD)))


def remainder(m: int) -> Work[int]:
    """The remainder of all late terms modulo m, from that modulo the period of the powers of 2."""
    powers, steps = [1 % m], list[str]()
    places = {powers[0]: 0}
    while (twice := 2 * powers[-1]) % m not in places:
        over = f", {twice} - {m} = {twice - m}" if twice >= m else ""
        steps.append(f"2 * {powers[-1]} = {twice}{over}")
        if len(steps) == 5:
            yield f"Modulo {m}: {', '.join(steps)}"
            steps.clear()
        places[twice % m] = len(powers)
        powers.append(twice % m)
    if steps:
        yield f"Modulo {m}: {', '.join(steps)}"
    start = places[twice % m]
    period = len(powers) - start
    yield f"Powers 2^0, 2^1, ... modulo {m}: {spaced(powers)}, then again {powers[start]}"
    if period == 1:
        yield f"So late terms are {powers[start]} modulo {m}"
        return powers[start]
    yield f"The period is {period}, so we need the exponent modulo {period}"
    exponent = yield from remainder(period)
    e = start + (exponent - start) % period
    yield f"An exponent that is {exponent} modulo {period} acts like {e}: 2^{e} gives {powers[e]}"
    yield f"So late terms are {powers[e]} modulo {m}"
    return powers[e]


def tower(m: int) -> int:
    """The remainder modulo m of all towers that are high enough.

    By the extension of Euler's theorem, 2^e depends only on the remainder of e modulo totient(m),
    as long as e is at least totient(m).
    """
    if m == 1:
        return 0
    period = totient(m)
    return pow(2, tower(period) + period, m)
