"""How values are written in prompts, reference answers and reports."""

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


def counted(count: int, noun: str, plural: str = "") -> str:
    """A count with its noun: 1 vertex, 2 vertices."""
    return f"{count} {noun if count == 1 else plural or noun + 's'}"


def quantity(count: int, noun: str, plural: str = "") -> str:
    """The same for people alone: 2,000 problems."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def listed(name: str, first: int, last: int, separator: str = ", ") -> str:
    """Indexed names, for any bounds: listed("p[{}]", 1, 9) is p[1], p[2], ..., p[9].

    Up to three are all written; where last < first, there are none.
    """
    shown = [name.format(i) for i in range(first, last + 1)[:3]]
    if last - first > 2:
        shown[2:] = ["...", name.format(last)]
    return separator.join(shown)


def weighted(terms: Iterable[tuple[int, str]], *, times: str = " * ") -> str:
    """A sum of numbers times names: 3 * x - y + 7 for (3, "x"), (-1, "y"), (7, "")."""
    written = ""
    for factor, name in terms:
        if not factor:
            continue
        sign = "-" if factor < 0 else "+"
        size = abs(factor)
        term = f"{size}{times}{name}" if name and size != 1 else name or str(size)
        written += f" {sign} {term}" if written else f"{sign.strip('+')}{term}"
    return written or "0"
