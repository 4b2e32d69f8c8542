"""That the benchmark measures work; how fast anything is, is not tested."""

import runpy
from pathlib import Path

FILE = Path(__file__).parents[2] / "benchmarks" / "judge.py"


def test_a_comparison_takes_time_and_work():
    measure = runpy.run_path(str(FILE))["measure"]
    seconds, work = measure(r"\sum_{k=1}^{100}\sqrt{k}")
    assert seconds > 0
    assert 500 < work < 60_000
