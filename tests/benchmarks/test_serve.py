"""That the load test of the server runs, and finds nothing lost."""

import subprocess
import sys
from pathlib import Path

FILE = Path(__file__).parents[2] / "benchmarks" / "serve.py"


def test_nothing_is_lost(tmp_path):
    done = subprocess.run(
        [sys.executable, FILE, "--quick", "--workers", "2", "--connections", "4"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Nothing was lost or wrong." in done.stdout
