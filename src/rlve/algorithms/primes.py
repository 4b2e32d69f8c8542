"""Prime numbers: sieving, testing, factorising, counting."""

from math import gcd, isqrt

_WITNESSES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41)
_PROVEN_BELOW = 3_317_044_064_679_887_385_961_981  # these witnesses suffice below this
_TRIAL_LIMIT = 1000


def primes_up_to(n: int) -> list[int]:
    """The primes 2, 3, 5, ... that are at most n, by the sieve of Eratosthenes."""
    if n < 2:
        return []
    prime = bytearray([1]) * (n + 1)
    prime[:2] = b"\0\0"
    for p in range(2, isqrt(n) + 1):
        if prime[p]:
            prime[p * p :: p] = bytes(len(range(p * p, n + 1, p)))
    return [i for i, flag in enumerate(prime) if flag]


def is_prime(n: int) -> bool:
    """Whether n is prime; exact (Miller-Rabin), for n below 3.3 * 10^24."""
    if n < 2:
        return False
    for p in _WITNESSES:
        if n % p == 0:
            return n == p
    if n >= _PROVEN_BELOW:
        raise ValueError(f"is_prime is exact only below {_PROVEN_BELOW:,}")
    twos = ((n - 1) & (1 - n)).bit_length() - 1
    return all(_passes(n, base, twos) for base in _WITNESSES)


def _passes(n: int, base: int, twos: int) -> bool:
    power = pow(base, (n - 1) >> twos, n)
    if power in (1, n - 1):
        return True
    for _ in range(twos - 1):
        power = power * power % n
        if power == n - 1:
            return True
    return False


def factorise(n: int) -> dict[int, int]:
    """The exponents of the primes that divide n, in ascending order of the primes, for n >= 1.

    Trial division, then Pollard's rho: fast if at most one prime factor is above 10^10 or so.
    """
    exponents: dict[int, int] = {}
    for p in range(2, _TRIAL_LIMIT):
        if p * p > n:
            break
        while n % p == 0:
            exponents[p] = exponents.get(p, 0) + 1
            n //= p
    for p in sorted(_split(n)):
        exponents[p] = exponents.get(p, 0) + 1
    return exponents


def _split(n: int) -> list[int]:
    if n == 1:
        return []
    if n < _TRIAL_LIMIT**2 or is_prime(n):
        return [n]
    divisor = _rho(n)
    return _split(divisor) + _split(n // divisor)


def _rho(n: int) -> int:
    """A proper divisor of a composite number n without factors below the trial limit."""
    root = isqrt(n)
    if root * root == n:
        return root
    return next(g for c in range(1, n) if (g := _collision(n, c)) < n)


def _collision(n: int, c: int) -> int:
    """The gcd with n when the walk x -> x^2 + c first meets itself modulo a divisor of n."""
    slow = fast = 2
    while True:
        # The differences of a hundred steps are multiplied for one gcd; if that is n, the same
        # steps are repeated one by one.
        start, product = (slow, fast), 1
        for _ in range(100):
            slow, fast = _step(slow, c, n), _step(_step(fast, c, n), c, n)
            product = product * (slow - fast) % n
        g = gcd(product, n)
        if g == n:
            slow, fast = start
            g = 1
            while g == 1:
                slow, fast = _step(slow, c, n), _step(_step(fast, c, n), c, n)
                g = gcd(slow - fast, n)
        if g > 1:
            return g


def _step(x: int, c: int, n: int) -> int:
    return (x * x + c) % n


def divisors(n: int) -> list[int]:
    """The positive divisors of n in ascending order, for n >= 1."""
    result = [1]
    for p, exponent in factorise(n).items():
        result = [d * p**k for k in range(exponent + 1) for d in result]
    return sorted(result)


def totient(n: int) -> int:
    """How many of 1 .. n are coprime to n (Euler), for n >= 1."""
    for p in factorise(n):
        n -= n // p
    return n


def factorial_valuation(n: int, p: int) -> int:
    """The exponent of the prime p in n!, by Legendre's formula."""
    exponent = 0
    while n:
        n //= p
        exponent += n
    return exponent
