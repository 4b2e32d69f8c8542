from rlve.algorithms.number_theory import moebius, smallest_prime_factors

LIMIT = 300


def test_smallest_prime_factors():
    for n in (0, 1, 2, LIMIT):
        smallest = smallest_prime_factors(n)
        assert len(smallest) == n + 1
        assert smallest[:2] == [0, 1][: n + 1]
        assert all(smallest[i] == divisors(i)[1] for i in range(2, n + 1))


def test_moebius_sums_to_zero_over_the_divisors():
    for n in (0, 1, 2, LIMIT):
        mu = moebius(n)
        assert len(mu) == n + 1
        assert mu[:2] == [0, 1][: n + 1]
        assert all(sum(mu[t] for t in divisors(i)) == 0 for i in range(2, n + 1))


def divisors(i):
    return [t for t in range(1, i + 1) if i % t == 0]
