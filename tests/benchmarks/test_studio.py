import pytest

from support.programs import load

pytest.importorskip("fastapi", reason="the studio needs rlve[studio]")


def test_every_page_is_measured(tmp_path):
    module = load("benchmarks/studio.py")
    module.STEPS = 30
    module.make_runs(tmp_path / "runs", 8)
    assert module.make_live(tmp_path / "runs" / "live", 16 * module.GROUP * module.PROBLEMS) == 16
    rows = module.measure(tmp_path / "runs")
    assert [row[0] for row, _ in rows] == [page.name for page in module.PAGES]
