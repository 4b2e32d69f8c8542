import importlib.util
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="the studio needs rlve[studio]")

FILE = Path(__file__).parents[2] / "benchmarks" / "studio.py"


def test_every_page_is_measured(tmp_path):
    spec = importlib.util.spec_from_file_location("studio_benchmark", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.STEPS = 30
    module.make_runs(tmp_path / "runs", 8)
    assert module.make_live(tmp_path / "runs" / "live", 16 * module.GROUP * module.PROBLEMS) == 16
    rows = module.measure(tmp_path / "runs")
    assert [row[0] for row, _ in rows] == [page.name for page in module.PAGES]
