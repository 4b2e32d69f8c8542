import pytest

import rlve
from rlve.cli import main
from rlve.rules import kept


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path


def test_a_check_by_all_rules_is_kept_with_its_date(capsys):
    cls = rlve.environment("Sorting")
    assert kept.last_check(cls) is None
    assert main(["check", "Sorting", "--difficulties", "0"]) == 0
    assert kept.last_check(cls) is None
    assert main(["check", "Sorting"]) == 0
    found = kept.last_check(cls)
    assert found.complaints == []
    assert found.when > 1.7e9


def test_a_result_for_another_version_of_the_file_says_nothing(monkeypatch):
    cls = rlve.environment("Sorting")
    report = kept.CheckReport("Sorting", {})
    kept.keep(report)
    assert kept.last_check(cls) is not None
    monkeypatch.setattr(kept, "_sha", lambda _: "another")
    assert kept.last_check(cls) is None
