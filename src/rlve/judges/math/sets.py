"""Sets of numbers: intervals, unions and differences."""

# math-verify and SymPy leave their types unknown.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingImports=false
# pyright: reportUnknownParameterType=false, reportMissingTypeStubs=false

from rlve.errors import Unparseable
from rlve.judges.math.expressions import Expression, expression
from rlve.judges.math.forms import Form, Items, Named, Union, Value, Without


def same_set(gold: Form, answer: Form) -> bool:
    """Whether both are the same set of real numbers."""
    try:
        one, other = _as_set(gold), _as_set(answer)
    except Unparseable:
        return False
    return bool(one == other)


def parts_of(form: Form) -> list[Form]:
    """The parts of a union; a set that is not a union is its only part."""
    if isinstance(form, Union):
        return [inner for part in form.parts for inner in parts_of(part)]
    if isinstance(form, Named):
        return parts_of(form.form)
    if isinstance(form, Items) and not form.opening:  # x < 1 or x > 3
        return [inner for part in form.items for inner in parts_of(part)]
    return [] if isinstance(form, Without) else [form]


def _as_set(form: Form) -> Expression:
    import sympy

    if isinstance(form, Named):
        return _as_set(form.form)
    if isinstance(form, Without):
        return sympy.Complement(_as_set(form.whole), _as_set(form.removed))
    if isinstance(form, Union) or (isinstance(form, Items) and not form.opening):
        parts = form.parts if isinstance(form, Union) else form.items
        return sympy.Union(*(_as_set(part) for part in parts))
    if isinstance(form, Items) and form.opening == "{":
        return sympy.FiniteSet(*(_real(item) for item in form.items))
    if isinstance(form, Items) and len(form.items) == 2:
        low, high = (_real(item) for item in form.items)
        return sympy.Interval(low, high, form.opening == "(", form.closing == ")")
    raise Unparseable("not a set of numbers")


def _real(form: Form) -> Expression:
    if isinstance(form, Value) and form.unit is None:
        value = expression(form.latex)
        if value.is_extended_real and not value.free_symbols:
            return value
    raise Unparseable("not a real number")
