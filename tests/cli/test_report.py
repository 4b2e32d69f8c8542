import json

from support.run_folders import run_folder


def test_a_run_keeps_its_own_report(rlve, tmp_path):
    folder = run_folder(tmp_path / "run")
    for _ in range(2):
        result = rlve("report", folder)
        assert (result.code, result.err) == (0, "")
        assert "nano climbed from difficulty 0 to 4 in Sorting" in result.out
        assert result.out.endswith(f"Wrote {folder / 'report.html'}\n")


def test_what_has_no_report_is_one_clear_line(rlve, tmp_path):
    (tmp_path / "config.json").write_text(json.dumps({"learning_rate": 1}))
    for folder in (tmp_path, tmp_path / "none"):
        result = rlve("report", folder)
        assert result.code == 2
        assert str(folder) in result.err
        assert result.err.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["config.json"]
