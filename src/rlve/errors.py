"""The errors this package raises on purpose, and how it reports other people's."""

import re
from pathlib import Path


class UserError(ValueError):
    """The request cannot be met; the message tells the user why in one line."""


class UnknownEnvironment(UserError, LookupError):
    """No environment has that name."""


class FolderBusy(UserError):
    """Another process is working in the folder."""


class GenerationError(RuntimeError):
    """A generator could not make a problem at the requested level."""


class Unparseable(ValueError):
    """The text is not an answer of the required form.

    Its reward is -1, or whatever the published verifier gives such a text.
    """

    def __init__(self, reason: str, *, reward: float = -1.0) -> None:
        super().__init__(reason)
        self.reward = reward


def raised(error: BaseException) -> str:
    """An exception in one line: what it is, and where in the environment's code it came from."""
    import traceback

    message = " ".join(str(error).encode(errors="backslashreplace").decode().split())
    text = f"{type(error).__name__}: {message[:200]}" if message else type(error).__name__
    frames = [
        frame for frame in traceback.extract_tb(error.__traceback__) if is_ours(frame.filename)
    ]
    if not frames:
        return text
    frame = frames[-1]
    return f"{text}, at {Path(frame.filename).name} line {frame.lineno} in {frame.name}"


def is_ours(file: str) -> bool:
    """Whether a file can hold an environment's code: not the standard library, not our own."""
    import sysconfig

    standard = file.startswith(sysconfig.get_path("stdlib")) and "site-packages" not in file
    here = Path(__file__).parent
    return not standard and not file.startswith((str(here / "rules"), str(here / "contract"), "<"))


def require(
    library: str, *, extra: str, at_least: str, below: str | None = None, what: str = "this"
) -> None:
    """Raise a UserError unless a supported version of the library is installed.

    library   its name on the package index
    extra     the extra of rlve that installs it
    at_least  the first version that works
    below     the first version that no longer works, if there is one
    what      what needs the library
    """
    from importlib import metadata  # slow to import, and seldom needed

    wanted = f"{library} >= {at_least}" + (f", < {below}" if below else "")
    install = f"pip install 'rlve[{extra}]'"
    try:
        installed = metadata.version(library)
    except metadata.PackageNotFoundError:
        raise UserError(f"{what} needs {wanted}, which is not installed: {install}") from None
    if version_order(installed) < version_order(at_least) or (
        below and version_order(installed) >= version_order(below)
    ):
        raise UserError(f"{what} needs {wanted}, but {installed} is installed: {install}")


def version_order(version: str) -> tuple[int, ...]:
    """The numbers of a release, so that 1.16 sorts after 1.9; any suffix is ignored."""
    release = re.match(r"\d+(?:\.\d+)*", version)
    numbers = list(map(int, release[0].split("."))) if release else []
    while numbers and numbers[-1] == 0:  # 1.0 is 1
        numbers.pop()
    return tuple(numbers)
