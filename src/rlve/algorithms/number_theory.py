"""Arithmetic functions of all numbers up to a limit, using sieves."""


def smallest_prime_factors(n: int) -> list[int]:
    """The smallest prime factor of each of 0 .. n; 0 and 1 stand for themselves.

    A linear sieve: each composite number is crossed out once, by its smallest prime factor.
    """
    smallest = list(range(n + 1))
    primes: list[int] = []
    for i in range(2, n + 1):
        if smallest[i] == i:
            primes.append(i)
        for p in primes:
            if p > smallest[i] or i * p > n:
                break
            smallest[i * p] = p
    return smallest


def moebius(n: int) -> list[int]:
    """The Moebius function of each of 0 .. n, with 0 for 0.

    mu(i) is (-1)^k if i is a product of k different primes, and 0 if a square above 1 divides i.
    """
    smallest = smallest_prime_factors(n)
    mu = [int(i == 1) for i in range(n + 1)]
    for i in range(2, n + 1):
        p = smallest[i]
        if i // p % p:
            mu[i] = -mu[i // p]
    return mu


def totients(n: int) -> list[int]:
    """Euler's totient of each of 0 .. n, with 0 for 0: how many of 1 .. i are coprime to i."""
    smallest = smallest_prime_factors(n)
    phi = [min(i, 1) for i in range(n + 1)]
    for i in range(2, n + 1):
        p = smallest[i]
        phi[i] = phi[i // p] * (p - 1 if i // p % p else p)
    return phi
