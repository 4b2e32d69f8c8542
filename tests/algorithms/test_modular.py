from fractions import Fraction
from math import gcd
from random import Random

import pytest

from rlve.algorithms.modular import (
    discrete_logarithm,
    extended_gcd,
    matrix_power,
    matrix_product,
    residue,
)


def test_extended_gcd():
    for a in range(-30, 31):
        for b in range(-30, 31):
            g, u, v = extended_gcd(a, b)
            assert g == gcd(a, b) == a * u + b * v
            assert abs(u) <= max(1, abs(b))
            assert abs(v) <= max(1, abs(a))


def test_residue():
    for prime in (2, 3, 31):
        for p in range(-40, 41):
            for q in range(1, prime):
                r = residue(Fraction(p, q), prime)
                assert 0 <= r < prime
                assert (q * r - p) % prime == 0


def test_discrete_logarithm():
    for modulus in range(1, 41):
        for base in range(modulus + 1):
            powers = [1 % modulus]
            for _ in range(modulus):
                powers.append(powers[-1] * base % modulus)
            for target in range(modulus):
                if target in powers:
                    assert discrete_logarithm(base, target, modulus) == powers.index(target)
                else:
                    with pytest.raises(ValueError, match="no power"):
                        discrete_logarithm(base, target, modulus)


def test_discrete_logarithm_of_a_large_modulus():
    assert discrete_logarithm(5, pow(5, 123_456_789, 10**9 + 7), 10**9 + 7) == 123_456_789


def test_matrix_power():
    rng = Random(0)
    for _ in range(50):
        n, modulus, exponent = rng.randint(1, 4), rng.randint(1, 50), rng.randint(0, 12)
        matrix = [[rng.randint(-9, 9) for _ in range(n)] for _ in range(n)]
        vector = [rng.randint(0, 9) for _ in range(n)]
        expected = vector
        for _ in range(exponent):
            expected = [sum(matrix[i][j] * expected[j] for j in range(n)) for i in range(n)]
        power = matrix_power(matrix, exponent, modulus)
        product = matrix_product(power, [[x] for x in vector], modulus)
        assert product == [[x % modulus] for x in expected]
