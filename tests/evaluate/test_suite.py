import json

import msgspec
import pytest

from rlve.cli import main
from rlve.datasets.rows import ProblemRow, write_rows
from rlve.envs.arrays.sorting import Sorting
from rlve.errors import UserError
from rlve.evaluate.judge import load_problems
from rlve.evaluate.questions import Suite, read_questions
from rlve.evaluate.suite import load_suite
from rlve.formats import BASE, CHAT
from rlve.foundation.files import line as encoded
from rlve.pool import Pool
from rlve.registry import environment

PROBLEM = Sorting.generate(difficulty=2, seed=7)


def question(id="a", **columns):  # noqa: A002
    columns = {"environment": "Sorting", "parameters": PROBLEM.parameters()} | columns
    return ProblemRow(id=id, **columns)


def line(**columns):
    record = msgspec.to_builtins(question()) | columns
    return json.dumps({key: value for key, value in record.items() if value is not None})


def load(file, deadline=10.0):
    """Load the problems of a file, as an evaluation does."""
    suite = load_suite(str(file))
    with Pool(1, deadline=deadline) as pool:
        return load_problems(pool, suite.questions, CHAT)


@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
def test_an_export_is_a_suite(tmp_path, ending):
    if ending == "parquet":
        pytest.importorskip("pyarrow")
    file = tmp_path / f"mine.{ending}"
    flags = ["dataset", "Sorting", "Division", "-n", "12", "-d", "0..2", "--workers", "1"]
    assert main([*flags, "-o", str(file)]) == 0
    suite = load_suite(str(file))
    assert (suite.name, len(suite.questions)) == ("mine", 12)
    assert (suite.samples, suite.metric, suite.k) == (1, "avg", 1)
    for found in suite.questions:
        problem = found.problem()
        cls = type(problem)
        assert problem == cls.generate(difficulty=found.difficulty, seed=found.seed)
        assert found.answer == problem.reference()
        assert found.asked(BASE) == (CHAT.render(problem), "boxed")  # the prompt is fixed


def test_a_suite_comes_back_as_it_was_written(tmp_path):
    file = tmp_path / "suite.jsonl"
    questions = [
        question("a", prompt="Sort.\n<é>", marker="answer", difficulty=2, seed=7, answer="1 2"),
        question("b", parameters=json.dumps(PROBLEM.parameters()), statement="Sort this."),
        question("c", prompt=[{"role": "user", "content": "Sort."}], family="arrays"),
    ]
    write_rows(file, questions)
    suite = load_suite(str(file))
    assert suite.questions == questions
    assert suite.sha == Suite("other", questions).sha
    assert suite.sha != Suite("other", questions[:2]).sha
    assert suite.sha != Suite("other", questions[::-1]).sha
    assert [q.problem() for q in suite.questions] == [PROBLEM] * 3
    assert file.read_bytes() == b"".join(map(encoded, questions))


def test_blank_lines_and_other_columns_do_no_harm(tmp_path):
    file = tmp_path / "suite.jsonl"
    file.write_text(f"\n{line(id='a', colour='red')}\n\n{line(id='b')}\n\n")
    assert [found.id for found in read_questions(file)] == ["a", "b"]


def test_what_a_model_is_given():
    assert question().asked(CHAT) == (CHAT.render(PROBLEM), "boxed")
    assert question().asked(BASE) == (BASE.render(PROBLEM), "answer")
    assert question(prompt="p").asked(CHAT) == ("p", "any")
    assert question(prompt="p", marker="answer").asked(CHAT) == ("p", "answer")
    assert question(statement="s").asked(BASE) == (BASE.wrap("s"), "answer")
    assert question(prompt="p", statement="s").asked(BASE) == ("p", "any")


@pytest.mark.parametrize(
    ("second", "message"),
    [
        ("{", "not JSON: Input data was truncated"),
        ("[1]", "not a question: Expected `object`, got `array`"),
        ('{"id": "b"}', "not a question: Object missing required field `environment`"),
        (line(id=3), r"not a question: Expected `str`, got `int` - at `\$.id`"),
        (line(id="b", marker="box"), "not a question: Invalid enum value 'box'"),
        (line(id="b", prompt=3), "not a question: .*prompt"),
        (line(id="b", environment="Sortin"), "no environment .*; did you mean 'Sorting'"),
        (line(id="b", parameters="{"), '"parameters" is not JSON'),
        (line(id="b", parameters="[]"), '"parameters" is not a JSON object'),
        (line(id="a"), "line 1 has the same id, 'a'"),
        ("\ud800", "not JSON: "),
    ],
)
def test_a_broken_line_is_named(tmp_path, second, message):
    file = tmp_path / "suite.jsonl"
    text = f"{line()}\n\n{second}\n"
    file.write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(UserError, match=f"suite.jsonl:3: {message}") as caught:
        load_suite(str(file))
    assert "\n" not in str(caught.value)


