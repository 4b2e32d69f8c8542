"""Divisors and remainders: greatest common divisors, primes, and arithmetic modulo a number."""

from math import isqrt

from rlve.contract import Work
from rlve.text import spaced
from rlve.work.arithmetic import add, divide, modulo, multiply, say, subtract, to_binary
from rlve.work.mental import is_easy


def euclid(a: int, b: int) -> Work[int]:
    """The greatest common divisor of two numbers >= 0, by Euclid's algorithm."""
    x, y = a, b
    while y:
        x, y = y, (yield from modulo(x, y))
    yield f"So gcd({a}, {b}) = {x}"
    return x


def least_multiple(a: int, b: int) -> Work[int]:
    """The least common multiple of two numbers > 0."""
    divisor = yield from euclid(a, b)
    quotient, _ = yield from divide(b, divisor)
    multiple = yield from multiply(a, quotient)
    yield f"So lcm({a}, {b}) = {multiple}"
    return multiple


def split_into_primes(n: int) -> Work[list[int]]:
    """The prime factors of n >= 2 in ascending order, by trial division."""
    primes: list[int] = []
    rest, p = n, 2
    while p * p <= rest:
        if rest % p:
            p += 1
        else:
            primes.append(p)
            rest //= p
    last = max([*primes, isqrt(rest)])
    if last > 10:  # smaller ones need no list
        yield f"Try up to the square root of what is left: {spaced(range(2, last + 1))}"
    steps: list[str] = []
    left = n
    for p in primes:
        if steps and not is_easy("/", left, p):
            yield ", ".join(steps)
            steps.clear()
        steps.append((yield from say("/", left, p)))
        left //= p
    yield ", ".join([*steps, f"{rest} is prime"])
    return [*primes, rest]


def list_divisors(n: int) -> Work[list[int]]:
    """The divisors of n in ascending order; each small one has a large partner."""
    small = [t for t in range(1, isqrt(n) + 1) if n % t == 0]
    pairs: list[str] = []
    if isqrt(n) > 10:  # smaller ones need no list
        yield f"Try up to the square root of {n}: {spaced(range(2, isqrt(n) + 1))}"
    for t in small:
        pairs.append((yield from say("/", n, t)))
    yield f"Up to its square root, {n} is divisible by {spaced(small)}: {', '.join(pairs)}"
    found = sorted({*small, *(n // t for t in small)})
    yield f"Divisors of {n}, with these quotients: {spaced(found)}"
    return found


def count_by_gcd(N: int, M: int, least: int = 1) -> Work[dict[int, int]]:
    """How many pairs up to N and M have the greatest common divisor g, for each g >= least."""
    yield f"In ({N} // g) * ({M} // g) pairs, g divides both numbers."
    yield "Take away those whose gcd is a larger multiple of g. Begin with the largest g."
    pairs: dict[int, int] = {}
    for g in range(min(N, M), least - 1, -1):
        bounds: list[str] = []
        for bound in dict.fromkeys((N, M)):
            bounds.append((yield from say("//", bound, g)))
        multiples = (N // g) * (M // g)
        yield f"g = {g}: {', '.join(bounds)}, {yield from say('*', N // g, M // g)}"
        larger = [pairs[t] for t in range(2 * g, min(N, M) + 1, g)]
        if larger:
            away = f"{' + '.join(map(str, larger))} = " if len(larger) > 1 else ""
            left = yield from say("-", multiples, sum(larger))
            yield f"Take away {away}{sum(larger)}: {left}"
        pairs[g] = multiples - sum(larger)
    return pairs


def multiply_mod(a: int, b: int, modulus: int) -> Work[int]:
    """a * b mod modulus."""
    product = yield from multiply(a, b)
    return product if 0 <= product < modulus else (yield from modulo(product, modulus))


def power_mod(base: int, exponent: int, modulus: int) -> Work[int]:
    """base^exponent mod modulus, by squaring once for each binary digit of the exponent."""
    digits = yield from to_binary(exponent)
    result = 1 % modulus
    reached = 0
    for digit in digits:
        if reached:
            result = yield from multiply_mod(result, result, modulus)
        reached *= 2
        if digit == "1":
            result = (yield from multiply_mod(result, base, modulus)) if reached else base % modulus
            reached += 1
        yield f"{'So ' if reached > 1 else ''}{base}^{reached} mod {modulus} = {result}"
    return result


def inverse_mod(a: int, modulus: int) -> Work[int]:
    """The x with a * x mod modulus = 1, by Euclid's algorithm, for a prime to the modulus."""
    yield f"Look for x with {a} * x mod {modulus} = 1"
    large, small, before, now = modulus, a % modulus, 0, 1
    if small != a:
        yield from modulo(a, modulus)
    yield f"{small} is {a} times 1, up to multiples of {modulus}"
    while small != 1:
        quotient, rest = yield from divide(large, small)
        product = yield from multiply(quotient, now)
        after = yield from subtract(before, product)
        yield f"{rest} is {a} times {after}, up to multiples of {modulus}"
        large, small, before, now = small, rest, now, after
    if now < 0:
        now = yield from add(now, modulus)
    return now
