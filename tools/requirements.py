"""Update requirements.txt to the newest versions that pyproject.toml allows, with hashes.

requirements-train.txt is the part of it that training needs.

torch and its own dependencies are left out, because the right build depends on the machine. Its
version is in constraints.txt.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
BUILDING = "hatchling\neditables\n"  # what installing our own package needs
LEFT_OUT = re.compile(r"(torch|triton|setuptools|nvidia-.+|cuda-.+)==")
HEAD = """\
# What `make {command}` installs, each file by its SHA-256; written by `make requirements`.
# torch is left out, because which build is right depends on the machine: see constraints.txt.
"""


def main() -> None:
    everything = compiled("dev", "--generate-hashes")
    training = {name_of(package) for package in compiled("train")}
    parts = {
        "test": ("requirements.txt", everything),
        "train": (
            "requirements-train.txt",
            [package for package in everything if name_of(package) in training],
        ),
    }
    for command, (file, packages) in parts.items():
        text = HEAD.format(command=command) + "\n".join(packages) + "\n"
        (ROOT / file).write_text(text)


def compiled(extra: str, *flags: str) -> list[str]:
    """The packages that an extra needs, on any machine, and those that install our own package."""
    with tempfile.TemporaryDirectory() as folder:
        building = Path(folder, "building.in")
        building.write_text(BUILDING)
        done = subprocess.run(
            [
                *(sys.executable, "-m", "uv", "pip", "compile", "--quiet", "--universal"),
                *("--python-version", "3.11", "--no-header", "--no-annotate", *flags),
                *("--extra", extra, "pyproject.toml", str(building)),
            ],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
    packages = re.split(r"\n(?=\S)", done.stdout.strip())
    return [package for package in packages if not LEFT_OUT.match(package)]


def name_of(package: str) -> str:
    return package.partition("==")[0]


if __name__ == "__main__":
    main()
