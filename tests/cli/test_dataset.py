import json
import os
from collections import Counter

import pytest

import rlve as package
from rlve.datasets import parquet as parquet_files
from rlve.datasets.rows import ProblemRow, read_rows
from rlve.formats import CHAT, PLAIN

COLUMNS = [
    "id",
    "data_source",
    "environment",
    "family",
    "difficulty",
    "seed",
    "prompt",
    "answer",
    "marker",
    "format",
    "parameters",
]


def rows(file):
    return [json.loads(line) for line in file.read_text().splitlines()]


@pytest.fixture
def export(rlve, tmp_path):
    """Exports, and returns the result and the rows."""

    def run(*words, file="out.jsonl"):
        result = rlve("dataset", *words, "-o", tmp_path / file, "--workers", 2)
        return result, rows(tmp_path / file)

    return run


def test_every_row_is_a_problem_that_can_be_asked_and_judged(export):
    result, found = export("Sorting", "Division", "-n", 40, "-d", "0,3")
    assert result.code == 0
    assert result.out == ""
    assert "40 problems written to" in result.err
    for row in found:
        assert list(row) == COLUMNS
        cls = package.environment(row["environment"])
        problem = cls.generate(difficulty=row["difficulty"], seed=row["seed"])
        assert cls.from_parameters(json.loads(row["parameters"])) == problem
        assert row["prompt"] == CHAT.render(problem)
        assert row["answer"] == problem.reference()
        assert (row["marker"], row["format"]) == ("boxed", "chat")
        assert row["id"] == f"{row['environment']}/{row['difficulty']}/{row['seed']}"
        assert row["data_source"] == f"rlve/{row['environment']}"
        assert row["family"] in ("arrays", "arithmetic")


def test_problems_are_spread_evenly(export):
    _, found = export("Sorting", "Division", "-n", 42, "-d", "5..6")
    counts = Counter((row["environment"], row["difficulty"]) for row in found)
    assert sorted(counts.values()) == [10, 10, 11, 11]
    assert len({(row["environment"], row["difficulty"]) for row in found[:4]}) == 4


def test_the_same_command_gives_the_same_file_whatever_the_workers(rlve, tmp_path):
    files = [tmp_path / f"{name}.jsonl" for name in "abc"]
    for file, workers, seed in zip(files, (1, 2, 2), (5, 5, 6), strict=True):
        flags = ("-c", "C4", "-n", 300, "-d", "0..2", "-s", seed, "--workers", workers)
        assert rlve("dataset", *flags, "-o", file).code == 0
    first, second, other = (file.read_bytes() for file in files)
    assert first == second
    ids = [{row["id"] for row in rows(file)} for file in files]
    assert first != other
    assert not ids[0] & ids[2]


def test_problems_are_distinct_and_what_cannot_be_had_is_reported(export, own_tasks):
    result, found = export("own_tasks:Echo", "-n", 10, "-d", "0..1")
    assert result.code == 1
    assert sorted(row["answer"] for row in found) == ["0", "1", "2", "3"]
    assert "4 problems written" in result.err
    assert "rlve: 6 problems are missing" in result.err
    assert "or allow --duplicates" in result.err
    result, found = export("own_tasks:Echo", "-n", 10, "-d", "0..1", "--duplicates")
    assert result.code == 0
    assert len(found) == 10


def test_a_level_that_runs_out_is_filled_up_from_other_levels_and_environments(export, own_tasks):
    result, found = export("own_tasks:Echo", "-n", 12, "-d", "0,20")
    assert result.code == 0
    assert len({row["prompt"][0]["content"] for row in found}) == 12
    counts = Counter(row["difficulty"] for row in found)
    assert counts[0] <= 3
    replaced = 6 - counts[0]
    assert f"{replaced} taken from other levels or environments, because these" in result.err
    assert "because these ran out: Echo at 0\n" in result.err
    result, found = export("own_tasks:Echo", "Sorting", "-n", 40, "-d", 0)
    assert result.code == 0
    assert Counter(row["environment"] for row in found) == {"Echo": 3, "Sorting": 37}


