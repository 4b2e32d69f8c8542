"""Equations and inequalities."""

from fractions import Fraction

from rlve.errors import Unparseable
from rlve.judges.math.expressions import (
    ENOUGH_POINTS,
    Evaluation,
    Expression,
    Number,
    Point,
    Undefined,
    expression,
    inexact,
    libraries,
    sample_points,
)
from rlve.judges.math.forms import Items, Named, Relation, Value

BITS = 600  # of the values, where they are not exact
SURE_BITS = 300  # a value this much smaller than the numbers on its way is zero
SAME_BITS = 150  # that two quotients must have in common to be the same


def equal_relations(gold: Named | Relation, answer: Named | Relation) -> bool:
    """Whether the differences of the two sides agree, up to a factor that changes nothing."""
    truth, given = _relation(gold), _relation(answer)
    if truth is None or given is None or truth[1] != given[1]:
        return False
    try:
        one = expression(f"({truth[0]})-({truth[2]})")
        other = expression(f"({given[0]})-({given[2]})")
    except Unparseable:
        return False
    if one.letters != other.letters or not one.letters:
        return False
    first: tuple[Number, Number] | None = None
    agreed = 0
    for point in sample_points(one, other):
        values = _values(one, other, point)
        if values is None:
            continue
        a, b = values
        if not a or not b:  # only one of them is zero, or one is not real
            return False
        first = first or (a, b)
        if not _same_quotient(first, (a, b)):
            return False
        agreed += 1
    if first is None or agreed < ENOUGH_POINTS:
        return False
    return truth[1] in ("=", "\\ne") or (first[0] > 0) == (first[1] > 0)


def _relation(form: Named | Relation) -> tuple[str, str, str] | None:
    if isinstance(form, Relation):
        return form.left, form.sign, form.right
    if isinstance(form.form, Value) and form.form.unit is None:
        return form.name, "=", form.form.latex
    match form.form:  # y > 2 - x was read as the interval from 2 - x on
        case Items(opening, (Value(low), Value("\\infty")), ")"):
            return low, "\\le" if opening == "[" else "<", form.name
        case Items("(", (Value("-\\infty"), Value(high)), closing):
            return form.name, "\\le" if closing == "]" else "<", high
        case _:
            return None


def _values(one: Expression, other: Expression, point: Point) -> tuple[Number, Number] | None:
    """The two values, with 0 for what is no number; None if the point says nothing."""
    evaluation = Evaluation(point, BITS)
    try:
        values = [evaluation.value(form.tree) for form in (one, other)]
    except Undefined:
        return None
    exact = all(isinstance(value, Fraction) for value in values)
    if not exact:
        if evaluation.spread > SURE_BITS:
            return None
        noise = evaluation.largest - SURE_BITS
        values = [inexact(value) for value in values]
        if any(_counts(value.imag, noise) for value in values):
            # See expressions: bars say that letters may be negative.
            return (0, 0) if ("abs" in one.heads) != ("abs" in other.heads) else None
        values = [value.real if _counts(value.real, noise) else 0 for value in values]
    return (values[0], values[1]) if any(values) else None


def _counts(value: Number, noise: int) -> bool:
    return bool(value) and libraries().mag(value) > noise


def _same_quotient(first: tuple[Number, Number], values: tuple[Number, Number]) -> bool:
    (a, b), (c, d) = first, values
    if all(isinstance(value, Fraction) for value in (a, b, c, d)):
        return a * d == b * c
    a, b, c, d = map(inexact, (a, b, c, d))
    return a * d == b * c or libraries().mag(a * d - b * c) <= libraries().mag(a * d) - SAME_BITS
