"""Making expressions in canonical form.

Numbers are folded exactly, like terms and equal bases are collected, and the rules of powers,
exponentials and logarithms are applied where they hold for all real values for which the original
is defined: sqrt(x)**2 becomes x, but sqrt(x**2) does not. A number times a sum is multiplied out,
and taken out of a sum that has other factors: 2*(x + 1) is 2*x + 2, and x*(2*x + 2) is 2*x*(x + 1).
No other product is multiplied out, so that no expression grows.
"""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from math import floor, gcd, lcm

from rlve.algorithms.expressions.nodes import (
    Constant,
    Expression,
    Function,
    Number,
    Order,
    Power,
    Product,
    Sum,
    TooLarge,
    Undefined,
    Variable,
    coefficient,
    is_negative,
)

MAX_BITS = 4096  # of the numerator and of the denominator of any number

ZERO, ONE, MINUS_ONE, HALF = (Number(Fraction(text)) for text in ("0", "1", "-1", "1/2"))
E = Constant("E")
X = Variable("x")

_ODD = frozenset("sin tan asin atan sinh tanh asinh atanh".split())
_EVEN = frozenset("cos cosh".split())
_NAMED_OTHERWISE = {"ln": "log", "abs": "Abs"}
_RECIPROCALS = {"sec": "cos", "csc": "sin"}

FUNCTIONS = frozenset(
    {"exp", "log", "sqrt", "Abs", "acos", "acosh", "cot"}
    | _ODD
    | _EVEN
    | _NAMED_OTHERWISE.keys()
    | _RECIPROCALS.keys()
)
"""The names that `apply` knows."""


def number(value: Fraction | int) -> Number:
    if isinstance(value, int):
        value = Fraction(value)
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > MAX_BITS:
        raise TooLarge(f"a number of more than {MAX_BITS:,} bits")
    return Number(value)


def add(*terms: Expression) -> Expression:
    constant = Fraction(0)
    collected: dict[Expression, Fraction] = {}
    for term in _flat(terms, Sum):
        if isinstance(term, Number):
            constant += term.value
        else:
            rest = _without_coefficient(term)
            collected[rest] = collected.get(rest, Fraction(0)) + coefficient(term)
    parts = [_scaled(scale, rest) for rest, scale in collected.items() if scale]
    parts.sort(key=_term_order)
    if constant or not parts:
        parts.append(number(constant))
    return parts[0] if len(parts) == 1 else Sum(tuple(parts))


def without_constant(a: Expression) -> Expression:
    """The terms that depend on the variable."""
    return add(*(term for term in _flat([a], Sum) if term.has_variable))


def subtract(a: Expression, b: Expression) -> Expression:
    return add(a, negative(b))


def negative(a: Expression) -> Expression:
    return multiply(MINUS_ONE, a)


def multiply(*factors: Expression) -> Expression:
    scale = Fraction(1)
    same_base: dict[Expression, list[Expression]] = {}
    roots: dict[int, Fraction] = {}  # exponents of integers: sqrt(6) is 2**(1/2) * 3**(1/2)
    for factor in _flat(factors, Product):
        base, exponent = _as_power(factor)
        if isinstance(factor, Number):
            scale = number(scale * factor.value).value
        elif isinstance(factor, Sum):
            content, base = _primitive(factor)
            scale = number(scale * content).value
            same_base.setdefault(base, []).append(base)
        elif _is_root(base, exponent):
            _collect_roots(roots, base, exponent)
        else:
            same_base.setdefault(base, []).append(factor)
    if not scale:
        return ZERO
    outside, powers = _extract_roots(roots)
    scale = number(scale * outside).value
    changed = False
    for base, several in same_base.items():
        if len(several) == 1:
            powers += several
            continue
        merged = power(base, add(*(_as_power(factor)[1] for factor in several)))
        powers.append(merged)
        changed = changed or isinstance(merged, (Sum, Product)) or _as_power(merged)[0] != base
    if changed:  # what came out can be merged with the others
        return multiply(number(scale), *powers)
    if scale != 1 and len(powers) == 1 and isinstance(powers[0], Sum):
        return _multiplied_out(scale, powers[0])
    powers.sort(key=_factor_order)
    return _product(scale, powers)


def divide(a: Expression, b: Expression) -> Expression:
    return multiply(a, power(b, MINUS_ONE))


