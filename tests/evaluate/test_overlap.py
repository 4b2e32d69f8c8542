import json

import msgspec
import pytest

from rlve.cli import main
from rlve.datasets.rows import ProblemRow
from rlve.envs.number_theory.smallest_binary_multiple import SmallestBinaryMultiple
from rlve.errors import UserError
from rlve.evaluate.overlap import overlaps


def question(id, A, **columns):  # noqa: A002
    problem = SmallestBinaryMultiple(MAX_A=20, A=A, reference_answer=1)
    columns = {"parameters": problem.parameters(), "environment": type(problem).__name__} | columns
    return ProblemRow(id=id, **columns)


SUITE = [question(f"test {A}", A) for A in range(10, 20)]


@pytest.fixture
def train(tmp_path):
    """A training file with these rows."""

    def write(*rows):
        file = tmp_path / "train.jsonl"
        file.write_bytes(b"\n".join(map(msgspec.json.encode, rows)))
        return file

    return write


def test_problems_are_the_same_if_their_parameters_are(train):
    again = json.dumps(dict(reversed(SUITE[2].parameters.items())), indent=1)
    file = train(
        question("a", 3),
        question("b", 12),
        question("c", 12, parameters=again),
        question("d", 12, environment="NotKnownHere"),
    )
    found = [(overlap.question.id, overlap.place) for overlap in overlaps(SUITE, [file])]
    assert found == [("test 12", f"{file}:2"), ("test 12", f"{file}:3")]


def test_exports_in_both_formats(tmp_path):
    pytest.importorskip("pyarrow")
    files = [tmp_path / "train.jsonl", tmp_path / "train.parquet"]
    for file in files:
        flags = ["dataset", "SmallestBinaryMultiple", "-d", "5", "-n", "12", "--workers", "1"]
        assert main([*flags, "-o", str(file)]) == 0
    exported = [json.loads(json.loads(line)["parameters"]) for line in files[0].open()]
    suite = [question(f"test {row['A']}", row["A"], parameters=row) for row in exported[:5]]
    read = []
    found = list(overlaps(suite, files, lambda: read.append(1)))
    assert len(read) == 24
    for file in files:
        assert [o.question.id for o in found if o.place.startswith(str(file))] == [
            row.id for row in suite
        ]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"{", "not JSON"),
        (b'{"environment": "Sorting", "parameters": "[]"}', '"parameters" is not a JSON object'),
        (b'{"environment": "Sorting", "difficulty": 0, "seed": 0}', "it has no parameters"),
    ],
)
def test_a_broken_line_is_named(train, line, message):
    file = train(question("a", 3))
    file.write_bytes(file.read_bytes() + b"\n" + line)
    with pytest.raises(UserError, match=rf"train\.jsonl:2: {message}"):
        list(overlaps(SUITE, [file]))
