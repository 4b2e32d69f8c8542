from itertools import accumulate
from operator import mul
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.primes import divisors, factorise, primes_up_to
from rlve.answers import integer
from rlve.levels import grow
from rlve.rewards import WRONG, closeness
from rlve.sampling.rejection import prefer, redraw
from rlve.text import spaced
from rlve.work import Work, divide, split_into_primes

UNSOLVABLE = 0.01  # the probability that GCD does not divide LCM


class GcdLcmCounting(Environment[int]):
    """Count the pairs of integers with a given gcd and a given lcm.

    The count is 2^k if k primes divide LCM / GCD, and at low levels k would rarely exceed 1. So k
    is drawn first, and then pairs until one has it, if the level has such pairs.
    """

    MAX_LCM: int
    LCM: int
    GCD: int
    reference_answer: int

    guessable = "At low difficulties nearly all counts are 1, 2 or 4, each of them in a third."

    max_difficulty = 100  # at 120, generating a problem takes too long

    template = """
        Count the ordered pairs (P, Q) of positive integers whose greatest common divisor is {GCD}
        and whose least common multiple is {LCM}.

        If P and Q are different, (P, Q) and (Q, P) are two different pairs. If there is no such
        pair, the answer is 0.

        Output format: one integer, the number of pairs.
        """

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_LCM": grow(10, d, by=1.5, plus=0)}]

    @classmethod
    def sample(cls, rng: Random, MAX_LCM: int) -> Self:
        if rng.random() < UNSOLVABLE:
            pair = redraw(lambda: any_pair(rng, MAX_LCM), lambda pair: count_pairs(*pair) == 0)
        else:
            count = 2 ** rng.randint(0, most_primes(MAX_LCM))
            pair = prefer(
                lambda: solvable_pair(rng, MAX_LCM),
                lambda pair: count_pairs(*pair) == count,
                tries=50,
            )
        LCM, GCD = pair
        return cls(MAX_LCM=MAX_LCM, LCM=LCM, GCD=GCD, reference_answer=count_pairs(LCM, GCD))

    def parse(self, text: str) -> int:
        return integer(text, low=0)

    def score(self, answer: int) -> float:
        if answer & (answer - 1):  # neither 0 nor a power of two
            return WRONG
        return closeness(answer, self.reference_answer) ** 10

    def work(self) -> Work[str]:
        yield f"P = {self.GCD} * p and Q = {self.GCD} * q with coprime p and q."
        yield f"The least common multiple is {self.GCD} * p * q = {self.LCM}."
        n, rest = yield from divide(self.LCM, self.GCD)
        if rest:
            yield "So p * q would not be an integer, and there are 0 pairs"
            return "0"
        yield f"So p * q = {n}"
        primes = sorted(set((yield from split_into_primes(n)))) if n > 1 else []
        yield f"Different primes: {spaced(primes) or 'none'}"
        yield "As p and q are coprime, each prime goes to one of them with its full power."
        yield f"So the number of pairs is 2^{len(primes)} = {2 ** len(primes)}"
        return str(2 ** len(primes))


def any_pair(rng: Random, high: int) -> tuple[int, int]:
    """An LCM and a GCD that need not divide it."""
    lcm = rng.randint(1, high)
    return lcm, rng.randint(1, lcm)


def solvable_pair(rng: Random, high: int) -> tuple[int, int]:
    """An LCM and one of its divisors as the GCD."""
    lcm = rng.randint(1, high)
    return lcm, rng.choice(divisors(lcm))


def count_pairs(LCM: int, GCD: int) -> int:
    """Each prime of LCM / GCD goes, with its full power, into either P / GCD or Q / GCD."""
    return 0 if LCM % GCD else 2 ** len(factorise(LCM // GCD))


def most_primes(n: int) -> int:
    """The largest number of different primes that can divide an integer in 1 .. n."""
    return sum(product <= n for product in accumulate(primes_up_to(100), mul))
