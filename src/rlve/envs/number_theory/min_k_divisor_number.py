from collections.abc import Iterator
from itertools import chain, repeat
from math import prod
from random import Random
from typing import Self

from rlve import Environment, Level
from rlve.algorithms.primes import divisors, factorise, primes_up_to
from rlve.answers import integer
from rlve.rewards import RIGHT, WRONG, ratio
from rlve.sampling.rejection import redraw
from rlve.text import counted, spaced
from rlve.work import Work, find_smallest, list_divisors, multiply, power

MAX_ANSWER = 10**100  # for generated problems; published ones have larger answers
LARGEST_FACTOR = 331  # of K: a prime factor p makes the answer at least 2^(p-1)
WORTHLESS = 31_623  # times the optimum: the reward is below 1e-9
PRIMES = primes_up_to(1000)
MAX_COFACTOR = 10**16


class MinKDivisorNumber(Environment[int]):
    """Find the smallest integer with a given number of divisors.

    K is redrawn until the answer has at most 100 digits; for a prime K, the answer is 2^(K-1).
    """

    MAX_K: int
    K: int
    reference_answer: int

    max_difficulty = 24  # one K in seventy has an answer within 100 digits; beyond, almost none

    template = """
        Find the smallest positive integer M that has exactly {divisors},
        counting 1 and M itself.

        Output format: only the value of M, written out in decimal digits.
        """

    def prompt(self) -> str:
        return self.fill(divisors=counted(self.K, "positive divisor"))

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return [{"MAX_K": 5 * 2**d}]

    @classmethod
    def sample(cls, rng: Random, MAX_K: int) -> Self:
        K, M = redraw(lambda: draw(rng, MAX_K), lambda pair: 0 < pair[1] < MAX_ANSWER, tries=3000)
        return cls(MAX_K=MAX_K, K=K, reference_answer=M)

    def parse(self, text: str) -> int:
        return integer(text, low=1, max_digits=4000)

    def score(self, answer: int) -> float:
        gold = self.reference_answer
        if answer == gold:
            return RIGHT
        if not gold < answer < WORTHLESS * gold or count_divisors(answer) != self.K:
            return WRONG
        return ratio(gold, answer) ** 2

    def work(self) -> Work[str]:
        if self.K == 1:
            yield "Only the number 1 has exactly 1 divisor"
            return "1"
        yield "The number of divisors is the product of (exponent + 1) over the primes of M."
        yield f"So write {self.K} as a product in all ways; larger factors go with smaller primes,"
        yield "as swapping them would make M larger."
        yield "Split a first factor u * v, with the next unused prime p for v, if 2^u > p:"
        yield "this turns 2^(u * v - 1) into 2^(u - 1) * p^(v - 1), which is smaller."
        yield from list_divisors(self.K)
        ways = list(products(self.K, self.K))
        last = PRIMES[len(ways[-1]) - 1]
        if last > 10:
            numbers = range(2, last + 1)
            yield f"The primes among {spaced(numbers)}: {spaced(PRIMES[: len(ways[-1])])}"
        values: list[int] = []
        for factors in ways:
            first, *_ = factors
            shown, following = " * ".join(map(str, factors)), PRIMES[len(factors)]
            u, v = next(((first // t, t) for t in range(2, first) if first % t == 0), (0, 0))
            if 2**u > following:
                yield f"{shown}: better split {first} into {u} and {v}, as 2^{u} > {following}"
                continue
            yield f"{shown}: exponents {', '.join(f'{f} - 1 = {f - 1}' for f in factors)}"
            value = 1
            for prime, factor in zip(PRIMES, factors, strict=False):
                part = yield from power(prime, factor - 1)
                value = (yield from multiply(value, part)) if prime > 2 else part
            values.append(value)
        smallest = (yield from find_smallest(values)) if len(values) > 1 else values[0]
        yield f"So M = {smallest}"
        return str(smallest)


def products(n: int, largest: int) -> Iterator[list[int]]:
    """The ways to write n as a product of factors from 2 to the largest, in descending order."""
    if n == 1:
        yield []
    for factor in range(min(n, largest), 1, -1):
        if n % factor == 0:
            yield from ([factor, *rest] for rest in products(n // factor, factor))


def draw(rng: Random, high: int) -> tuple[int, int]:
    """A K with its answer, or 0 if that would be too large anyway."""
    K = rng.randint(1, high)
    return K, 0 if max(factorise(K), default=1) > LARGEST_FACTOR else smallest_with_divisors(K)


def count_divisors(n: int) -> int:
    """The number of divisors of n; 0 if n has too large a factor without small primes.

    Such an n earns no reward worth having. If n has K divisors and w primes, each prime that is not
    among the first w can be exchanged for one that is; all such exchanges together make n smaller
    by a factor of at most n / gold < 31,623. With K below 2^40, where the first w primes are at
    most 173, this leaves room for at most five primes above 1,000, counted with multiplicity, whose
    product is at most 31,623 * 173^5 < 10^16.
    """
    count = 1
    for p in PRIMES:
        exponent = 0
        while n % p == 0:
            n //= p
            exponent += 1
        count *= exponent + 1
    if n > MAX_COFACTOR:
        return 0
    return count * prod(exponent + 1 for exponent in factorise(n).values())


def smallest_with_divisors(K: int) -> int:
    """The smallest integer with K divisors.

    If K is written as a product of factors f1 >= f2 >= ..., then 2^(f1-1) * 3^(f2-1) * ... has K
    divisors, and the smallest integer is of this form. The products are searched, and abandoned as
    soon as they cannot lead to an integer smaller than the best one known.
    """
    # For each divisor d of K: the fewest prime factors that a number with d divisors can have.
    fewest = {d: sum((p - 1) * e for p, e in factorise(d).items()) for d in divisors(K)}
    factors = sorted(chain.from_iterable(repeat(*power) for power in factorise(K).items()))
    best = prod(prime ** (f - 1) for prime, f in zip(PRIMES, reversed(factors), strict=False))

    def search(i: int, rest: int, product: int, largest: int) -> None:
        """Try all factors up to `largest` for the i-th prime; `rest` is what is left of K."""
        nonlocal best
        if rest == 1:
            best = product
            return
        prime = PRIMES[i]
        room = (best // product).bit_length() // (prime.bit_length() - 1)
        for factor in fewest:
            if 1 < factor <= min(largest, room + 1) and rest % factor == 0:
                extended = product * prime ** (factor - 1)
                if extended * PRIMES[i + 1] ** fewest[rest // factor] < best:
                    search(i + 1, rest // factor, extended, factor)

    search(0, K, 1, K)
    return best
