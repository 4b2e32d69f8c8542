import json

import msgspec
import pytest

from rlve import Pool, environment
from rlve.cli import main
from rlve.datasets.rows import ProblemRow
from rlve.envs.number_theory.smallest_binary_multiple import SmallestBinaryMultiple
from rlve.errors import UserError
from rlve.evaluate.overlap import overlaps
from rlve.evaluate.questions import Suite
from rlve.formats import BASE, CHAT


def problem(A, MAX_A=20):
    return SmallestBinaryMultiple(MAX_A=MAX_A, A=A, reference_answer=1)


def question(id, problem, **columns):  # noqa: A002
    columns = {"parameters": problem.parameters(), "environment": type(problem).__name__} | columns
    return ProblemRow(id=id, **columns)


SUITE = Suite("test", [question(f"test {A}", problem(A)) for A in range(10, 20)])


@pytest.fixture(scope="module")
def pool():
    with Pool(workers=1) as found:
        yield found


@pytest.fixture
def found(tmp_path, pool):
    """What of SUITE, or of another suite, is in a training file with these questions."""

    def compare(*training, suite=SUITE):
        file = tmp_path / "train.jsonl"
        file.write_bytes(b"\n".join(map(msgspec.json.encode, training)))
        return [(o.question.id, o.line, o.same) for o in overlaps(pool, suite, [file])]

    return compare


def test_problems_are_the_same_if_their_parameters_are(found):
    again = {"surplus": 1, **dict(reversed(problem(12).parameters().items()))}
    assert found(
        question("a", problem(3)),
        question("b", problem(12)),
        question("c", problem(12), parameters=json.dumps(again)),
    ) == [("test 12", 2, "parameters"), ("test 12", 3, "parameters")]


def test_problems_are_the_same_if_they_read_the_same(found):
    other = problem(13, MAX_A=30)  # which only the parameters say
    assert found(
        question("a", other),
        question("b", problem(3), statement=other.prompt()),
        question("c", problem(3), prompt=CHAT.render(other)),
        question("d", problem(3), prompt=BASE.render(other)),
        question("e", problem(3), environment="NotKnownHere", prompt=CHAT.render(other)),
        question("f", problem(3), prompt=CHAT.render(problem(3))),
    ) == [("test 13", line, "prompt") for line in range(1, 6)]


def test_fixed_prompts_and_statements_of_the_suite_count(found):
    suite = Suite(
        "test",
        [
            question("fixed", problem(5), prompt="How many?"),
            question("stated", problem(6), statement="And how many?"),
        ],
    )
    assert found(
        question("a", problem(3), prompt=[{"role": "user", "content": "How many?"}]),
        question("b", problem(3), statement="And how many?"),
        question("c", problem(3), prompt=CHAT.wrap("And how many?")),
        suite=suite,
    ) == [("fixed", 1, "prompt"), ("stated", 2, "prompt"), ("stated", 3, "prompt")]


def test_exports_in_both_formats(tmp_path, pool):
    pytest.importorskip("pyarrow")
    files = [tmp_path / "train.jsonl", tmp_path / "train.parquet"]
    for file in files:
        flags = ["dataset", "SmallestBinaryMultiple", "-d", "5", "-n", "12", "--workers", "1"]
        assert main([*flags, "-o", str(file)]) == 0
    read = []
    found = list(overlaps(pool, SUITE, files, lambda: read.append(1)))
    assert len(read) == 24
    by_file = [{o.question.id for o in found if o.file == file} for file in files]
    exported = [json.loads(json.loads(line)["parameters"]) for line in files[0].open()]
    expected = {f"test {row['A']}" for row in exported if 10 <= row["A"] < 20}
    assert by_file[0] == by_file[1] == expected != set()


def test_a_broken_line_is_named(tmp_path, pool):
    file = tmp_path / "train.jsonl"
    file.write_bytes(msgspec.json.encode(question("a", problem(3), parameters={"A": "x"})))
    with pytest.raises(UserError, match=r"train\.jsonl:1: not the parameters of"):
        list(overlaps(pool, SUITE, [file]))
    file.write_text("\n{")
    with pytest.raises(UserError, match=r"train\.jsonl:2: not a question"):
        list(overlaps(pool, SUITE, [file]))


def test_more_lines_than_are_held_at_once(found, monkeypatch):
    monkeypatch.setattr("rlve.evaluate.overlap.AT_ONCE", 4)
    lines = [question(str(A), problem(A), environment=name) for A, name in NUMBERED]
    assert found(*lines) == [
        (f"test {A}", line, "parameters")
        for line, (A, name) in enumerate(NUMBERED, 1)
        if name == "SmallestBinaryMultiple" and 10 <= A < 20
    ]


NUMBERED = [(A, "NotKnownHere" if A % 3 == 0 else "SmallestBinaryMultiple") for A in range(1, 30)]


def test_a_record_that_would_take_forever_is_refused(tmp_path):
    file = tmp_path / "train.jsonl"
    made = environment("Cryptarithmetic").generate(difficulty=0, seed=0)
    suite = Suite("test", [question("a", made)])
    hostile = question("b", made, parameters=made.parameters() | {"N": 10**9})
    file.write_bytes(b"\n".join(map(msgspec.json.encode, [question("c", made), hostile])))
    with Pool(workers=1, deadline=1.0) as hasty:
        found = overlaps(hasty, suite, [file])
        assert next(found).line == 1
        with pytest.raises(UserError, match=r"train.jsonl:2: (deadline|memory): "):
            next(found)
        evil = Suite("test", [hostile])
        with pytest.raises(UserError, match=r"the question 'b': (deadline|memory): "):
            next(overlaps(hasty, evil, [file]))
