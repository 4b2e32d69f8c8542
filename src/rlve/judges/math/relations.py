"""Equations and inequalities."""

# math-verify and SymPy leave their types unknown.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingImports=false
# pyright: reportUnknownParameterType=false, reportMissingTypeStubs=false

from typing import Any

from rlve.errors import Unparseable
from rlve.judges.math.expressions import Expression, expression, numeric, sample_points
from rlve.judges.math.forms import Named, Relation, Value


def equal_relations(gold: Named | Relation, answer: Named | Relation) -> bool:
    """Whether the differences of the two sides agree, up to a factor that changes nothing."""
    truth, given = _relation(gold), _relation(answer)
    if truth is None or given is None or truth[1] != given[1]:
        return False
    try:
        one = expression(f"({truth[0]})-({truth[2]})")
        other = expression(f"({given[0]})-({given[2]})")
        if one.free_symbols != other.free_symbols or not one.free_symbols:
            return False
        factors = {_ratio(one, other, point) for point in sample_points(one, whole=False)[:6]}
    except Unparseable:
        return False
    if None in factors or len(factors) != 1:
        return False
    (factor,) = factors
    return bool(factor) and (truth[1] in ("=", "\\ne") or factor > 0)  # pyright: ignore


def _relation(form: Named | Relation) -> tuple[str, str, str] | None:
    if isinstance(form, Relation):
        return form.left, form.sign, form.right
    if isinstance(form.form, Value) and form.form.unit is None:
        return form.name, "=", form.form.latex
    return None


def _ratio(one: Expression, other: Expression, point: dict[Any, Any]) -> float | None:
    a, b = (numeric(form.subs(point)) for form in (one, other))
    if a is None or b is None or abs(b) < 1e-12 or a.imag or b.imag:
        return None
    return round(float(a.real / b.real), 9)
