"""Sets of real numbers: intervals, unions, intersections and differences."""

from collections.abc import Sequence
from functools import cmp_to_key
from typing import NamedTuple

from rlve.errors import Unparseable
from rlve.judges.math.expressions import Expression, expression, order, spend
from rlve.judges.math.forms import Both, Form, Items, Named, Union, Value, Without


def same_set(gold: Form, answer: Form) -> bool:
    """Whether both are the same set of real numbers."""
    try:
        one, other = set_of(gold), set_of(answer)
    except Unparseable:
        return False
    return len(one) == len(other) and all(
        _order(a.low, b.low) == _order(a.high, b.high) == 0 for a, b in zip(one, other, strict=True)
    )


def parts_of(form: Form) -> list[Form]:
    """The parts of a union; a set that is not a union is its only part."""
    if isinstance(form, Union):
        return [inner for part in form.parts for inner in parts_of(part)]
    if isinstance(form, Named):
        return parts_of(form.form)
    if isinstance(form, Items) and not form.opening:
        return [inner for part in form.items for inner in parts_of(part)]
    return [] if isinstance(form, Without | Both) else [form]


def names_in(form: Form) -> set[str]:
    """The letters that stand for an element."""
    if isinstance(form, Named):
        return {form.name} | names_in(form.form)
    parts = form.items if isinstance(form, Items) else getattr(form, "parts", ())
    return {name for part in parts for name in names_in(part)}


class _End(NamedTuple):
    """An end of an interval: a number, or just above or below it; or infinity."""

    number: Expression | None
    side: int  # of the number: -1, 0 or 1; of infinity: -1 or 1


class _Interval(NamedTuple):
    """From the lowest to the highest point: (1, 2] is from just above 1 to 2."""

    low: _End
    high: _End


_LEAST, _MOST = _End(None, -1), _End(None, 1)


def set_of(form: Form) -> list[_Interval]:
    """The set as disjoint intervals from left to right."""
    if isinstance(form, Named):
        return set_of(form.form)
    if isinstance(form, Without):
        return _meet(set_of(form.whole), _complement(set_of(form.removed)))
    if isinstance(form, Both):
        whole = [_Interval(_LEAST, _MOST)]
        for part in form.parts:
            whole = _meet(whole, set_of(part))
        return whole if whole or not form.loose else set_of(Union(form.parts))
    if isinstance(form, Union) or (isinstance(form, Items) and not form.opening):
        parts = form.parts if isinstance(form, Union) else form.items
        return _union([interval for part in parts for interval in set_of(part)])
    if isinstance(form, Items) and form.opening == "{":
        return _union([_Interval(_end(item, 0), _end(item, 0)) for item in form.items])
    if isinstance(form, Items) and form.opening and len(form.items) == 2:
        low = _end(form.items[0], 1 if form.opening == "(" else 0)
        high = _end(form.items[1], -1 if form.closing == ")" else 0)
        if _order(low, high) > 0:
            raise Unparseable("an interval that ends before it begins")
        return [_Interval(low, high)]
    raise Unparseable("not a set of numbers")


def _end(form: Form, side: int) -> _End:
    if isinstance(form, Value) and form.unit is None:
        if form.latex in ("\\infty", "+\\infty"):
            return _MOST
        if form.latex in ("-\\infty", "- \\infty"):
            return _LEAST
        number = expression(form.latex)
        if not number.letters:
            return _End(number, side)
    raise Unparseable("not a real number")


def _order(a: _End, b: _End) -> int:
    spend(4)
    if a.number is None or b.number is None:
        return (a.side if a.number is None else 0) - (b.side if b.number is None else 0)
    return order(a.number, b.number) or a.side - b.side


def _union(intervals: Sequence[_Interval]) -> list[_Interval]:
    joined: list[_Interval] = []
    for interval in sorted(intervals, key=cmp_to_key(lambda a, b: _order(a.low, b.low))):
        if joined and _order(interval.low, _after(joined[-1].high)) <= 0:
            if _order(interval.high, joined[-1].high) > 0:
                joined[-1] = _Interval(joined[-1].low, interval.high)
        else:
            joined.append(interval)
    return joined


def _meet(one: Sequence[_Interval], other: Sequence[_Interval]) -> list[_Interval]:
    found: list[_Interval] = []
    for a in one:
        for b in other:
            low = a.low if _order(a.low, b.low) >= 0 else b.low
            high = a.high if _order(a.high, b.high) <= 0 else b.high
            if _order(low, high) <= 0:
                found.append(_Interval(low, high))
    return found


def _complement(intervals: Sequence[_Interval]) -> list[_Interval]:
    gaps: list[_Interval] = []
    low = _LEAST
    for interval in intervals:
        high = _before(interval.low)
        if interval.low != _LEAST and _order(low, high) <= 0:
            gaps.append(_Interval(low, high))
        low = _after(interval.high)
    return gaps if intervals and intervals[-1].high == _MOST else [*gaps, _Interval(low, _MOST)]


def _after(end: _End) -> _End:
    """The next point: just above a number comes after the number, and so on."""
    return end if end.number is None else _End(end.number, end.side + 1)


def _before(end: _End) -> _End:
    return end if end.number is None else _End(end.number, end.side - 1)
