"""Euclid's algorithm and arithmetic modulo an integer."""

from fractions import Fraction
from math import gcd, isqrt
from typing import TypeAlias

Matrix: TypeAlias = list[list[int]]


def extended_gcd(a: int, b: int) -> tuple[int, int, int]:
    """(g, u, v) with g = gcd(a, b) = a*u + b*v and g >= 0, for integers of any sign."""
    r, s = a, b
    u, next_u = 1, 0
    v, next_v = 0, 1
    while s:
        q = r // s
        r, s = s, r - q * s
        u, next_u = next_u, u - q * next_u
        v, next_v = next_v, v - q * next_v
    return (r, u, v) if r >= 0 else (-r, -u, -v)


def residue(value: Fraction, prime: int) -> int:
    """The r in 0 .. prime - 1 with q * r = p modulo the prime, for a fraction p / q."""
    return value.numerator * pow(value.denominator, -1, prime) % prime


def discrete_logarithm(base: int, target: int, modulus: int) -> int:
    """The smallest y >= 0 with base^y = target modulo a modulus >= 1.

    Raise ValueError if there is none. Baby steps, giant steps; base and modulus need not be
    coprime.
    """
    target %= modulus
    step = isqrt(modulus) + 1
    power = 1 % modulus
    for y in range(step):
        if power == target:
            return y
        power = power * base % modulus
    # From base^step on, the powers are periodic, and multiplying by base is injective on the
    # residues that have the same gcd with the modulus.
    if power == target:
        return step
    if gcd(power, modulus) == gcd(target, modulus):
        giant, shifted = power, target
        babies: dict[int, int] = {}
        for j in range(step):
            babies[shifted] = j
            shifted = shifted * base % modulus
        for i in range(2, step + 2):
            power = power * giant % modulus
            if power in babies:
                return i * step - babies[power]
    raise ValueError(f"no power of {base} is {target} modulo {modulus}")


def matrix_product(a: Matrix, b: Matrix, modulus: int) -> Matrix:
    """a * b modulo the modulus."""
    columns = list(zip(*b, strict=True))
    return [
        [sum(x * y for x, y in zip(row, column, strict=True)) % modulus for column in columns]
        for row in a
    ]


def matrix_power(matrix: Matrix, exponent: int, modulus: int) -> Matrix:
    """The power of a square matrix modulo the modulus, for an exponent >= 0."""
    size = range(len(matrix))
    result = [[int(i == j) % modulus for j in size] for i in size]
    while exponent:
        if exponent & 1:
            result = matrix_product(result, matrix, modulus)
        matrix = matrix_product(matrix, matrix, modulus)
        exponent >>= 1
    return result
