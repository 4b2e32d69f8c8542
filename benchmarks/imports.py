"""How long the package and its quickest command take to load, and which heavy modules they load.

    python benchmarks/imports.py

Medians of ten runs, each in its own process, with bytecode already compiled.
"""

import os
import subprocess
import sys
import tempfile
import time
from statistics import median

from rlve.reports.terminal import print_table

CASES = {
    "nothing": "pass",
    "import rlve": "import rlve",
    "rlve.environments()": "import rlve; rlve.environments()",
    'rlve.environment("Sorting")': 'import rlve; rlve.environment("Sorting")',
    "rlve list": 'from rlve.cli import main; main(["list"])',
}
HEAVY = ("torch", "numpy", "transformers", "matplotlib", "tyro", "rich")
RUNS = 10


def run(code: str, environment: dict[str, str]) -> tuple[float, list[str]]:
    """The seconds that a process with this code takes, and the heavy modules it loads."""
    report = f"import sys; print(*(m for m in {HEAVY} if m in sys.modules), file=sys.stderr)"
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{report}"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return time.perf_counter() - start, done.stderr.split()


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": folder}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        rows: list[tuple[str, str, str]] = []
        for name, code in CASES.items():
            _, loaded = run(code, environment)  # compiles
            seconds = median(run(code, environment)[0] for _ in range(RUNS))
            rows.append((name, f"{1000 * seconds:.0f}", ", ".join(loaded) or "none"))
    print_table(("what", "ms", "heavy modules"), rows)


if __name__ == "__main__":
    main()
