"""Help texts that flow, although the docstring of a setting has several lines."""

from collections.abc import Callable
from dataclasses import replace

from tyro.constructors import ConstructorRegistry, StructConstructorSpec, StructTypeInfo

HelpText = str | Callable[[], str | None] | None


def flowing() -> ConstructorRegistry:
    """tyro's rules for settings, with every help text in one paragraph.

    tyro joins the lines of a docstring unless they are indented, as they are in a class.
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
        fields = (replace(field, helptext=_joined(field.helptext)) for field in spec.fields)
        return replace(spec, fields=tuple(fields))

    return registry


def _joined(text: HelpText) -> HelpText:
    """The text in one line; one that is yet to be read from the source is still read late."""
    if callable(text):
        return lambda: _in_one_line(text())
    return _in_one_line(text)


def _in_one_line(text: str | None) -> str | None:
    return None if text is None else " ".join(text.split())
