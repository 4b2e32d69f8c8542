"""The libraries that the adapters need, and what to say when one is missing."""

from importlib import metadata

from rlve.errors import UserError


def require(library: str, *, extra: str, at_least: str, below: str | None = None) -> None:
    """Raise a UserError unless a version of the library is installed with which we were tested.

    library   its name on the package index
    extra     the extra of rlve that installs it
    at_least  the first version that works
    below     the first version that no longer does, if there is one
    """
    wanted = f"{library} >= {at_least}" + (f", < {below}" if below else "")
    install = f"pip install 'rlve[{extra}]'"
    try:
        found = metadata.version(library)
    except metadata.PackageNotFoundError:
        raise UserError(f"this needs {wanted}, which is not installed: {install}") from None
    if _order(found) < _order(at_least) or (below and _order(found) >= _order(below)):
        raise UserError(f"this needs {wanted}, and {found} is installed: {install}")


def _order(version: str) -> tuple[int, ...]:
    """The numbers of a release, so that 1.16 comes after 1.9; what follows them is ignored."""
    numbers: list[int] = []
    for part in version.split("+")[0].split("."):
        digits = part[: len(part) - len(part.lstrip("0123456789"))]
        if not digits:
            break
        numbers.append(int(digits))
        if digits != part:  # such as 0rc1
            break
    while numbers and numbers[-1] == 0:  # 1.0 is 1
        numbers.pop()
    return tuple(numbers)