def power(base: Expression, exponent: Expression) -> Expression:
    if exponent == ZERO:
        return ONE
    if exponent == ONE or base == ONE:
        return base
    if base == E:
        return apply("exp", exponent)
    if isinstance(base, Number):
        if isinstance(exponent, Number):
            return _number_power(base.value, exponent.value)
        if base == ZERO:
            raise Undefined("zero to a power that is not a number")
    whole = _is_integer(exponent)
    if isinstance(base, Function) and base.name == "exp":
        return apply("exp", multiply(base.argument, exponent))
    if isinstance(base, Function) and base.name == "Abs" and _is_even(exponent):
        return power(base.argument, exponent)
    if isinstance(base, Power) and (whole or _is_fractional(base.exponent)):
        return power(base.base, multiply(base.exponent, exponent))
    if isinstance(base, Product) and whole:
        return multiply(*(power(factor, exponent) for factor in base.factors))
    content = Fraction(1)
    if isinstance(base, Sum) and whole:
        content = _content(base)
    elif isinstance(base, Product) and isinstance(exponent, Number):
        content = abs(coefficient(base))
    if content != 1:
        rest = multiply(number(1 / content), base)
        return multiply(power(number(content), exponent), power(rest, exponent))
    return Power(base, exponent)


def apply(name: str, argument: Expression) -> Expression:
    """The function of that name, one of FUNCTIONS."""
    name = _NAMED_OTHERWISE.get(name, name)
    if name == "sqrt":
        return power(argument, HALF)
    if name == "exp":
        return _exponential(argument)
    if name == "log":
        return _logarithm(argument)
    if name == "Abs":
        return _absolute(argument)
    if name in _RECIPROCALS:
        return power(apply(_RECIPROCALS[name], argument), MINUS_ONE)
    if name == "cot":
        return divide(apply("cos", argument), apply("sin", argument))
    if argument == ZERO and name != "acos" and name != "acosh":
        return ZERO if name in _ODD else ONE
    if argument == ONE and name in ("acos", "acosh"):
        return ZERO
    if _leads_negative(argument):
        if name in _ODD:
            return negative(apply(name, negative(argument)))
        if name in _EVEN:
            return apply(name, negative(argument))
    return Function(name, argument)


def _exponential(argument: Expression) -> Expression:
    if argument == ZERO:
        return ONE
    if argument == ONE:
        return E
    terms = argument.terms if isinstance(argument, Sum) else (argument,)
    logarithms = {term: parts for term in terms if (parts := _as_logarithm(term))}
    if not logarithms:
        return Function("exp", argument)
    rest = _exponential(add(*(term for term in terms if term not in logarithms)))
    return multiply(rest, *(power(inside, factor) for inside, factor in logarithms.values()))


def _logarithm(argument: Expression) -> Expression:
    if argument == ZERO:
        raise Undefined("the logarithm of zero")
    if argument == ONE:
        return ZERO
    if argument == E:
        return ONE
    if isinstance(argument, Function) and argument.name == "exp":
        return argument.argument
    if isinstance(argument, Number) and argument.value.numerator == 1:
        return negative(_logarithm(Number(1 / argument.value)))
    if isinstance(argument, Power) and _is_fractional(argument.exponent):
        return multiply(argument.exponent, _logarithm(argument.base))
    return Function("log", argument)


def _absolute(argument: Expression) -> Expression:
    size = abs(coefficient(argument))
    if isinstance(argument, Number):
        return Number(size)
    rest = _without_coefficient(argument)
    if isinstance(rest, Function) and rest.name in ("Abs", "exp", "cosh"):
        return multiply(Number(size), rest)
    if isinstance(rest, Power) and (_is_even(rest.exponent) or _is_fractional(rest.exponent)):
        return multiply(Number(size), rest)
    if isinstance(rest, Sum) and _leads_negative(rest):
        rest = negative(rest)
    return multiply(Number(size), Function("Abs", rest))


def _number_power(base: Fraction, exponent: Fraction) -> Expression:
    if base == 0:
        if exponent < 0:
            raise Undefined("a division by zero")
        return ZERO
    if exponent.denominator == 1:
        return number(_whole_power(base, exponent.numerator))
    if base < 0:
        return Power(Number(base), Number(exponent))  # has no real value
    roots: dict[int, Fraction] = {}
    _collect_roots(roots, Number(Fraction(base.numerator)), Number(exponent))
    _collect_roots(roots, Number(Fraction(base.denominator)), Number(-exponent))
    outside, powers = _extract_roots(roots)
    powers.sort(key=_factor_order)
    return _product(number(outside).value, powers)


def _whole_power(base: Fraction, exponent: int) -> Fraction:
    bits = max(base.numerator.bit_length(), base.denominator.bit_length()) - 1
    if bits * abs(exponent) > MAX_BITS:
        raise TooLarge(f"a number of more than {MAX_BITS:,} bits")
    if bits == 0:  # base is 1 or -1
        return base if exponent % 2 else base * base
    return base**exponent


def _collect_roots(roots: dict[int, Fraction], base: Expression, exponent: Expression) -> None:
    if isinstance(base, Number) and isinstance(exponent, Number):
        for factor, multiplicity in _factors(base.value.numerator):
            roots[factor] = roots.get(factor, Fraction(0)) + multiplicity * exponent.value


