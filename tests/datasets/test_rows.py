"""A problem's row: written and read back, in both formats, and what version 0.1 wrote."""

import gc
import json
import sys
from pathlib import Path

import msgspec
import pytest

import rlve
from rlve.datasets.parquet import BATCH
from rlve.datasets.rows import ProblemRow, read_rows, row_writer, write_rows
from rlve.errors import UserError
from rlve.formats import BASE, CHAT
from rlve.pool import Request

OLD = Path(__file__).parents[1] / "evaluate" / "folder_0_1"
FORMATS = pytest.mark.parametrize("ending", ["jsonl", "parquet"])


def rows(format=None):
    return [
        ProblemRow.of(problem, difficulty=d, seed=7, format=format, answer=problem.reference())
        for name in ("Sorting", "Division", "SpiralMatrix")
        for d in (0, 3)
        for problem in [rlve.environment(name).generate(difficulty=d, seed=7)]
    ]


@FORMATS
@pytest.mark.parametrize("format", [None, CHAT, BASE])
def test_rows_come_back_as_they_were_written(tmp_path, ending, format):
    if ending == "parquet":
        pytest.importorskip("pyarrow")
    file = tmp_path / f"rows.{ending}"
    written = rows(format)
    write_rows(file, written)
    assert [row for _, row in read_rows(file)] == written
    assert [number for number, _ in read_rows(file)] == [1, 2, 3, 4, 5, 6]
    for row in written:
        problem = rlve.environment(row.environment).generate(difficulty=row.difficulty, seed=7)
        assert row.problem() == problem
        assert row.item(4).problem == problem
        assert row.request() == Request(type(problem), parameters=problem.parameters())
        bare = msgspec.structs.replace(row, parameters=None)
        assert bare.request() == Request(type(problem), row.difficulty, 7)
        assert bare.problem() == problem


@FORMATS
def test_parameters_may_be_an_object(tmp_path, ending):
    if ending == "parquet":
        pytest.importorskip("pyarrow")
    [row, *_] = rows()
    plain = msgspec.structs.replace(row, parameters=row.plain_parameters())
    write_rows(tmp_path / f"rows.{ending}", [plain])
    [(_, found)] = read_rows(tmp_path / f"rows.{ending}")
    assert found.problem() == plain.problem() == row.problem()
    assert found == (plain if ending == "jsonl" else row)


def test_what_is_not_known_is_left_out():
    row = ProblemRow(environment="Sorting", parameters={"N": 1})
    assert json.loads(msgspec.json.encode(row)) == {
        "environment": "Sorting",
        "parameters": {"N": 1},
    }


def test_a_row_says_what_it_lacks():
    with pytest.raises(UserError, match='neither "parameters" nor "difficulty" and "seed"'):
        ProblemRow(environment="Sorting").problem()
    with pytest.raises(UserError, match='neither "parameters" nor "difficulty" and "seed"'):
        ProblemRow(environment="Sorting", seed=1).request()
    with pytest.raises(UserError, match='"difficulty" or "seed" is missing'):
        ProblemRow(environment="Sorting", parameters={}).item(0)
    deep = ProblemRow(environment="Sorting", parameters="[" * 100_000)
    with pytest.raises(UserError, match='"parameters" is not JSON'):
        deep.problem()


def test_a_file_that_is_not_finished_is_not_there(tmp_path):
    def interrupted():
        yield rows()[0]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_rows(tmp_path / "rows.jsonl", interrupted())
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(UserError, match=r"must end in \.jsonl or \.parquet"):
        write_rows(tmp_path / "rows.csv", rows())


def test_parquet_that_is_interrupted_leaves_nothing(tmp_path, monkeypatch):
    pytest.importorskip("pyarrow")
    ignored = []  # what Python says where no error can be raised
    monkeypatch.setattr(sys, "unraisablehook", ignored.append)
    path = tmp_path / "rows.parquet"

    def interrupted(writer):
        with writer as write:
            for number in range(3 * BATCH):
                write(ProblemRow(id=str(number), environment="Sorting", parameters="{}"))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted(row_writer(path))
    gc.collect()
    assert list(tmp_path.iterdir()) == []
    assert not ignored


def test_parquet_has_no_place_for_statements(tmp_path):
    pytest.importorskip("pyarrow")
    stated = ProblemRow(environment="Sorting", statement="Sort.", parameters="{}")
    with pytest.raises(UserError, match="no column for statements"):
        write_rows(tmp_path / "rows.parquet", [stated])
    assert list(tmp_path.iterdir()) == []


def test_a_file_without_rows_has_the_columns(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    write_rows(tmp_path / "rows.parquet", [])
    assert parquet.read_table(tmp_path / "rows.parquet").column_names == [
        name
        for name in ProblemRow.__struct_fields__
        if name not in ("statement", "completion", "messages")
    ]


def test_an_export_of_version_0_1_is_read_and_would_be_written_so_today(tmp_path):
    found = [row for _, row in read_rows(OLD / "export.jsonl")]
    assert [row.environment for row in found] == ["Sorting", "Division"] * 3
    for row in found:
        problem = row.problem()
        assert problem.verify(f"<answer>{row.answer}</answer>").correct
        assert problem == type(problem).generate(difficulty=row.difficulty, seed=row.seed)
    write_rows(tmp_path / "again.jsonl", found)
    assert (tmp_path / "again.jsonl").read_bytes() == (OLD / "export.jsonl").read_bytes()
