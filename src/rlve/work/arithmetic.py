"""Arithmetic as one learns it at school: in one line where it is easy, longhand where it is not."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import zip_longest
from math import comb, isqrt

from rlve.contract import Work
from rlve.text import spaced
from rlve.work.easy import TABLE, is_easy, is_known_product


def add(a: int, b: int) -> Work[int]:
    """a + b, with carries."""
    if is_easy("+", a, b):
        yield f"{_sum(a, b)} = {a + b}"
    elif (a < 0) != (b < 0):
        yield from _signed_difference(a, b)
    elif a < 0:
        yield from add(-a, -b)
        yield f"So {_sum(a, b)} = {a + b}"
    else:
        yield from _added_digits(a, b)
    return a + b


def _sum(a: int, b: int) -> str:
    return f"{a} - {-b}" if b < 0 else f"{a} + {b}"


def _added_digits(a: int, b: int) -> Work[None]:
    yield f"{a} + {b}, from the right:"
    written: list[int] = []
    carry = 0
    places = list(zip_longest(_from_the_right(a), _from_the_right(b), fillvalue=0))
    for place, (x, y) in enumerate(places, 1):
        value = x + y + carry
        terms = f"{x} + {y} + {carry}" if carry else f"{x} + {y}"
        carry = value // 10 if place < len(places) else 0
        written.append(value - 10 * carry)
        yield f"{terms} = {value}, write {written[-1]}" + (f", carry {carry}" if carry else "")
    yield f"Written: {spaced(written)}"
    yield f"So {a} + {b} = {a + b}"


def _from_the_right(n: int) -> list[int]:
    return [int(digit) for digit in reversed(str(n))]


def subtract(a: int, b: int) -> Work[int]:
    """a - b, with borrows."""
    if is_easy("-", a, b):
        yield f"{_difference(a, b)} = {a - b}"
    elif (a < 0) != (b < 0):
        yield from add(abs(a), abs(b))
        yield f"So {_difference(a, b)} = {a - b}"
    elif a < 0 or a < b:
        yield from _signed_difference(a, -b)
    else:
        yield f"{a} - {b}, from the right:"
        yield from _subtracted_digits(a, b)
        yield f"So {a} - {b} = {a - b}"
    return a - b


def _difference(a: int, b: int) -> str:
    return f"{a} + {-b}" if b < 0 else f"{a} - {b}"


def _signed_difference(a: int, b: int) -> Work[None]:
    """The sum of two numbers of different signs, by way of the larger less the smaller."""
    small, large = sorted((abs(a), abs(b)))
    yield from subtract(large, small)
    if (a, b) != (large, -small):
        yield f"So {_sum(a, b)} = {a + b}"


def _subtracted_digits(a: int, b: int) -> Work[None]:
    written: list[int] = []
    borrow = 0
    for x, y in zip_longest(_from_the_right(a), _from_the_right(b), fillvalue=0):
        lent = 10 if x < y + borrow else 0
        written.append(lent + x - y - borrow)
        terms = f"{lent} + {x} - {y}" if lent else f"{x} - {y}"
        yield (
            f"{terms}{' - 1' if borrow else ''} = {written[-1]}, write {written[-1]}"
            f"{', borrow 1' if lent else ''}"
        )
        borrow = lent // 10
    yield f"Written: {spaced(written)}"


def multiply(a: int, b: int, *, by_digits: bool = False) -> Work[int]:
    """a * b, one digit of the shorter factor after the other.

    What is done in the head is one line, unless `by_digits` asks for all that is not known by
    heart: small models learn it sooner that way.
    """
    if is_known_product(a, b) if by_digits else is_easy("*", a, b):
        yield f"{a} * {b} = {a * b}"
        return a * b
    if a < 0 or b < 0:
        yield from multiply(abs(a), abs(b), by_digits=by_digits)
        yield f"So {a} * {b} = {a * b}"
        return a * b
    long, short = sorted((a, b), key=lambda n: len(str(n).rstrip("0")), reverse=True)
    parts = [
        int(digit) * 10**place for place, digit in enumerate(reversed(str(short))) if digit != "0"
    ]
    if len(parts) == 1:
        yield from _times_digit(long, short)
        return a * b
    yield f"{long} * {short} = {' + '.join(f'{long} * {part}' for part in parts)}"
    so_far = 0
    for part in parts:
        # By digits even if it is easy by itself, for the sake of small models.
        product = long * part
        if is_easy("*", long, part) and (long <= TABLE or str(part)[0] in "12"):
            yield f"{long} * {part} = {product}"
        else:
            yield from _times_digit(long, part)
        if so_far:
            yield from (add if so_far + product < 1000 else _added_digits)(so_far, product)
        so_far += product
    yield f"So {a} * {b} = {a * b}"
    return a * b


def _times_digit(long: int, part: int) -> Work[None]:
    """A number times one digit, and the zeros behind the digit."""
    digit = int(str(part).rstrip("0"))
    if is_known_product(long, digit):
        yield f"{long} * {digit} = {long * digit}"
    else:
        yield f"{long} * {digit}, from the right:"
        written: list[int] = []
        carry = 0
        digits = _from_the_right(long)
        for place, x in enumerate(digits, 1):
            value = x * digit + carry
            terms = f"{x} * {digit} + {carry}" if carry else f"{x} * {digit}"
            carry = value // 10 if place < len(digits) else 0
            written.append(value - 10 * carry)
            yield f"{terms} = {value}, write {written[-1]}" + (f", carry {carry}" if carry else "")
        yield f"Written: {spaced(written)}"
        yield f"So {long} * {digit} = {long * digit}"
    if part != digit:
        yield f"{long * digit} * {part // digit} = {long * part}"


def divide(a: int, b: int) -> Work[tuple[int, int]]:
    """The quotient and the remainder of a >= 0 and b > 0, by long division."""
    quotient, rest = divmod(a, b)
    if is_easy("//", a, b):
        yield f"{a} // {b} = {quotient}, {a} mod {b} = {rest}"
        return quotient, rest
    yield f"{a} // {b}, from the left:"
    known = b <= TABLE or is_easy("*", 99, b)
    multiples = [b]  # as far as they were needed
    first = len(str(a)) - len(str(quotient)) + 1
    now, brought = int(str(a)[:first]), f"Take {str(a)[:first]}"
    for place, digit in enumerate(map(int, str(quotient)), first):
        if digit and not known:
            yield brought
            yield from _list_multiples(multiples, now)
            yield from _division_step(now, b, digit, f"{digit} times {b} is {digit * b}")
        elif digit:
            yield from _division_step(now, b, digit, f"{brought}: {digit} * {b} = {digit * b}")
        else:
            yield f"{brought}: {now} < {b}, digit 0"
        now -= digit * b
        if place < len(str(a)):
            brought = f"{now} * 10 + {str(a)[place]} = {now * 10 + int(str(a)[place])}"
            now = now * 10 + int(str(a)[place])
    yield f"Digits: {spaced(str(quotient))}"
    yield f"So {a} = {quotient} * {b} + {rest}, quotient {quotient}, remainder {rest}"
    return quotient, rest


def _list_multiples(multiples: list[int], now: int) -> Work[None]:
    """More multiples of a divisor, each from the one before, up to the first that is too large."""
    b = multiples[0]
    while multiples[-1] <= now and len(multiples) < 9:
        k, last = len(multiples) + 1, multiples[-1]
        multiples.append(last + b)
        if is_easy("+", last, b):
            above = f" > {now}" if last + b > now else ""
            yield f"{k} * {b} = {last} + {b} = {last + b}{above}"
        else:
            yield f"{k} * {b} = {last} + {b}"
            yield from add(last, b)
            if last + b > now:
                yield f"{last + b} > {now}"


def _division_step(now: int, b: int, digit: int, product: str) -> Work[None]:
    """Takes a multiple of the divisor off, and leaves less than the divisor."""
    left = now - digit * b
    if is_easy("-", now, digit * b):
        yield f"{product}, {now} - {digit * b} = {left} < {b}, digit {digit}"
    else:
        yield f"{product}, digit {digit}"
        yield from subtract(now, digit * b)
        yield f"{left} < {b}"


def modulo(a: int, b: int) -> Work[int]:
    """a mod b, for b > 0."""
    if is_easy("mod", a, b):
        yield f"{a} mod {b} = {a % b}"
    elif a < 0:
        rest = yield from modulo(-a, b)
        if rest:
            yield from subtract(b, rest)
        yield f"So {a} mod {b} = {a % b}"
    else:
        yield from divide(a, b)
    return a % b


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


def add_mod(a: int, b: int, modulus: int) -> Work[int]:
    """(a + b) mod modulus."""
    value = yield from add(a, b)
    return value if 0 <= value < modulus else (yield from modulo(value, modulus))


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


def add_all(values: Sequence[int]) -> Work[int]:
    """The sum of numbers, as a running total."""
    return (yield from _run(values, "+"))


def multiply_all(values: Sequence[int]) -> Work[int]:
    """The product of numbers, as a running product."""
    return (yield from _run(values, "*"))


def _run(values: Sequence[int], operator: str) -> Work[int]:
    """Easy steps share a line, up to five of them; others have lines of their own."""
    if not values:
        return 0 if operator == "+" else 1
    so_far, easy = values[0], list[str]()
    for value in values[1:]:
        result = so_far + value if operator == "+" else so_far * value
        if is_easy(operator, so_far, value):
            term = _sum(so_far, value) if operator == "+" else f"{so_far} * {value}"
            easy.append(f"{term} = {result}")
        if easy and (len(easy) == 5 or not is_easy(operator, so_far, value)):
            yield ", ".join(easy)
            easy.clear()
        if not is_easy(operator, so_far, value):
            yield from add(so_far, value) if operator == "+" else multiply(so_far, value)
        so_far = result
    if easy:
        yield ", ".join(easy)
    return so_far


def add_row(label: str, pairs: Iterable[tuple[int, int]]) -> Work[list[int]]:
    """A row of a table whose entries are sums of two that are known: `Row 3: 4, 7 + 5 = 12`."""
    row: list[int] = []
    entries: list[str] = []
    for a, b in pairs:
        row.append(a + b)
        easy = is_easy("+", a, b)
        if not easy:
            yield f"{label}: {', '.join(entries)}"
            yield from add(a, b)
            entries.clear()
            label = f"{label.removesuffix(' (further)')} (further)"
        entries.append(f"{_sum(a, b)} = {a + b}" if easy and a + b > 9 else f"{a + b}")
    yield f"{label}: {', '.join(entries)}"
    return row


def prefix_sums(values: Iterable[int], name: str = "P") -> Work[list[int]]:
    """The sums of the first 0, 1, 2, ... values."""
    sums = [0]
    yield f"{name}[0] = 0"
    for i, value in enumerate(values, 1):
        before, after = sums[-1], sums[-1] + value
        if is_easy("+", before, value):
            yield f"{name}[{i}] = {_sum(before, value)} = {after}"
        else:
            yield from add(before, value)
            yield f"So {name}[{i}] = {after}"
        sums.append(after)
    return sums


def to_binary(n: int) -> Work[str]:
    """The binary digits of a number >= 0, by halving."""
    if n < 2:
        yield f"{n} in binary is {n}"
        return str(n)
    digits: list[int] = []
    rest = n
    while rest > 1:
        half, digit = rest // 2, rest % 2
        if is_easy("//", rest, 2):
            yield f"{rest} // 2 = {half}, {rest} mod 2 = {digit}"
        else:
            yield from divide(rest, 2)
        digits.append(digit)
        rest = half
    digits.append(rest)
    yield f"Remainders, then the last quotient: {spaced(digits)}"
    text = "".join(map(str, reversed(digits)))
    yield f"Read backwards: {n} in binary is {text}"
    return text


def bitwise(operator: str, a: int, b: int) -> Work[int]:
    """a AND b, a OR b or a XOR b, bit by bit."""
    value = {"AND": a & b, "OR": a | b, "XOR": a ^ b}[operator]
    if is_easy(operator, a, b):
        yield f"{a} {operator} {b} = {value}"
        return value
    first = yield from to_binary(a)
    second = yield from to_binary(b)
    width = max(len(first), len(second))
    yield f"{a}: {spaced(first.zfill(width))}"
    yield f"{b}: {spaced(second.zfill(width))}"
    bits = f"{value:0{width}b}"
    yield f"{operator}: {spaced(bits)}"
    places = [width - 1 - i for i, bit in enumerate(bits) if bit == "1"]
    if places:
        yield "Ones: " + ", ".join(f"2^{place} = {2**place}" for place in places)
        yield from add_all([2**place for place in places])
    yield f"So {a} {operator} {b} = {value}"
    return value


def say(operator: str, a: int, b: int) -> Work[str]:
    """`a + b = c`, for use within a line; a step that is not easy goes longhand above that line."""
    if is_easy(operator, a, b):
        value = {"+": a + b, "-": a - b, "*": a * b}.get(operator, a // b if b else 0)
        written = {"+": _sum(a, b), "-": _difference(a, b)}.get(operator, f"{a} {operator} {b}")
        return f"{written} = {value}"
    match operator:
        case "+":
            return f"{a} plus {b} is {yield from add(a, b)}"
        case "-":
            return f"{a} minus {b} is {yield from subtract(a, b)}"
        case "*":
            return f"{a} times {b} is {yield from multiply(a, b)}"
        case "/" | "//":
            quotient, _ = yield from divide(a, b)
            return f"{a} divided by {b} is {quotient}"
        case _:
            raise ValueError(f"say() takes +, -, *, / or //, not {operator!r}")


def add_to(total: int, value: int, label: str) -> Work[int]:
    """A running total: `label, total 3 + 5 = 8`."""
    if is_easy("+", total, value):
        yield f"{label}, total {_sum(total, value)} = {total + value}"
    else:
        yield f"{label}, add it to the total {total}"
        yield from add(total, value)
    return total + value


def power(base: int, exponent: int) -> Work[int]:
    """base^exponent for a base >= 0, by squaring."""
    if is_easy("^", base, exponent):
        yield f"{base}^{exponent} = {base**exponent}"
        return base**exponent
    yield f"{base}^{exponent} with {exponent} // 2 = {exponent // 2}:"
    half = yield from power(base, exponent // 2)
    value = yield from multiply(half, half)
    if exponent % 2:
        value = yield from multiply(value, base)
    yield f"So {base}^{exponent} = {value}"
    return value


def binomial(n: int, k: int) -> Work[int]:
    """C(n, k), the number of ways to choose k of n objects, from C(n, 1), C(n, 2) and so on."""
    if is_easy("C", n, k) or k in (0, n):
        yield f"C({n}, {k}) {'=' if is_easy('C', n, k) else 'is'} {comb(n, k)}"
        return comb(n, k)
    few = min(k, n - k)
    few_of = f", as many as C({n}, {few})" if few < k else ""
    yield f"C({n}, {k}){few_of}: multiply {spaced(range(n, n - few, -1))}, divide by 1 to {few}"
    value = n
    for i in range(2, few + 1):
        product = yield from multiply(value, n - i + 1)
        yield (yield from say("/", product, i))
        value = product // i
    return value


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
    steps: list[str] = []
    written: list[int] = []
    carry = 0
    digits = _from_the_right(a)
    for place, x in enumerate(digits, 1):
        value = x * k + carry
        terms = f"{x} * {k} + {carry}" if carry else f"{x} * {k}"
        carry = value // 10 if place < len(digits) else 0
        written.append(value - 10 * carry)
        tens = f", {value} // 10 = {carry}" if carry > 10 else ""
        steps.append(f"{terms} = {value}{tens}")
    yield f"{a} times {k}, from the right, tens carried: {', '.join(steps)}"
    yield f"Written: {spaced(written)}"
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