def _extract_roots(roots: dict[int, Fraction]) -> tuple[Fraction, list[Expression]]:
    """The rational part of a product of roots of integers, and one root for each exponent."""
    outside = Fraction(1)
    inside: dict[Fraction, int] = {}
    for factor, exponent in roots.items():
        whole = floor(exponent)
        outside = number(outside * _whole_power(Fraction(factor), whole)).value
        if exponent != whole:
            inside[exponent - whole] = inside.get(exponent - whole, 1) * factor
    return outside, [Power(number(product), Number(e)) for e, product in inside.items()]


def _factors(n: int) -> Iterator[tuple[int, int]]:
    """The small prime factors of n with their multiplicities; what is left of n is one factor."""
    for p in _SMALL_PRIMES:
        multiplicity = 0
        while n % p == 0:
            n //= p
            multiplicity += 1
        if multiplicity:
            yield p, multiplicity
    if n > 1:
        yield n, 1


_SMALL_PRIMES = [p for p in range(2, 100) if all(p % q for q in range(2, p))]


def _flat(nodes: Iterable[Expression], kind: type[Sum] | type[Product]) -> Iterator[Expression]:
    for node in nodes:
        if isinstance(node, kind):
            yield from node.children  # which are flat, as the node is canonical
        else:
            yield node


def _product(scale: Fraction, powers: list[Expression]) -> Expression:
    factors = powers if scale == 1 and powers else [number(scale), *powers]
    return factors[0] if len(factors) == 1 else Product(tuple(factors))


def _without_coefficient(term: Expression) -> Expression:
    if not isinstance(term, Product) or not isinstance(term.factors[0], Number):
        return term
    rest = term.factors[1:]
    return rest[0] if len(rest) == 1 else Product(rest)


def _scaled(scale: Fraction, rest: Expression) -> Expression:
    """A number times a term that has no number in front and is not a sum."""
    if isinstance(rest, Number):
        return number(scale)
    return _product(scale, list(rest.factors if isinstance(rest, Product) else (rest,)))


def _content(node: Sum) -> Fraction:
    """The number that leaves coprime integer coefficients, the first one positive."""
    scales = [coefficient(term) for term in node.terms]
    size = Fraction(gcd(*(c.numerator for c in scales)), lcm(*(c.denominator for c in scales)))
    return -size if scales[0] < 0 else size


def _primitive(node: Sum) -> tuple[Fraction, Expression]:
    content = _content(node)
    return content, node if content == 1 else _multiplied_out(1 / content, node)


def _multiplied_out(scale: Fraction, node: Sum) -> Expression:
    """A number times a sum, whose terms keep their order."""
    return Sum(
        tuple(
            _scaled(number(scale * coefficient(term)).value, _without_coefficient(term))
            for term in node.terms
        )
    )


def _as_power(node: Expression) -> tuple[Expression, Expression]:
    if isinstance(node, Power):
        return node.base, node.exponent
    if isinstance(node, Function) and node.name == "exp":
        return E, node.argument
    return node, ONE


def _as_logarithm(term: Expression) -> tuple[Expression, Expression] | None:
    """(u, c) for a term c*log(u)."""
    for factor in term.factors if isinstance(term, Product) else (term,):
        if isinstance(factor, Function) and factor.name == "log":
            return factor.argument, divide(term, factor)
    return None


def _is_root(base: Expression, exponent: Expression) -> bool:
    return isinstance(base, Number) and base.value > 0 and _is_fractional(exponent)


def _is_integer(node: Expression) -> bool:
    return isinstance(node, Number) and node.value.denominator == 1


def _is_fractional(node: Expression) -> bool:
    return isinstance(node, Number) and node.value.denominator != 1


def _is_even(node: Expression) -> bool:
    return isinstance(node, Number) and node.value % 2 == 0


def _leads_negative(node: Expression) -> bool:
    return is_negative(node.terms[0] if isinstance(node, Sum) else node)


def _term_order(term: Expression) -> Order:
    """Highest power of the variable first, products before the bare power, constants last."""
    rest = _without_coefficient(term)
    degree = Fraction(0)
    for factor in rest.factors if isinstance(rest, Product) else (rest,):
        base, exponent = _as_power(factor)
        if isinstance(base, Variable) and isinstance(exponent, Number):
            degree = exponent.value
    return (not term.has_variable, -degree, not isinstance(rest, Product), rest.order)


def _factor_order(factor: Expression) -> Order:
    """Numbers first, then the variable, then what is in parentheses, then functions."""
    base, exponent = _as_power(factor)
    if base == E:
        base = factor
    return (base.order, exponent.order)
