"""How long the judge of mathematics takes for answers that are made to keep it busy.

    python benchmarks/judge.py

Each answer of tests/judges/math/heavy.json, and some too long to be read, are compared with
themselves plus 1, in processor time. The work counted is of
rlve.judges.math.expressions.MAX_OPERATIONS.
"""

import json
import time
from pathlib import Path

from rlve.judges.math import equal, expressions
from rlve.reports.terminal import print_table

FILE = Path(__file__).parents[1] / "tests" / "judges" / "math" / "heavy.json"
LONG = ["\\text{" + "a " * 30_000 + "}", "1+" * 40_000, "1," * 40_000, "1=" * 30_000]
SHOWN = 10


def measure(latex: str) -> tuple[float, float]:
    """The seconds that a comparison takes, and the work that it counts."""
    start = time.process_time()
    equal(f"{latex}+1", latex)
    return time.process_time() - start, expressions.MAX_OPERATIONS - expressions._left


def main() -> None:
    equal("1", "x")  # loads what is needed
    heavy = [*json.loads(FILE.read_text(encoding="utf-8")), *LONG]
    measured = {latex: measure(latex) for latex in heavy}
    slowest = sorted(measured, key=lambda latex: measured[latex], reverse=True)
    rows = [
        (f"{measured[latex][0]:.2f}", f"{measured[latex][1]:,.0f}", latex[:60])
        for latex in slowest[:SHOWN]
    ]
    print(f"The slowest of {len(measured)} answers:")
    print_table(("seconds", "work", "answer"), rows)


if __name__ == "__main__":
    main()
