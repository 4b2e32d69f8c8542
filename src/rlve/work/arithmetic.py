"""Arithmetic as one learns it at school: in one line where it is easy, longhand where it is not."""

from collections.abc import Iterable, Sequence
from itertools import zip_longest
from math import comb

from rlve.contract import Work
from rlve.text import spaced
from rlve.work.mental import TABLE, is_easy, is_known_product


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
    so_far, digits = 0, set[str]()
    for part in parts:
        # By digits even if it is easy by itself, for the sake of small models.
        product = long * part
        if is_easy("*", long, part) and (long <= TABLE or str(part)[0] in "12"):
            yield f"{long} * {part} = {product}"
        else:
            yield from _times_digit(long, part, again=str(part)[0] in digits)
            digits.add(str(part)[0])
        if so_far:
            yield from (add if so_far + product < 1000 else _added_digits)(so_far, product)
        so_far += product
    yield f"So {a} * {b} = {a * b}"
    return a * b


def _times_digit(long: int, part: int, *, again: bool = False) -> Work[None]:
    """A number times one digit, and the zeros behind the digit."""
    digit = int(str(part).rstrip("0"))
    if is_known_product(long, digit):
        yield f"{long} * {digit} = {long * digit}"
    elif again:
        yield f"So {long} * {digit} = {long * digit}, as above"
    else:
        yield f"{long} * {digit}, from the right:"
        steps = carried_products(long, digit)
        for terms, value, carry in steps:
            more = f", carry {carry}" if carry else ""
            yield f"{terms} = {value}, write {value - 10 * carry}{more}"
        yield f"Written: {spaced(value - 10 * carry for _, value, carry in steps)}"
        yield f"So {long} * {digit} = {long * digit}"
    if part != digit:
        yield f"{long * digit} * {part // digit} = {long * part}"


def carried_products(a: int, k: int) -> list[tuple[str, int, int]]:
    """Each digit of a times k, from the right: terms with what is carried, value, new carry."""
    steps: list[tuple[str, int, int]] = []
    carry = 0
    digits = _from_the_right(a)
    for place, x in enumerate(digits, 1):
        value = x * k + carry
        terms = f"{x} * {k} + {carry}" if carry else f"{x} * {k}"
        carry = value // 10 if place < len(digits) else 0
        steps.append((terms, value, carry))
    return steps


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


def prefix_sums(values: Iterable[int]) -> Work[list[int]]:
    """The sums of the first 0, 1, 2, ... values."""
    sums = [0]
    yield "P[0] = 0"
    for i, value in enumerate(values, 1):
        before, after = sums[-1], sums[-1] + value
        if is_easy("+", before, value):
            yield f"P[{i}] = {_sum(before, value)} = {after}"
        else:
            yield from add(before, value)
            yield f"So P[{i}] = {after}"
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
    first, second = f"{a:b}", f"{b:b}"
    for number in dict.fromkeys((a, b)):
        yield from to_binary(number)
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
