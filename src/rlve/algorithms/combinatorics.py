"""Counting: binomials, partitions, inclusion and exclusion."""

from collections.abc import Iterable, Iterator
from functools import lru_cache, reduce
from itertools import accumulate

from rlve.algorithms.primes import factorial_valuation


def partitions(n: int) -> Iterator[list[int]]:
    """The ways to write n as a sum of positive integers, each in descending order."""
    parts: list[int] = [n] if n else []
    while True:
        yield parts.copy()
        ones = 0
        while parts and parts[-1] == 1:
            parts.pop()
            ones += 1
        if not parts:
            return
        part = parts.pop() - 1
        count, rest = divmod(part + 1 + ones, part)
        parts += [part] * count + [rest] * (rest > 0)


def fillings_with_maxima(
    cells: int, top: int, maxima: Iterable[tuple[int, int]], modulus: int
) -> int:
    """The number of ways, modulo the modulus, to fill cells with 1..top so that all maxima hold.

    `maxima` holds pairs of a region, a bit mask of cells, and the maximum it must have. A region
    can only get its maximum from a cell that no smaller maximum bounds, so regions with different
    maxima do not interfere.
    """
    regions_of: dict[int, list[int]] = {}
    for region, maximum in maxima:
        regions_of.setdefault(maximum, []).append(region)
    count, bounded = 1, 0
    for maximum, regions in sorted(regions_of.items()):
        regions = [region & ~bounded for region in regions]
        count = count * _fillings_that_hit(regions, maximum, modulus) % modulus
        bounded = reduce(int.__or__, regions, bounded)
    return count * pow(top, cells - bounded.bit_count(), modulus) % modulus


def _fillings_that_hit(regions: list[int], maximum: int, modulus: int) -> int:
    """The fillings of all cells of the regions with 1..maximum, each region reaching the maximum.

    Inclusion and exclusion, region by region: the state is the set of cells that miss the maximum,
    without those that no later region contains, which are accounted for at once.
    """
    minimal: list[int] = []  # the other regions contain one of them
    for region in sorted(regions, key=int.bit_count):
        if not any(region & other == other for other in minimal):
            minimal.append(region)
    minimal.sort(key=lambda region: (region & -region).bit_length() + region.bit_length())
    remaining = list(accumulate(reversed(minimal), int.__or__, initial=0))[::-1]
    signed = {0: 1}
    for region, now, later in zip(minimal, remaining, remaining[1:], strict=False):
        settled, states = now & ~later, signed
        signed = dict[int, int]()
        for missing, sign in states.items():
            for extended, weight in ((missing, sign), (missing | region, -sign)):
                low = (extended & settled).bit_count()
                weight *= pow(maximum - 1, low, modulus)
                weight *= pow(maximum, settled.bit_count() - low, modulus)
                key = extended & later
                signed[key] = (signed.get(key, 0) + weight) % modulus
    free = reduce(int.__or__, regions) & ~remaining[0]
    return signed[0] * pow(maximum, free.bit_count(), modulus) % modulus


def binomial_modulo_prime_power(n: int, k: int, p: int, e: int) -> int:
    """The binomial coefficient of 0 <= k <= n modulo the e-th power of a prime p.

    The cost grows only with p^e and the length of n (Lucas's theorem, for prime powers).
    """
    power: int = p**e
    divided = factorial_valuation(n, p) - factorial_valuation(k, p) - factorial_valuation(n - k, p)
    if divided >= e:
        return 0
    below = _factorial_without(k, p, e) * _factorial_without(n - k, p, e)
    units = _factorial_without(n, p, e) * pow(below, -1, power)
    return units * p**divided % power


def _factorial_without(n: int, p: int, e: int) -> int:
    """n! divided by p as often as possible, modulo p^e."""
    power: int = p**e
    products, result = _unit_products(p, e), 1
    while n:
        result = result * pow(products[-1], n // power, power) * products[n % power] % power
        n //= p
    return result


@lru_cache(maxsize=16)
def _unit_products(p: int, e: int) -> list[int]:
    """For each i < p^e, the product modulo p^e of those of 1..i that p does not divide."""
    factors = (i if i % p else 1 for i in range(1, p**e))
    return list(accumulate(factors, lambda a, b: a * b % p**e, initial=1))
