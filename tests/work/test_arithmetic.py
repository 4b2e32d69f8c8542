import math
from fractions import Fraction
from random import Random

import pytest
from tests.support.working import checked, run

from rlve.work import (
    add,
    add_all,
    add_fractions,
    add_row,
    add_to,
    binomial,
    bitwise,
    count_by_gcd,
    divide,
    euclid,
    fraction_mod,
    inverse_mod,
    is_easy,
    least_multiple,
    list_divisors,
    lowest_terms,
    modulo,
    multiply,
    multiply_all,
    multiply_fractions,
    multiply_mod,
    power,
    power_mod,
    prefix_sums,
    say,
    split_into_primes,
    subtract,
    to_binary,
)


def numbers(seed, *, signed=False):
    """Pairs of numbers of all lengths up to eight digits, with runs of 0 and 9 among them."""
    rng = Random(seed)
    for _ in range(60):
        pair = [rng.randrange(10 ** rng.randint(1, 8)) for _ in range(2)]
        pair = [10 ** len(str(x)) - rng.randint(0, 9) if rng.random() < 0.1 else x for x in pair]
        yield [x * rng.choice((1, -1)) for x in pair] if signed else pair


def test_sums_differences_and_products():
    for a, b in numbers(1, signed=True):
        assert checked(add(a, b), a, b) == a + b
        assert checked(subtract(a, b), a, b) == a - b
        assert checked(multiply(a, b), a, b) == a * b
        assert checked(multiply(a, b, by_digits=True), a, b) == a * b