def test_parameters_of_no_problem_are_named_by_the_question(tmp_path):
    file = tmp_path / "suite.jsonl"
    file.write_text(f"{line()}\n{line(id='b', parameters={'N': 3})}\n")
    with pytest.raises(UserError, match="the question 'b': not the parameters of a Sorting prob"):
        load(file)


def test_a_record_that_would_take_forever_is_refused(tmp_path):
    record = environment("Cryptarithmetic").generate(difficulty=0, seed=0).parameters()
    row = {"id": "b", "environment": "Cryptarithmetic", "parameters": record}
    file = tmp_path / "suite.jsonl"
    file.write_text(f"{line()}\n{json.dumps(row | {'parameters': record | {'N': 10**9}})}\n")
    with pytest.raises(UserError, match=r"the question 'b': (deadline|memory): "):
        load(file, deadline=1.0)
    file.write_text(f"{line()}\n{json.dumps(row)}\n")
    assert len(load(file)) == 2


def test_a_broken_row_of_parquet_is_named(tmp_path):
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    file = tmp_path / "suite.parquet"
    row = json.loads(line()) | {"parameters": json.dumps(PROBLEM.parameters())}
    parquet.write_table(arrow.Table.from_pylist([row, row | {"id": None}]), file)
    with pytest.raises(UserError, match=r"suite\.parquet:2: not a question"):
        load_suite(str(file))
    file.write_text("no such thing")
    with pytest.raises(UserError, match=r"suite\.parquet is not a Parquet file"):
        load_suite(str(file))


def test_unknown_and_unreadable_suites(tmp_path):
    with pytest.raises(
        UserError, match="no suite is named heldout, and there is no such file; the"
    ):
        load_suite("heldout")
    with pytest.raises(UserError, match="in-distribution:NAME"):
        load_suite("in-distribution")
    with pytest.raises(UserError, match=r"cannot read .*: Is a directory"):
        load_suite(str(tmp_path))
    (tmp_path / "empty.jsonl").touch()
    with pytest.raises(UserError, match=r"empty\.jsonl contains no questions"):
        load_suite(str(tmp_path / "empty.jsonl"))


def test_questions_and_answers_of_your_own(tmp_path):
    file = tmp_path / "mine.jsonl"
    file.write_text('{"id": 7, "question": "Half?", "answer": 0.5}\n')
    (found,) = load_suite(str(file)).questions
    assert (found.id, found.environment) == ("mine/0001", "MathQuestion")
    assert found.asked(CHAT)[0][0]["content"].startswith("Half?\n")
    assert found.problem().verify("\\boxed{\\frac12}").correct
    file.write_text('{"q": "Half?", "gold": "1/2", "answer": "?"}\n{"q": "Third?"}\n')
    columns = {"question": "q", "answer": "gold"}
    with pytest.raises(
        UserError, match=r"mine\.jsonl:2: there is no column for the answer \(gold\)"
    ):
        load_suite(str(file), columns)
    file = tmp_path / "mine.json"
    file.write_text('[{"q": "Half?", "gold": "1/2"}]')
    assert load_suite(str(file), columns).questions[0].answer == "1/2"
    with pytest.raises(UserError, match="there is no column for the question"):
        load_suite(str(file))


def test_a_suite_is_consistent():
    with pytest.raises(UserError, match="two questions of the suite s are named 'a'"):
        Suite("s", [question(), question()])
    with pytest.raises(UserError, match="takes k = 8 of 4 samples"):
        Suite("s", [question()], samples=4, k=8)


def test_benchmarks_are_loaded_by_name_or_from_a_file_of_ones_own(monkeypatch):
    asked = []

    def load(*words, revision):
        asked.append((*words, revision))

    monkeypatch.setattr("rlve.evaluate.benchmarks.load", load)
    load_suite("aime-2024")
    load_suite("bbeh:some/file.json")
    load_suite("aime-2025@v2")
    assert [(name, path and str(path), revision) for name, path, revision in asked] == [
        ("aime-2024", None, None),
        ("bbeh", "some/file.json", None),
        ("aime-2025", None, "v2"),
    ]
