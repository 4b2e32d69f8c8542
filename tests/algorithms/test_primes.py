from math import factorial, gcd, prod
from random import Random

import pytest

from rlve.algorithms.primes import (
    divisors,
    factorial_valuation,
    factorise,
    is_prime,
    primes_up_to,
    totient,
)

SMALL_PRIMES = [n for n in range(2, 3000) if all(n % d for d in range(2, n))]


def test_primes_up_to():
    for n in range(-1, 100):
        assert primes_up_to(n) == [p for p in SMALL_PRIMES if p <= n]
    assert primes_up_to(2999) == SMALL_PRIMES
    assert len(primes_up_to(10**5)) == 9592


def test_is_prime():
    assert [n for n in range(-5, 3000) if is_prime(n)] == SMALL_PRIMES
    assert is_prime(2**61 - 1)
    assert is_prime(10**18 + 9)
    assert not is_prime((10**9 + 7) * (10**9 + 9))
    for carmichael in (561, 41041, 825265, 321197185, 3215031751, 3825123056546413051):
        assert not is_prime(carmichael)
    with pytest.raises(ValueError, match="exact only below"):
        is_prime(10**30 + 57)


def test_factorise_small_numbers():
    for n in range(1, 3000):
        factors = factorise(n)
        assert prod(p**e for p, e in factors.items()) == n
        assert list(factors) == [p for p in SMALL_PRIMES if n % p == 0]


def test_factorise_large_numbers():
    rng = Random(0)
    primes = [p for p in primes_up_to(20_000) if p > 1000]
    for _ in range(100):
        chosen = sorted(rng.choices(primes, k=rng.randint(1, 4)))
        factors = factorise(prod(chosen))
        assert [p for p, e in factors.items() for _ in range(e)] == chosen
    assert factorise(1009**3) == {1009: 3}
    assert factorise((10**9 + 7) ** 2) == {10**9 + 7: 2}
    assert factorise(720 * 1_000_003 * (2**61 - 1)) == {
        2: 4,
        3: 2,
        5: 1,
        1_000_003: 1,
        2**61 - 1: 1,
    }


def test_divisors():
    for n in range(1, 500):
        assert divisors(n) == [d for d in range(1, n + 1) if n % d == 0]


def test_totient():
    for n in range(1, 300):
        assert totient(n) == sum(gcd(n, i) == 1 for i in range(1, n + 1))


def test_factorial_valuation():
    for p in (2, 3, 5, 7):
        for n in range(60):
            e = factorial_valuation(n, p)
            assert factorial(n) % p**e == 0
            assert factorial(n) % p ** (e + 1)
