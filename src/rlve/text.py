"""How values are written in prompts and reference answers."""

from collections.abc import Iterable


def spaced(values: Iterable[object]) -> str:
    """The values on one line, separated by spaces."""
    return " ".join(map(str, values))


def joined(values: Iterable[object]) -> str:
    """The values on one line, with nothing between them: rows of digits or letters."""
    return "".join(map(str, values))


def lines(values: Iterable[object]) -> str:
    """One value per line."""
    return "\n".join(map(str, values))


def grid(rows: Iterable[Iterable[object]]) -> str:
    """One row per line, its values separated by spaces."""
    return lines(map(spaced, rows))


def indexed(name: str, values: Iterable[object], *, start: int = 0) -> str:
    """The values on one line with their indices: A[0]=5 A[1]=7."""
    return " ".join(f"{name}[{i}]={value}" for i, value in enumerate(values, start))
