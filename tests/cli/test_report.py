import json


def test_a_simulation_keeps_its_own_report(rlve, tmp_path):
    folder = tmp_path / "run"
    short = ["--steps", "2", "--problems", "4", "--rollouts", "2", "--static"]
    assert rlve("simulate", "Sorting", *short, "--folder", folder).code == 0
    drawn = (folder / "report.html").read_bytes()
    result = rlve("report", folder)
    assert (result.code, result.err) == (0, "")
    said, wrote = result.out.splitlines()
    assert said.startswith("Effective prompts after 2 simulated steps: ")
    assert wrote == f"Wrote {folder / 'report.html'}"
    assert (folder / "report.html").read_bytes() == drawn


def test_what_has_no_report_is_one_clear_line(rlve, tmp_path):
    (tmp_path / "config.json").write_text(json.dumps({"learning_rate": 1}))
    for folder in (tmp_path, tmp_path / "none"):
        result = rlve("report", folder)
        assert result.code == 2
        assert str(folder) in result.err
        assert result.err.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["config.json"]
