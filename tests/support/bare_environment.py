"""A virtual environment with the wheel of this package and nothing but what it asks for.

No index is needed: what the wheel asks for is linked from the environment of the tests.
"""

import os
import subprocess
import sys
import sysconfig
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
HERE = Path(sysconfig.get_path("purelib"))


class BareEnvironment:
    """Made in an empty folder; extras() is what `pip install 'rlve[...]'` would do then."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        wheels = folder / "wheels"
        self._python("-m", "hatchling", "build", "-t", "wheel", "-d", str(wheels))
        self._python("-m", "venv", "--without-pip", str(folder / "venv"))
        self.bin = folder / "venv" / "bin"
        [wheel] = wheels.glob("*.whl")
        to = ["--python", str(self.bin / "python")]
        self._python("-m", "pip", *to, "install", "-q", "--no-index", "--no-deps", str(wheel))
        [self.site] = (folder / "venv").glob("lib/python*/site-packages")
        [metadata] = self.site.glob("rlve-*.dist-info")
        self._link(Distribution.at(metadata), seen=set())

    def extras(self) -> None:
        """Add all that the environment of the tests has; the wheel still comes first."""
        (self.site / "extras.pth").write_text(f"{HERE}\n")

    @property
    def variables(self) -> dict[str, str]:
        """The variables of a shell in which the environment is active."""
        kept = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        return kept | {"PATH": f"{self.bin}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "100"}

    def _python(self, *words: str) -> None:
        done = subprocess.run([sys.executable, *words], cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr

    def _link(self, asking: Distribution, seen: set[str]) -> None:
        for requirement in map(Requirement, asking.requires or ()):
            if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
                continue
            found = distribution(requirement.name)
            if found.name in seen:
                continue
            seen.add(found.name)
            for top in {file.parts[0] for file in found.files or ()} - {"..", "__pycache__"}:
                if not (self.site / top).exists():
                    (self.site / top).symlink_to(HERE / top)
            self._link(found, seen)
