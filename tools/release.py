"""Try out a release: build it, install it in empty environments, and use it.

    python tools/release.py                       all Python versions found
    python tools/release.py --python 3.11 3.13    only these

Checks that the version is the same everywhere and that CHANGELOG.md has an entry for it, builds the
wheel and the sdist into dist/, checks their contents, and installs each into an empty virtual
environment for each Python, without extras, where a few commands must work. It uploads nothing.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
NEEDED = (  # in the wheel and in the sdist
    "rlve/py.typed",
    "rlve/cli/__init__.py",
    "rlve/envs/arrays/sorting.py",
    "rlve/models/nano/model.safetensors",
    "LICENSE",
)
TRIED = (  # as a new user would
    ("rlve", "--version"),
    ("rlve", "list", "-f", "games"),
    ("rlve", "show", "Sorting", "-d", "3", "--seed", "42"),
    ("rlve", "check", "Sorting"),
    ("rlve", "dataset", "-c", "C4", "-n", "8", "-o", "problems.jsonl"),
)


class FaultError(Exception):
    """A reason not to release."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Build, check and try a release; return 0 if all is well."""
    parser = argparse.ArgumentParser(description=__doc__, add_help=True)
    parser.add_argument("--python", nargs="+", default=PYTHONS, metavar="VERSION")
    wanted: Sequence[str] = parser.parse_args(arguments).python
    try:
        version = agreed_version(ROOT)
        print(f"rlve {version}", flush=True)
        built = build(ROOT)
        for path in built:
            check_contents(path)
            print(f"{path.name}: {path.stat().st_size / 2**20:.1f} MiB, complete", flush=True)
        tried = [try_out(path, python, version) for python in wanted for path in built]
    except FaultError as fault:
        print(f"do not release: {fault}", file=sys.stderr)
        return 1
    if not any(tried):
        print("do not release: none of these Python versions was found", file=sys.stderr)
        return 1
    return 0


def agreed_version(root: Path) -> str:
    """The version, if all files that name one agree."""
    with (root / "pyproject.toml").open("rb") as file:
        version: str = tomllib.load(file)["project"]["version"]
    named = {
        "src/rlve/__init__.py": rf'^__version__ = "{re.escape(version)}"$',
        "CITATION.cff": rf"^version: {re.escape(version)}$",
        "CHANGELOG.md": rf"^## {re.escape(version)} \(",
    }
    for name, pattern in named.items():
        if not re.search(pattern, (root / name).read_text(encoding="utf-8"), re.MULTILINE):
            raise FaultError(f"{name} does not name version {version}, but pyproject.toml does")
    return version


def build(root: Path) -> list[Path]:
    """Build the wheel and the sdist from the files that git tracks."""
    dist = root / "dist"
    shutil.rmtree(dist, ignore_errors=True)
    run([sys.executable, "-m", "build", "--outdir", str(dist), str(root)], "building")
    built = sorted([*dist.glob("*.whl"), *dist.glob("*.tar.gz")])
    if len(built) != 2:
        raise FaultError(f"expected a wheel and an sdist, got {[path.name for path in built]}")
    return built


def check_contents(path: Path) -> None:
    """Check that nothing the package needs is missing."""
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as wheel:
            names = wheel.namelist()
    else:
        with tarfile.open(path) as sdist:
            names = sdist.getnames()
    missing = [file for file in NEEDED if not any(name.endswith(file) for name in names)]
    if missing:
        raise FaultError(f"{path.name} lacks {', '.join(missing)}")
    if path.suffix == ".whl" and (stray := sorted(n for n in names if n.startswith("tests/"))):
        raise FaultError(f"{path.name} contains {stray[0]}")


def try_out(path: Path, python: str, version: str) -> bool:
    """Install it into an empty environment and use it; False if that Python is not found."""
    interpreter = find_python(python)
    if interpreter is None:
        print(f"Python {python}: not found, not tried", flush=True)
        return False
    with tempfile.TemporaryDirectory(prefix="rlve-release-") as name:
        folder = Path(name)
        what = f"{path.name} with Python {python}"
        run([interpreter, "-m", "venv", str(folder / "venv")], what)
        bin_ = folder / "venv" / "bin"
        run([str(bin_ / "pip"), "install", "--quiet", str(path)], what)
        for command, *rest in TRIED:
            printed = run([str(bin_ / command), *rest], what, cwd=folder)
            if rest == ["--version"] and printed.strip() != f"rlve {version}":
                raise FaultError(f"{what} reports {printed.strip()}")
    print(f"{what}: works", flush=True)
    return True


def find_python(version: str) -> str | None:
    """A working interpreter of that version."""
    for name in (f"python{version}", *_of_pyenv(version)):
        path = shutil.which(name)
        if path and version in _printed_by([path, "--version"]):
            return path
    return None


def _of_pyenv(version: str) -> Iterable[str]:
    return map(str, Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))


def _printed_by(command: Sequence[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def run(command: Sequence[str], what: str, cwd: Path | None = None) -> str:
    """What a command prints; raises FaultError if it fails."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        raise FaultError(f"{what}: {' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
