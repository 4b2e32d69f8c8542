"""Help texts that flow, and list what a setting can name."""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import Field, fields, is_dataclass, replace
from typing import Any, Literal, cast

from tyro.constructors import (
    ConstructorRegistry,
    StructConstructorSpec,
    StructFieldSpec,
    StructTypeInfo,
)

from rlve.foundation.tables import CHOICES, explain

HelpText = str | Callable[[], str | None] | None


def help_registry(usual: Mapping[type, Collection[str]] | None = None) -> ConstructorRegistry:
    """tyro's rules for settings, with every help text in one paragraph.

    tyro joins the lines of a docstring unless they are indented, as they are in a class.

    usual   settings of some dataclasses: only these are shown, each with the gist of its text
    """
    registry = ConstructorRegistry()
    asking_tyro = False

    @registry.struct_rule
    def rule(info: StructTypeInfo) -> StructConstructorSpec | None:  # pyright: ignore[reportUnusedFunction]
        nonlocal asking_tyro
        if asking_tyro:
            return None
        asking_tyro = True
        try:
            spec = registry.get_struct_spec(info)
        finally:
            asking_tyro = False
        if not isinstance(spec, StructConstructorSpec):
            return None
        kind: Any = info.type  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        settings = {s.name: s for s in fields(kind)} if is_dataclass(kind) else {}
        shown = (usual or {}).get(cast(type, kind))
        told = (
            _with_help(field, settings.get(field.name), brief=shown is not None)
            for field in spec.fields
            if shown is None or field.name in shown
        )
        return replace(spec, fields=tuple(told))

    return registry


def _with_help(
    flag: StructFieldSpec, setting: "Field[Any] | None", *, brief: bool = False
) -> StructFieldSpec:
    """A flag with its help in one line, and its choices."""

    def told(text: str | None) -> str | None:
        line = None if text is None else " ".join(text.split())
        if line is not None and brief:
            return _gist(line)
        return line if line is None or setting is None else explain(setting, line)

    text = flag.helptext  # one that is yet to be read from the source is still read late
    helptext: HelpText = (lambda: told(text())) if callable(text) else told(text)
    if setting is not None and CHOICES in setting.metadata:
        choices: Any = Literal[tuple(setting.metadata[CHOICES])]
        if setting.default is None:
            choices = choices | None
        return replace(flag, helptext=helptext, type=choices)
    return replace(flag, helptext=helptext)


def _gist(text: str) -> str:
    """The beginning of a text: up to a stop, semicolon or colon, and at least three words."""
    found = re.match(r"(?:\S+ ){2}.*?(?=\. |; |: (?=[a-z0-9])|\.?$)", text)
    return f"{found[0]}." if found else text
