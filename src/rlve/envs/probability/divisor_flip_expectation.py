from fractions import Fraction
from math import factorial
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import INVALID, exact
from rlve.text import counted, lines, spaced
from rlve.work import (
    Work,
    add_fractions,
    divide,
    modulo,
    multiply,
    multiply_all,
    multiply_fractions,
    state,
)

MOD = 1_000_000_007


class DivisorFlipExpectation(Environment[int]):
    """Find the expected number of presses until all lights are off."""

    N: int
    K: int
    state: list[int | None]  # of light i at index i; there is no light 0
    reference_answer: int

    max_difficulty = 50  # at 60, a prompt exceeds 32,000 characters

    template = """
        There are {N} lights and {N} switches, both numbered from 1 to {N}. Pressing switch i
        toggles every light whose number divides i: it is turned off if it was on, and on if it was
        off.
        These are the states of the lights at the start, 1 for on and 0 for off:

        {states}

        As long as no sequence of at most {presses} turns all lights off, a switch is chosen
        uniformly at random from the {N} switches, independently of all earlier choices, and
        pressed. As soon as one of at most {presses} does so (perhaps at the start), a shortest
        sequence of presses that turns all lights off is carried out, and that is the end.

        Let E be the expected number of all presses together, and {N}! the factorial of {N}.
        E * {N}! is an integer. What is its remainder when it is divided by {mod}?

        Output format: one integer from 0 to {largest}.
        """

    def prompt(self) -> str:
        states = (f"light {i}: {self.state[i]}" for i in range(1, self.N + 1))
        return self.fill(
            states=lines(states),
            presses=counted(self.K, "press", "presses"),
            mod=MOD,
            largest=MOD - 1,
        )

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"N": grow(3, d)}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        K = rng.randint(0, N)
        lit = rng.random()  # the probability that a light is on
        state = [int(rng.random() < lit) for _ in range(N)]
        gold = int(expected_presses(state, K) * factorial(N)) % MOD
        return cls(N=N, K=K, state=[None, *state], reference_answer=gold)

    def parse(self, text: str) -> int:
        return integer(text)

    def score(self, answer: int) -> float:
        if not 0 <= answer < MOD:
            return INVALID
        return exact(answer == self.reference_answer)

    def work(self) -> Work[str]:
        N, K = self.N, self.K
        needed = yield from count_switches([int(light or 0) for light in self.state[1:]])
        total = Fraction(needed)
        if needed <= K:
            yield f"{needed} <= {K}, so E = {needed}"
        else:
            yield "Let s(i) be the expected number of presses from i needed switches to i - 1."
            yield f"A press is one of these i, or else, {N} - i times out of {N}, i + 1 are needed:"
            yield f"s(i) = 1 + ({N} - i) / {N} * (s(i + 1) + s(i)),"
            yield f"so s({N}) = 1 and s(i) = ({N} + ({N} - i) * s(i + 1)) / i"
            yield f"E is {K}, for the sequence at the end, plus all s(i) with {K} < i <= {needed}."
            total, steps = Fraction(K), Fraction(1)
            for i in range(N, K, -1):
                if i < N:
                    product = yield from multiply_fractions(Fraction(N - i), steps)
                    whole = yield from add_fractions(Fraction(N), product)
                    steps = yield from multiply_fractions(whole, Fraction(1, i))
                    yield f"So s({i}) = {steps}"
                if i <= needed:
                    yield f"E is {total} so far, and {steps}:"
                    total = yield from add_fractions(total, steps)
            yield f"So E = {total}"
        factorial = yield from multiply_all(list(range(1, N + 1)))
        yield f"So {N}! = {factorial}"
        share = factorial
        if total.denominator > 1:
            share, _ = yield from divide(factorial, total.denominator)
        scaled = yield from multiply(share, total.numerator)
        answer = scaled if scaled < MOD else (yield from modulo(scaled, MOD))
        yield f"So the answer is {answer}"
        return str(answer)


def count_switches(lights: list[int]) -> Work[int]:
    """How many switches turn all lights off; a light has its own and those of multiples."""
    yield "Only switch i and later ones toggle light i. So, from the last light down, the switch of"
    yield "each light that is on is needed, and no other."
    count = 0
    for i in range(len(lights), 0, -1):
        if lights[i - 1]:
            count += 1
            changed = [light for light in range(1, i + 1) if i % light == 0]
            lights = [on ^ (light in changed) for light, on in enumerate(lights, 1)]
            yield f"Switch {i} toggles {spaced(changed)}. {state('Lights', lights)}"
    yield f"Needed: {count}"
    return count


def expected_presses(state: list[int], K: int) -> Fraction:
    """The state of light i is at index i - 1."""
    N, needed = len(state), switches_needed(state)
    if needed <= K:
        return Fraction(needed)
    total = Fraction(K)
    steps = Fraction(0)  # expected random presses to get from i needed switches to i - 1
    for i in range(N, K, -1):
        steps = (N + (N - i) * steps) / i
        if i <= needed:
            total += steps
    return total


def switches_needed(state: list[int]) -> int:
    """The only set of switches that turns all lights off: the last light needs its own switch."""
    state = list(state)
    count = 0
    for i in range(len(state), 0, -1):
        if state[i - 1]:
            count += 1
            for light in range(1, i + 1):
                if i % light == 0:
                    state[light - 1] ^= 1
    return count
