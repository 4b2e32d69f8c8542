"""What one does in the head, so that a worked solution may state it in one step."""

from fractions import Fraction
from math import gcd

Number = int | Fraction

TABLE = 12  # products up to 12 * 12 are known by heart


def is_easy(operator: str, a: Number, b: Number) -> bool:
    """Whether `a operator b` is a step for the head; longer ones go digit by digit."""
    if not isinstance(a, int) or not isinstance(b, int):
        parts = [Fraction(x).as_integer_ratio() for x in (a, b)]
        return max(abs(part) for pair in parts for part in pair) <= 100
    a, b = abs(a), abs(b)
    match operator:
        case "+" | "-":
            shorter, longer = sorted(map(len, map(str, _without_shared_zeros(a, b))))
            return shorter <= 2 or longer <= 4
        case "*":
            shorter, longer = sorted((_digits(a), _digits(b)))
            doubled = min(a, b) == 2 and longer <= 4
            return is_known_product(a, b) or doubled or shorter + longer <= 3
        case "/" | "//" | "mod":
            return b > 0 and _is_easy_division(operator, a, b)
        case "^":
            return a in (0, 1, 10) or b <= 1 or (a == 2 and b <= 16) or (b <= 6 and a**b <= 1_000)
        case "AND" | "OR" | "XOR":
            return max(a, b) < 16 or min(a, b) == 0
        case "gcd" | "lcm":
            return max(a, b) <= 20
        case "C":
            return a <= 6
        case _:
            return True  # comparing, and taking the larger or the smaller one


def is_known_product(a: int, b: int) -> bool:
    """Whether one knows a * b by heart, without carrying anything."""
    a, b = abs(a), abs(b)
    return _is_round(a) or _is_round(b) or max(a, b) <= TABLE


def _is_easy_division(operator: str, a: int, b: int) -> bool:
    if a < b or _is_round(b) or (b == 2 and (operator == "mod" or a < 10_000)):
        return True
    if a <= TABLE * TABLE and b <= TABLE:
        return True
    return a < 10 * b and (_digits(b) == 1 or a < 1_000)


def _digits(n: int) -> int:
    """The number of digits without the zeros at the end, which cost nothing in a product."""
    return len(str(n).rstrip("0"))


def _is_round(n: int) -> bool:
    """Whether it is 0 or a power of ten."""
    return not str(n).lstrip("1").strip("0") and n != 11 and str(n).count("1") <= 1


def _without_shared_zeros(a: int, b: int) -> tuple[int, int]:
    shared = gcd(a, b)
    while shared and shared % 10 == 0:
        a, b, shared = a // 10, b // 10, shared // 10
    return a, b
