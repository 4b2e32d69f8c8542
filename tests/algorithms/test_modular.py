from math import gcd

from rlve.algorithms.modular import extended_gcd


def test_extended_gcd():
    for a in range(-30, 31):
        for b in range(-30, 31):
            g, u, v = extended_gcd(a, b)
            assert g == gcd(a, b) == a * u + b * v
            assert abs(u) <= max(1, abs(b))
            assert abs(v) <= max(1, abs(a))