def test_what_readme_exports_is_complete(export):
    """Some levels of C16 have fewer problems than their share of a large export."""
    result, found = export("-c", "C16", "-n", 1_500, "-d", "0..1", "--workers", 2)
    assert result.code == 0
    assert len({row["id"] for row in found}) == 1_500
    assert "taken from other levels or environments" in result.err


def test_a_problem_that_cannot_be_generated_is_replaced_and_reported(export, own_tasks):
    result, found = export("own_tasks:Moody", "-n", 60, "-d", "0")
    assert result.code == 0
    assert len(found) == len({row["answer"] for row in found}) == 60
    assert not any(int(row["answer"]) % 4 == 0 for row in found)
    assert "Moody" in result.err
    assert "a number that brings bad luck" in result.err


@pytest.mark.parametrize("flags", [[], ["--duplicates"]])
def test_why_problems_are_missing_is_said(rlve, own_tasks, flags):
    result = rlve("dataset", "own_tasks:Hopeless", "-n", 3, "-d", 0, "-o", "x.jsonl", *flags)
    assert result.code == 1
    last = result.err.splitlines()[-1]
    assert last.startswith(
        "rlve: 3 problems are missing, because generating failed (Hopeless: error: "
    )
    assert "no luck at all" in last
    assert "duplicates" not in last
    words = ("own_tasks:Hopeless", "own_tasks:Echo", "-n", 10, "-d", 0, "-o", "x.jsonl")
    result = rlve("dataset", *words)
    last = result.err.splitlines()[-1]
    assert "7 problems are missing, because there are no more distinct ones and generating" in last
    assert last.endswith("or allow --duplicates")


def test_stdout(rlve):
    result = rlve("dataset", "Sorting", "-n", 3, "-o", "-", "--format", "plain", "--workers", 1)
    assert result.code == 0
    assert len(result.out.splitlines()) == 3
    row = json.loads(result.out.splitlines()[0])
    problem = package.environment("Sorting").generate(
        difficulty=row["difficulty"], seed=row["seed"]
    )
    assert row["prompt"] == PLAIN.render(problem)
    assert "3 problems written to stdout" in result.err


@pytest.mark.parametrize(("format", "kind"), [("chat", list), ("base", str)])
def test_parquet_has_the_same_rows(export, rlve, tmp_path, monkeypatch, format, kind):
    parquet = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr(parquet_files, "BATCH", 7)
    flags = ("Sorting", "-n", 20, "--format", format)
    _, expected = export(*flags)
    assert rlve("dataset", *flags, "-o", tmp_path / "out.parquet").code == 0
    table = parquet.read_table(tmp_path / "out.parquet")
    assert table.column_names == [*COLUMNS, "defined_in"]
    assert table.to_pylist() == [row | {"defined_in": None} for row in expected]
    assert isinstance(expected[0]["prompt"], kind)


@pytest.mark.parametrize(
    ("format", "shape"), [(CHAT, ["messages"]), (PLAIN, ["prompt", "completion"])]
)
def test_worked_solutions_are_rows_for_supervised_trainers(export, rlve, tmp_path, format, shape):
    """Those of TRL take either messages, or a prompt and a completion, but not both."""
    parquet = pytest.importorskip("pyarrow.parquet")
    flags = ("Sorting", "SpiralMatrix", "-n", 12, "-d", "0..2", "--format", format.name, "--worked")
    _, found = export(*flags)
    assert rlve("dataset", *flags, "-o", tmp_path / "out.parquet").code == 0
    read = parquet.read_table(tmp_path / "out.parquet").to_pylist()
    assert read == [row | {"defined_in": None} for row in found]
    assert len(found) == 12
    for (_, row), raw in zip(read_rows(tmp_path / "out.jsonl"), found, strict=True):
        problem = row.problem()
        assert [name for name in raw if name in ("prompt", "completion", "messages")] == shape
        if format is CHAT:
            *asked, last = raw["messages"]
            assert asked == format.render(problem)
            assert (asked[0]["role"], last["role"]) == ("user", "assistant")
            written = last["content"]
        else:
            written = raw["completion"]
        assert written == format.worked_output(problem)
        assert problem.verify(written, marker=raw["marker"]).correct
        assert row.asked(format) == (format.render(problem), format.marker)


