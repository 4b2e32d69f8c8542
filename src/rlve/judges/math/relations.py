"""Equations and inequalities."""

# math-verify and SymPy leave their types unknown.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingImports=false
# pyright: reportUnknownParameterType=false, reportMissingTypeStubs=false

from rlve.errors import Unparseable
from rlve.judges.math.expressions import (
    ENOUGH_POINTS,
    Expression,
    Point,
    expression,
    numeric,
    sample_points,
)
from rlve.judges.math.forms import Named, Relation, Value


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
    if one.free_symbols != other.free_symbols or not one.free_symbols:
        return False
    factors: list[float] = []
    for point in sample_points(one, other):
        factor = _ratio(one, other, point)
        if factor is None:
            continue
        if not factor or factor != (factors or [factor])[0]:
            return False
        factors.append(factor)
    return len(factors) >= ENOUGH_POINTS and (truth[1] in ("=", "\\ne") or factors[0] > 0)


def _relation(form: Named | Relation) -> tuple[str, str, str] | None:
    if isinstance(form, Relation):
        return form.left, form.sign, form.right
    if isinstance(form.form, Value) and form.form.unit is None:
        return form.name, "=", form.form.latex
    return None


def _ratio(one: Expression, other: Expression, point: Point) -> float | None:
    """The quotient of two values; 0 if only one of them is 0, None if it is undefined."""
    a, b = (numeric(form.subs(point)) for form in (one, other))
    if a is None or b is None or a.imag or b.imag:
        return None
    zeros = [abs(value) < 1e-12 for value in (a, b)]
    if any(zeros):
        return None if all(zeros) else 0.0
    return round(float(a.real / b.real), 9)
