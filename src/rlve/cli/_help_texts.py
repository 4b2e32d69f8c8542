"""Help texts that flow, and list what a setting can name."""

from collections.abc import Collection, Mapping
from dataclasses import Field, fields, is_dataclass, replace
from typing import Any, Literal, cast

from tyro.constructors import (
    ConstructorRegistry,
    StructConstructorSpec,
    StructFieldSpec,
    StructTypeInfo,
)

from rlve.foundation.tables import CHOICES, explain


def help_registry(usual: Mapping[type, Collection[str]] | None = None) -> ConstructorRegistry:
    """tyro's rules for settings, with every help text in one paragraph.

    tyro joins the lines of a docstring unless they are indented, as they are in a class.

    usual   settings of some dataclasses: only these are shown
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
            _with_help(field, settings.get(field.name))
            for field in spec.fields
            if shown is None or field.name in shown
        )
        return replace(spec, fields=tuple(told))

    return registry


def _with_help(flag: StructFieldSpec, setting: "Field[Any] | None") -> StructFieldSpec:
    """A flag with its help in one line, and its choices."""

    def told(text: str | None) -> str | None:
        line = None if text is None else " ".join(text.split())
        return line if line is None or setting is None else explain(setting, line)

    text = flag.helptext  # one that is yet to be read from the source is still read late
    flag = replace(flag, helptext=(lambda: told(text())) if callable(text) else told(text))
    if setting is None or CHOICES not in setting.metadata:
        return flag
    choices: Any = Literal[tuple(setting.metadata[CHOICES])]
    return replace(flag, type=choices if setting.default is not None else choices | None)
