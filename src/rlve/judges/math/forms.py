"""The outer form of an answer: a value, a list, an interval, an equation.

The content of a Value stays text.
"""

from typing import TypeAlias

import msgspec


class Value(msgspec.Struct, frozen=True):
    """An expression, and the unit after it."""

    latex: str
    unit: str | None = None


class Words(msgspec.Struct, frozen=True):
    """Text that is not a formula, compared letter by letter."""

    text: str


class Items(msgspec.Struct, frozen=True):
    """Several forms in brackets: a list (no brackets), a set, a tuple or an interval."""

    opening: str  # one of "", "{", "(", "["
    items: "tuple[Form, ...]"
    closing: str


class Named(msgspec.Struct, frozen=True):
    """name = form, or name in form."""

    name: str
    form: "Form"


class Same(msgspec.Struct, frozen=True):
    """Forms stated to be equal, or about equal: 10/2 = 5, 10/3 ~ 3.33."""

    forms: "tuple[Form, ...]"
    exact: bool


class Relation(msgspec.Struct, frozen=True):
    """An equation or inequality that names nothing: left - right (= | < | <= | !=) 0."""

    left: str
    sign: str
    right: str


class Union(msgspec.Struct, frozen=True):
    """The union of sets."""

    parts: "tuple[Form, ...]"


class Both(msgspec.Struct, frozen=True):
    """The intersection of sets; if only commas join them and it is empty, their union."""

    parts: "tuple[Form, ...]"
    loose: bool  # joined by commas: x > 1, x < 3 and x < 1, x > 3


class Without(msgspec.Struct, frozen=True):
    """A set without the elements of another."""

    whole: "Form"
    removed: "Form"


class Matrix(msgspec.Struct, frozen=True):
    """A matrix or vector."""

    rows: "tuple[tuple[Form, ...], ...]"


Form: TypeAlias = Value | Words | Items | Named | Same | Relation | Union | Both | Without | Matrix

REALS = Items("(", (Value("-\\infty"), Value("\\infty")), ")")
EMPTY = Items("{", (), "}")