def test_what_has_no_worked_solution_is_left_out_and_reported(export, rlve, own_tasks, tmp_path):
    result, found = export("Sorting", "own_tasks:Echo", "-n", 6, "--worked")
    assert {row["environment"] for row in found} == {"Sorting"}
    assert "left out, without worked solutions: Echo" in result.err
    result = rlve("dataset", "own_tasks:Echo", "--worked", "-o", tmp_path / "none.jsonl")
    assert result.code == 2
    assert "none of these environments has worked solutions" in result.err


def test_difficulties_above_the_highest_are_left_out_and_named(export):
    highest = package.environment("Sudoku").max_difficulty
    assert highest is not None
    result, found = export("Sorting", "Sudoku", "-d", f"0,{highest + 1}", "-n", 6)
    assert result.code == 0
    assert f"left out, because they do not exist: Sudoku above {highest}\n" in result.err
    assert {(row["environment"], row["difficulty"]) for row in found} == {
        ("Sorting", 0),
        ("Sudoku", 0),
        ("Sorting", highest + 1),
    }


def test_a_file_is_replaced_when_all_is_done_and_not_before(rlve, tmp_path, monkeypatch):
    file = tmp_path / "out.jsonl"
    file.write_text("old\n")

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(ProblemRow, "of", interrupted)
        result = rlve("dataset", "Sorting", "-n", 3, "-o", file)
    assert (result.code, result.err) == (130, "rlve: interrupted\n")
    assert file.read_text() == "old\n"
    assert os.listdir(tmp_path) == ["out.jsonl"]
    link = tmp_path / "link.jsonl"
    link.symlink_to(file)
    assert rlve("dataset", "Sorting", "-n", 3, "-o", link).code == 0
    assert link.is_symlink()
    assert len(rows(file)) == 3


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-o", "x.jsonl"], "no environment was given"),
        (["Sortin", "-o", "x.jsonl"], "did you mean 'Sorting'"),
        (["Sorting", "-o", "x.csv"], "must end in .jsonl or .parquet"),
        (["Sorting", "-o", "no/such/folder/x.jsonl"], "cannot write to no/such/folder/x.jsonl: No"),
        (["Sorting", "-o", "folder.jsonl"], "cannot write to folder.jsonl: it is a folder"),
        (["Sorting", "-o", "x.jsonl", "-n", "0"], "at least 1, not 0"),
        (["Sorting", "-o", "x.jsonl", "-d", "0..1.5"], "a difficulty must be an integer"),
        (["Sorting", "-o", "x.jsonl", "-d", "-1"], "a difficulty must be an integer"),
        (["Sudoku", "-o", "x.jsonl", "-d", "999"], "the highest is 8, in Sudoku"),
        (["Sorting", "-o", "x.jsonl", "--format", "chad"], "did you mean 'chat'"),
        (["Sorting", "-o", "x.jsonl", "--workers", "0"], "workers must be at least 1"),
    ],
)
def test_bad_input_is_one_clear_line(rlve, tmp_path, monkeypatch, words, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.jsonl").mkdir()
    result = rlve("dataset", *words)
    assert (result.code, result.out) == (2, "")
    assert message in result.err
    assert result.err.count("\n") == 1
    assert os.listdir(tmp_path) == ["folder.jsonl"]
