import json
import os
import re
import sys
from collections import Counter

import pytest

from rlve.datasets.rows import ProblemRow
from rlve.evaluate.suite import load_suite
from rlve.formats import CHAT


def rows(file):
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_held_out(rlve, tmp_path):
    files = [tmp_path / "one.jsonl", tmp_path / "two.jsonl"]
    for workers, file in enumerate(files, 1):
        result = rlve("testset", "held-out", "-n", 5, "-o", file, "--workers", workers)
        assert (result.code, result.out) == (0, "")
        assert "250 problems written to" in result.err
        assert "note: EvenDegree" not in result.err
    assert files[0].read_bytes() == files[1].read_bytes()
    assert Counter(row["difficulty"] for row in rows(files[0]))[0] == 50
    assert load_suite(str(files[0])).questions == load_suite(str(files[1])).questions
    # The columns are those of `rlve dataset`, less the prompt, which is left to the evaluation.
    unset = {"prompt", "marker", "format", "statement", "defined_in", "completion", "messages"}
    columns = set(ProblemRow.__struct_fields__) - unset
    assert all(set(row) == columns for row in rows(files[0]))


def test_in_distribution_on_stdout_with_prompts(rlve):
    flags = ("-n", 40, "--format", "chat", "--workers", 1, "-o", "-")
    result = rlve("testset", "in-distribution", "Sorting", *flags)
    assert result.code == 0
    found = [json.loads(line) for line in result.out.splitlines()]
    assert Counter(row["difficulty"] for row in found) == dict.fromkeys(range(20), 2)
    for row, question in zip(found, map(_question, found), strict=True):
        assert row["prompt"] == CHAT.render(question.problem())
        assert row["marker"] == "boxed"


def _question(row):
    return ProblemRow(**row)


def test_training_data_that_shares_no_problem(rlve, tmp_path):
    train = [tmp_path / "a.jsonl", tmp_path / "b.parquet"]
    pytest.importorskip("pyarrow")
    for file in train:
        assert rlve("dataset", "-c", "C16", "-n", 100, "-d", "0..5", "-o", file).code == 0
    flags = ("-n", 5, "-o", tmp_path / "test.jsonl", "--check-disjoint", *train)
    result = rlve("testset", "held-out", *flags)
    assert result.code == 0
    assert f"none of the 200 problems in {train[0]}, {train[1]} is in the test set" in result.err


def test_training_data_that_shares_problems(rlve, tmp_path):
    train, test = tmp_path / "train.jsonl", tmp_path / "test.jsonl"
    assert rlve("dataset", "Sorting", "-n", 300, "-d", "0", "-o", train).code == 0
    flags = ("Sorting", "-n", 1_000, "-o", test, "--check-disjoint", train)
    result = rlve("testset", "in-distribution", *flags)
    assert result.code == 1
    assert len(rows(test)) == 1_000
    lines = re.findall(r"^(Sorting/0/\d+) +\S+train\.jsonl:(\d+)$", result.err, re.M)
    assert lines
    tested = {row["id"]: json.loads(row["parameters"]) for row in rows(test)}
    trained = [json.loads(row["parameters"]) for row in rows(train)]
    assert all(tested[name] == trained[int(line) - 1] for name, line in lines)
    common = [parameters for parameters in trained if parameters in tested.values()]
    assert len(lines) == min(20, len(common))
    assert f"are also in {len(common)} training lines; compared" in result.err


def test_ones_own_environment_and_what_fails(rlve, own_tasks):
    flags = ("-n", 40, "-o", "out.jsonl", "--workers", 1)
    result = rlve("testset", "in-distribution", "own_tasks:Moody", *flags)
    assert result.code == 0
    assert len({row["answer"] for row in rows(own_tasks / "out.jsonl")}) == 40
    assert "note: Moody: " in result.err
    assert "a number that brings bad luck" in result.err


def test_a_set_that_cannot_be_completed_is_not_written(rlve, own_tasks):
    flags = ("-n", 40, "-o", "out.jsonl", "--workers", 1)
    result = rlve("testset", "in-distribution", "own_tasks:Echo", *flags)
    assert result.code == 2
    assert "rlve: Echo has only 22 distinct problems of difficulty 0..19, but 40" in result.err
    assert not (own_tasks / "out.jsonl").exists()


def test_parquet_without_pyarrow_names_the_extra(rlve, tmp_path, monkeypatch):
    (tmp_path / "train.parquet").touch()
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    flags = ("-n", 5, "-o", tmp_path / "x.jsonl", "--check-disjoint", tmp_path / "train.parquet")
    result = rlve("testset", "held-out", *flags)
    assert result.code == 2
    assert "rlve[parquet]" in result.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["held-out", "Sorting", "-o", "x.jsonl"], "has its own environments; leave out 'Sorting'"),
        (["in-distribution", "-o", "x.jsonl"], "name an environment"),
        (["in-distribution", "Sortin", "-o", "x.jsonl"], "did you mean 'Sorting'"),
        (["in-distribution", "C4", "-o", "x.jsonl"], "C4 is a collection"),
        (["held-out", "-o", "x.parquet"], "must end in .jsonl, unlike x.parquet"),
        (["held-out", "-o", "no/x.jsonl"], "cannot write to no/x.jsonl: No such"),
        (["held-out", "-o", "x.jsonl", "-n", "0"], "at least 1, not 0"),
        (["held-out", "-o", "x.jsonl", "--format", "chad"], "did you mean 'chat'"),
        (["held-out", "-o", "x.jsonl", "--workers", "0"], "workers must be at least 1"),
        (["held-out", "-o", "x.jsonl", "--check-disjoint", "y"], "y: No such file"),
    ],
)
def test_bad_input_is_one_clear_line(rlve, tmp_path, monkeypatch, words, message):
    monkeypatch.chdir(tmp_path)
    result = rlve("testset", *words)
    assert (result.code, result.out) == (2, "")
    assert message in result.err
    assert result.err.count("\n") == 1
    assert os.listdir(tmp_path) == []