@pytest.mark.parametrize("b", [7, 38, 679, 12_345])
def test_long_division_does_not_look_ahead(b):
    """A list of multiples that ends where the rest of the quotient needs it cannot be written."""
    for first in range(b, 10 * b, b // 3):
        begun: set[tuple[str, ...]] = set()
        more = 10 ** (len(str(b)) + 1)
        for rest in (0, more // 3, more - 1):
            lines = run(divide(first * more + rest, b))[0]
            brought_down = next(i for i, line in enumerate(lines) if " * 10 + " in line)
            begun.add(tuple(lines[1:brought_down]))
        assert len(begun) == 1


def test_quotients_and_remainders():
    for a, b in numbers(2):
        assert checked(divide(a, b + 1), a, b + 1) == divmod(a, b + 1)
        assert checked(modulo(a, b + 1), a, b + 1) == a % (b + 1)
        assert checked(modulo(-a, b + 1), -a, b + 1) == -a % (b + 1)


def test_divisors_and_multiples():
    for a, b in numbers(3):
        assert checked(euclid(a, b), a, b) == math.gcd(a, b)
        assert checked(least_multiple(a + 1, b + 1), a + 1, b + 1) == math.lcm(a + 1, b + 1)


def test_residues():
    for a, b in numbers(4):
        m = max(a, b) % 1000 + 2
        assert checked(multiply_mod(a % m, b % m, m), a % m, b % m, m) == a * b % m
        assert checked(power_mod(a % m, b, m), a % m, b, m) == pow(a % m, b, m)
        if math.gcd(a, m) == 1:
            assert checked(inverse_mod(a, m), a, m) == pow(a, -1, m)


def test_fractions_modulo_a_prime():
    for a, b in numbers(8):
        for p, q in ((a, b % 500 + 1), (a % 100, b % 30 + 1)):
            assert checked(fraction_mod(p, q, 998244353), p, q, 998244353) == (
                p * pow(q, -1, 998244353) % 998244353
            )


def test_lowest_terms():
    for a, b in numbers(7):
        assert checked(lowest_terms(a, b + 1), a, b + 1) == Fraction(a, b + 1).as_integer_ratio()


def test_fractions():
    for a, b in numbers(9):
        first, second = Fraction(a % 1000, b % 70 + 1), Fraction(b % 90, a % 40 + 1)
        given = [*first.as_integer_ratio(), *second.as_integer_ratio()]
        assert checked(add_fractions(first, second), *given) == first + second
        assert checked(multiply_fractions(first, second), *given) == first * second


def test_powers_and_choices():
    for a, b in numbers(8):
        assert checked(power(a % 30, b % 9), a % 30, b % 9) == (a % 30) ** (b % 9)
        n = a % 18
        assert checked(binomial(n, b % (n + 1)), n, b % (n + 1)) == math.comb(n, b % (n + 1))


def test_primes_and_divisors():
    for n in range(2, 400, 3):
        primes = checked(split_into_primes(n), n)
        assert math.prod(primes) == n
        assert primes == sorted(primes)
        assert all(p % t for p in primes for t in range(2, p))
        assert checked(list_divisors(n), n) == [t for t in range(1, n + 1) if n % t == 0]


def test_pairs_by_their_divisor():
    for N, M in [(1, 1), (3, 7), (12, 12), (40, 25)]:
        pairs = [math.gcd(i, j) for i in range(1, N + 1) for j in range(1, M + 1)]
        found = checked(count_by_gcd(N, M), N, M)
        assert found == {g: pairs.count(g) for g in range(1, min(N, M) + 1)}


def test_rows_of_sums():
    assert run(add_row("Row 3", [(1, 2), (7, 5)])) == (["Row 3: 3, 7 + 5 = 12"], [3, 12])
    values = [1, 12345, 67890, 3]
    row = checked(add_row("Row 3", zip(values, values[::-1], strict=True)), *values)
    assert row == [4, 80235, 80235, 4]


def test_running_totals():
    assert checked(add_to(123456, 987654, "3 cases"), 123456, 987654) == 1111110
    assert run(add_to(3, 5, "5 cases")) == (["5 cases, total 3 + 5 = 8"], 8)
    assert run(say("*", 13, 14))[1] == "13 times 14 is 182"
    with pytest.raises(ValueError, match="say"):
        run(say("^", 13, 14))


def test_lists():
    rng = Random(5)
    for _ in range(50):
        values = [rng.randint(-(10 ** rng.randint(1, 6)), 10**4) for _ in range(rng.randint(0, 8))]
        assert checked(add_all(values), *values) == sum(values)
        assert checked(multiply_all(values[:4]), *values) == math.prod(values[:4])
        sums = checked(prefix_sums(values), *values)
        assert sums == [sum(values[:i]) for i in range(len(values) + 1)]


def test_bits():
    for a, b in numbers(6):
        a, b = a % 5000, b % 5000
        assert checked(to_binary(a), a) == f"{a:b}"
        assert checked(bitwise("XOR", a, b), a, b) == a ^ b
        assert checked(bitwise("AND", a, b), a, b) == a & b
        assert checked(bitwise("OR", a, b), a, b) == a | b


def test_what_is_easy_takes_one_line_and_the_rest_is_written_out():
    assert run(multiply(7, 86)) == (["7 * 86 = 602"], 602)
    assert run(divide(171, 7))[0] == [
        "171 // 7, from the left:",
        "Take 17: 2 * 7 = 14, 17 - 14 = 3 < 7, digit 2",
        "3 * 10 + 1 = 31: 4 * 7 = 28, 31 - 28 = 3 < 7, digit 4",
        "Digits: 2 4",
        "So 171 = 24 * 7 + 3, quotient 24, remainder 3",
    ]
    assert run(multiply(347, 6))[0] == [
        "347 * 6, from the right:",
        "7 * 6 = 42, write 2, carry 4",
        "4 * 6 + 4 = 28, write 8, carry 2",
        "3 * 6 + 2 = 20, write 20",
        "Written: 2 8 20",
        "So 347 * 6 = 2082",
    ]


def test_a_product_that_is_written_out_is_written_out_in_all_its_parts():
    assert run(multiply(48, 28))[0] == [
        "48 * 28 = 48 * 8 + 48 * 20",
        "48 * 8, from the right:",
        "8 * 8 = 64, write 4, carry 6",
        "4 * 8 + 6 = 38, write 38",
        "Written: 4 38",
        "So 48 * 8 = 384",
        "48 * 20 = 960",
        "384 + 960, from the right:",
        "4 + 0 = 4, write 4",
        "8 + 6 = 14, write 4, carry 1",
        "3 + 9 + 1 = 13, write 13",
        "Written: 4 4 13",
        "So 384 + 960 = 1344",
        "So 48 * 28 = 1344",
    ]
    assert run(multiply(12, 34))[0][1:3] == ["12 * 4 = 48", "12 * 30 = 360"]
    assert "2 * 79 = 79 + 79 = 158" in run(divide(4631, 79))[0]


@pytest.mark.parametrize(
    ("operator", "a", "b", "easy"),
    [
        ("+", 9999, 9999, True),
        ("+", 12345, 6789, False),
        ("-", 123456, 99, True),
        ("+", 340000, 5670000, True),
        ("*", 12, 12, True),
        ("*", 13, 12, False),
        ("*", 700, 36, True),
        ("*", 347, 6, False),
        ("*", 8734, 1000, True),
        ("*", 8734, 2, True),
        ("mod", 8734, 2, True),
        ("mod", 8734, 7, False),
        ("//", 523, 87, True),
        ("//", 144, 12, True),
        ("^", 2, 16, True),
        ("^", 7, 4, False),
        ("XOR", 15, 9, True),
        ("XOR", 16, 9, False),
        ("XOR", 0, 16, True),
    ],
)
def test_easy(operator, a, b, easy):
    assert is_easy(operator, a, b) is easy
