"""Fractions, and what stands for them modulo a prime."""

from fractions import Fraction

from rlve.contract import Work
from rlve.text import spaced
from rlve.work.arithmetic import add, carried_products, divide, multiply, subtract
from rlve.work.mental import TABLE, is_easy
from rlve.work.residues import euclid, inverse_mod, multiply_mod


def lowest_terms(p: int, q: int) -> Work[tuple[int, int]]:
    """The fraction p/q in lowest terms, for p >= 0 and q > 0."""
    divisor = yield from euclid(max(p, q), min(p, q))
    if divisor > 1:
        p, _ = yield from divide(p, divisor)
        q, _ = yield from divide(q, divisor)
    return p, q


def add_fractions(a: Fraction, b: Fraction) -> Work[Fraction]:
    """a + b for two fractions >= 0, over the product of the denominators."""
    if is_easy("+", a, b):
        yield f"{a} + {b} = {a + b}"
        return a + b
    yield f"{a} + {b}, over a common denominator:"
    first = yield from multiply(a.numerator, b.denominator)
    second = yield from multiply(b.numerator, a.denominator)
    top = yield from add(first, second)
    bottom = yield from multiply(a.denominator, b.denominator)
    yield from lowest_terms(top, bottom)
    yield f"So {a} + {b} = {a + b}"
    return a + b


def multiply_fractions(a: Fraction, b: Fraction) -> Work[Fraction]:
    """a * b for two fractions >= 0."""
    shown = f"{a} * {b}" if b.denominator == 1 else f"{a} * ({b})"
    if is_easy("*", a, b):
        yield f"{shown} = {a * b}"
        return a * b
    yield f"{shown}, numerators and denominators:"
    top = yield from multiply(a.numerator, b.numerator)
    bottom = yield from multiply(a.denominator, b.denominator)
    yield from lowest_terms(top, bottom)
    yield f"So {shown} = {a * b}"
    return a * b


def fraction_mod(p: int, q: int, modulus: int) -> Work[int]:
    """The r with q * r = p modulo a prime that does not divide q, for 0 <= p < modulus and q > 0.

    That is (p + k * modulus) / q for the only k from 0 to q - 1 that makes it an integer.
    """
    if q == 1:
        return p
    yield f"r = ({p} + k * {modulus}) / {q}, for the k below {q} that makes it an integer."
    quotient, rest = yield from _short_division(modulus, q)
    yield f"So {modulus} = {quotient} * {q} + {rest}, and r = z + k * {quotient}"
    yield f"with z = ({p} + k * {rest}) / {q}"
    k, share = yield from _divisible(p, rest, q)
    yield f"So k = {k}, z = {share}"
    product = yield from _short_product(quotient, k)
    return (yield from add(share, product))


def _short_division(a: int, b: int) -> Work[tuple[int, int]]:
    """The quotient and the remainder, with all steps in one line if multiples of b are easy."""
    if not is_easy("*", 9, b):
        return (yield from divide(a, b))
    quotient, rest = divmod(a, b)
    first = len(str(a)) - len(str(quotient)) + 1
    now, brought = int(str(a)[:first]), ""
    steps: list[str] = []
    for place, digit in enumerate(map(int, str(quotient)), first):
        left = now - digit * b
        steps.append(f"{brought}{now} - {digit} * {b} = {left}")
        if place < len(str(a)):
            brought = f"{left} and {str(a)[place]}: "
            now = left * 10 + int(str(a)[place])
    yield f"{a} divided by {b}, from the left: {'; '.join(steps)}"
    yield f"Digits: {spaced(str(quotient))}"
    return quotient, rest


def _short_product(a: int, k: int) -> Work[int]:
    """a * k, with all steps in one line if k has at most two digits."""
    if is_easy("*", a, k) or not is_easy("*", 9, k):
        return (yield from multiply(a, k))
    steps = carried_products(a, k)
    shown = [
        f"{terms} = {value}" + (f", {value} // 10 = {carry}" if carry > 10 else "")
        for terms, value, carry in steps
    ]
    yield f"{a} times {k}, from the right, tens carried: {', '.join(shown)}"
    yield f"Written: {spaced(value - 10 * carry for _, value, carry in steps)}"
    yield f"So {a} * {k} = {a * k}"
    return a * k


def _divisible(p: int, rest: int, q: int) -> Work[tuple[int, int]]:
    """The least k >= 0 for which q divides p + k * rest, and the quotient; there is such a k."""
    k = -p * pow(rest, -1, q) % q
    first, last = -(-p // q), (p + k * rest) // q
    tries = range(first, last + 1)
    easy = is_easy("/", k * rest, rest) and all(
        is_easy("*", z, q) and is_easy("-", z * q, p) for z in tries[:TABLE]
    )
    if easy and len(tries) <= TABLE:
        tried = [f"{z} * {q} - {p} = {z * q - p}" for z in tries]
        yield f"Then k * {rest} = z * {q} - {p} >= 0. Try z: {', '.join(tried)}"
        yield f"{k * rest} / {rest} = {k}"
        return k, last
    yield f"{q} divides {p} + k * {rest} if k is -{p} * x, up to multiples of {q}, for such an x:"
    inverse = yield from inverse_mod(rest, q)
    product = yield from multiply_mod(inverse, p, q)
    if product:
        yield from subtract(q, product)
    top = yield from add(p, (yield from multiply(k, rest)))
    return k, (yield from divide(top, q))[0]
