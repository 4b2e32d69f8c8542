"""Update requirements.txt to the newest versions that pyproject.toml allows, with hashes.

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
# What `make test` installs, each file by its SHA-256; written by `make requirements`.
# torch is left out, because which build is right depends on the machine: see constraints.txt.
"""


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        building = Path(folder, "building.in")
        building.write_text(BUILDING)
        compiled = subprocess.run(
            [
                *(sys.executable, "-m", "uv", "pip", "compile", "--quiet", "--universal"),
                *("--python-version", "3.11", "--generate-hashes", "--no-header", "--no-annotate"),
                *("--extra", "dev", "pyproject.toml", str(building)),
            ],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
    packages = re.split(r"\n(?=\S)", compiled.stdout.strip())
    kept = [package for package in packages if not LEFT_OUT.match(package)]
    (ROOT / "requirements.txt").write_text(HEAD + "\n".join(kept) + "\n")


if __name__ == "__main__":
    main()
