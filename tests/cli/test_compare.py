import json
from pathlib import Path

import pytest

from support.evaluation_folders import write


@pytest.fixture
def folders(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for step in (0, 50, 100):
        write(Path(f"evals/step-{step}"), 0.3 + step / 250, model=f"runs/a/step-{step:06d}")
    write(Path("base"), 0.3, model="base", seed=9, temperature=1.0)


def test_the_table(rlve, folders):
    code, out, err = rlve("compare", "evals", "base")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].split("  ")[0] == "evaluation"
    assert "against a, step 0" in lines[0]
    assert [line.split("  ")[0] for line in lines[2:6]] == [
        "a, step 0",
        "a, step 50",
        "a, step 100",
        "base",
    ]
    assert "a, step 100 has accuracy" in out
    assert "Note: the evaluations differ in temperature: 0.6, 1" in out
    assert "Sorting" not in out


def test_by_environment_and_another_baseline(rlve, folders):
    _, out, _ = rlve("compare", "evals", "base", "--by", "environment", "--baseline", "base")
    assert "against base" in out
    assert sum(line.startswith(("Sorting", "Division")) for line in out.splitlines()) == 2
    _, out, _ = rlve("compare", "evals", "--by", "difficulty")
    assert out.count("difficulty") == 1


def test_a_record(rlve, folders):
    words = ("a=evals/step-0", "a=evals/step-50", "base=base")
    _, shown, _ = rlve("compare", *words, "--record", "record.json")
    code, out, err = rlve("compare", "record.json")
    assert (code, err, out) == (0, "", shown)
    assert "ill-formed" in out
    code, out, _ = rlve("compare", "record.json", "--pass-at", "2")
    assert "Pass@2" in out


def test_json(rlve, folders):
    code, out, err = rlve("compare", "first=evals/step-0", "last=evals/step-100", "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert found["baseline"] == "first, step 0"
    assert [e["step"] for e in found["evaluations"]] == [0, 100]
    assert found["evaluations"][0]["overall"]["difference"] is None
    low, high = found["evaluations"][1]["overall"]["difference_interval"]
    assert low <= found["evaluations"][1]["overall"]["difference"] <= high
    assert set(found["evaluations"][0]["groups"]) == {"Sorting", "Division"}


def test_the_page(rlve, folders):
    code, out, _ = rlve("compare", "evals", "base", "-o", "report.html")
    assert code == 0
    assert out.endswith("Wrote report.html\n")
    text = Path("report.html").read_text()
    assert text.startswith("<!doctype html>")
    assert text.count("<noscript>") == 1  # the curve over steps
    _, out, _ = rlve("compare", "evals", "base", "-o", "-")
    assert out == text


@pytest.mark.parametrize("name", ["plan.json", "record.json"])
def test_names_of_any_length_are_not_repeated(rlve, folders, name):
    rlve("compare", "evals/step-0", "base", "--record", "record.json")
    place = Path("evals/step-0", name) if name == "plan.json" else Path(name)
    place.write_text(place.read_text().replace("runs/a/step-000000", "x" * 2 * 10**6))
    code, out, err = rlve("compare", *([name] if place == Path(name) else ["evals/step-0"]))
    assert (code, out) == (2, "")
    assert "is damaged: Expected `str` of length <= 4096" in err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "no folder was given"),
        (["nowhere"], "there is no folder nowhere"),
        (["evals", "--baseline", "x"], "no evaluation is named 'x'"),
        (["evals", "--suite", "x"], "none of the evaluations is on the suite x"),
        (["evals", "-o", "evals"], "it is a folder"),
        (["evals", "-o", "-", "--json"], "cannot both go to stdout"),
    ],
)
def test_misuse(rlve, folders, words, message):
    code, _, err = rlve("compare", *words)
    assert code == 2
    assert message in err
    assert err.count("\n") == 1
