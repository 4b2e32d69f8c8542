import json
from datetime import date

import pytest

import rlve as package

PROBLEM = package.environment("Sorting").generate(difficulty=2, seed=1)
RECORD = {"environment": "Sorting", "parameters": PROBLEM.parameters()}
RIGHT = f"\\boxed{{{PROBLEM.reference()}}}"
VERDICT = {"reward": 1.0, "correct": True, "well_formed": True}
ILL_FORMED = {"reward": -1.0, "correct": False, "well_formed": False}


@pytest.fixture
def score(rlve, tmp_path):
    """Scores lines (records, or raw bytes), and returns the result and the lines written."""

    def run(*lines, flags=()):
        source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
        source.write_bytes(
            b"".join(
                line + b"\n" if isinstance(line, bytes) else json.dumps(line).encode() + b"\n"
                for line in lines
            )
        )
        result = rlve("score", source, "-o", target, "--workers", 1, *flags)
        return result, [json.loads(line) for line in target.read_text().splitlines()]

    return run


def test_an_output_gets_its_verdict_and_keeps_its_columns(score):
    line = RECORD | {"id": 7, "note": "as it was", "output": RIGHT}
    result, written = score(line)
    assert result.code == 0
    assert result.err == ""
    assert written == [line | {"verdict": VERDICT}]


def test_outputs_get_one_verdict_each(score):
    wrong = "\\boxed{1 2 3}"
    line = RECORD | {"outputs": [wrong, RIGHT, "no idea"]}
    _, written = score(line, RECORD | {"outputs": []})
    assert written[0] == line | {
        "verdicts": [
            {"reward": -0.5, "correct": False, "well_formed": True},
            VERDICT,
            ILL_FORMED,
        ]
    }
    assert written[1]["verdicts"] == []


def test_answers_are_read_exactly_unless_forgivingly_is_asked_for(score):
    line = RECORD | {"output": f"\\boxed{{[{', '.join((PROBLEM.reference() or '').split())}]}}"}
    assert score(line)[1][0]["verdict"] == ILL_FORMED
    assert score(line, flags=["--reading", "forgiving"])[1][0]["verdict"] == VERDICT


@pytest.mark.parametrize(
    "problem",
    [
        {"parameters": PROBLEM.parameters()},
        {"parameters": json.dumps(PROBLEM.parameters())},
        {"difficulty": 2, "seed": 1},
        {"difficulty": 2, "seed": 1, "parameters": None},
        {"difficulty": 0, "seed": 0, "parameters": PROBLEM.parameters()},  # the record counts
    ],
)
def test_a_problem_is_given_by_its_parameters_or_by_its_seed(score, problem):
    _, (written,) = score({"environment": "Sorting", "output": RIGHT} | problem)
    assert written["verdict"] == VERDICT


def test_the_marker_is_an_option_or_a_column(score):
    lines = [RECORD | {"output": RIGHT, "marker": marker} for marker in ("boxed", "answer", None)]
    _, written = score(*lines)
    assert [line["verdict"]["correct"] for line in written] == [True, False, True]
    _, written = score(*lines, flags=["--marker", "answer"])
    assert [line["verdict"]["correct"] for line in written] == [False] * 3


def test_the_report_has_a_row_per_environment(score):
    other = package.environment("Division").generate(difficulty=0, seed=0)
    division = {"environment": "Division", "parameters": other.parameters()}
    lines = (
        RECORD | {"outputs": [RIGHT, "no idea", "\\boxed{}", RIGHT]},
        division | {"output": f"<answer>{other.reference()}</answer>"},
    )
    result, _ = score(*lines)
    table = [line.split() for line in result.out.splitlines()]
    assert table[2] == ["Division", "1", "100.0%", "1.000", "0.0%", "0"]
    assert table[3] == ["Sorting", "4", "50.0%", "0.125", "25.0%", "0"]
    assert table[5] == ["all", "5", "60.0%", "0.300", "20.0%", "0"]
    result, _ = score(*lines, flags=["--json"])
    report = json.loads(result.out)
    assert report["environments"]["Sorting"] == {
        "outputs": 4,
        "accuracy": 0.5,
        "mean_reward": 0.125,
        "ill_formed": 0.25,
        "failed": 0,
    }
    assert report["total"]["outputs"] == 5


BROKEN = [
    (b'{"environment": "Sorting", "outp', "cannot be judged: Unterminated string"),
    (b"[1, 2]", "not a JSON object"),
    (b"\xff\xfe", "can't decode byte 0xff in position 0"),
    (b"[" * 100_000, "cannot be judged: maximum recursion depth"),
    ({"output": "1"}, "missing required field `environment`"),
    ({"environment": "Sortin", "output": "1"}, "did you mean 'Sorting'?"),
    ({"environment": "Sorting", "output": "1"}, 'neither "parameters" nor "difficulty" and'),
    (RECORD, 'it has neither "output" nor "outputs"'),
    (RECORD | {"output": 5}, "got `int` - at `$.output`"),
    (RECORD | {"outputs": ["1", 5]}, "Expected `str`, got `int` - at `$.outputs[1]`"),
    (RECORD | {"output": "1", "outputs": ["1"]}, 'it has both "output" and "outputs"'),
    (RECORD | {"output": "1", "marker": "box"}, "Invalid enum value 'box' - at `$.marker`"),
    (RECORD | {"output": "1", "parameters": "{]"}, '"parameters" is not JSON'),
    (RECORD | {"output": "1", "parameters": "[]"}, '"parameters" is not a JSON object'),
    (RECORD | {"output": "1", "parameters": {"N": 3}}, "missing required field `array`"),
    (RECORD | {"output": "1", "parameters": {"N": "3"}}, "Expected `int`, got `str` - at `$.N`"),
    ({"environment": "Sorting", "output": "1", "difficulty": -1, "seed": 0}, "not -1"),
    ({"environment": "Sorting", "output": "1", "difficulty": 1.5, "seed": 0}, "got `float`"),
    ({"environment": "Sudoku", "output": "1", "difficulty": 999, "seed": 0}, "999 was asked for"),
]


@pytest.mark.parametrize(("line", "message"), BROKEN)
def test_a_line_that_cannot_be_judged_is_named_and_nothing_is_written(
    rlve, tmp_path, line, message
):
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    good = json.dumps(RECORD | {"output": RIGHT}).encode()
    broken = line if isinstance(line, bytes) else json.dumps(line).encode()
    source.write_bytes(b"\n\n".join([good, broken, good]))
    result = rlve("score", source, "-o", target, "--workers", 1)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith(f"rlve: {source}:3: ")
    assert message in result.err
    assert result.err.count("\n") == 1
    assert not target.exists()


def test_columns_can_have_other_names_and_difficulties_are_told_apart(score):
    names = {"output": "completion", "environment": "task", "parameters": "record"}
    flags = [word for name in names.items() for word in ("--column", "=".join(name))]
    lines = [
        {names.get(column, column): value for column, value in line.items()}
        for line in (
            RECORD | {"difficulty": 2, "output": RIGHT},
            RECORD | {"difficulty": 3, "output": ["no idea", RIGHT]},
        )
    ]
    result, written = score(*lines, flags=flags)
    assert written[0] == lines[0] | {"verdict": VERDICT}
    assert written[1]["verdicts"] == [ILL_FORMED, VERDICT]
    table = [line.split()[:3] for line in result.out.splitlines()]
    assert ["2", "1", "100.0%"] in table
    assert ["3", "2", "50.0%"] in table
    report = json.loads(score(*lines, flags=[*flags, "--json"])[0].out)
    assert report["difficulties"]["3"]["accuracy"] == 0.5
    refused, _ = score(*lines, flags=["--column", "result=x"])
    assert "--column takes NAME=COLUMN, where NAME is output, " in refused.err


def test_outputs_can_hold_anything(score):
    hostile = ["\ud800", "\0", "é∑🙂", "\\boxed{" * 1000, RIGHT + "\udfff"]
    _, (written,) = score(RECORD | {"outputs": hostile})
    assert written["outputs"] == hostile
    assert [verdict["correct"] for verdict in written["verdicts"]] == [False] * 4 + [True]


def test_a_second_scoring_replaces_the_columns_of_the_first(score):
    _, (one, many) = score(RECORD | {"output": RIGHT}, RECORD | {"outputs": ["?"]})
    now_one = {name: value for name, value in many.items() if name != "outputs"}
    _, written = score(one, many, now_one | {"output": RIGHT})
    assert written == [one, many, one]


def test_parquet_is_scored_like_lines(rlve, score, tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    lines = [
        {"environment": "Sorting", "parameters": json.dumps(PROBLEM.parameters())}
        | {"output": output, "made": date(2026, 1, 2)}
        for output in (RIGHT, "no idea")
    ]
    parquet.write_table(pyarrow.Table.from_pylist(lines), tmp_path / "in.parquet")
    result = rlve(
        "score", tmp_path / "in.parquet", "-o", tmp_path / "out.jsonl", "--workers", 1, "--json"
    )
    written = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    expected, again = score(*(line | {"made": "2026-01-02"} for line in lines), flags=["--json"])
    assert written == again
    assert json.loads(result.out) == json.loads(expected.out)
    (tmp_path / "no.parquet").write_text("{}")
    result = rlve("score", tmp_path / "no.parquet")
    assert (result.code, result.err.count("\n")) == (2, 1)
    assert "is not a Parquet file" in result.err


def test_what_rlve_dataset_writes_as_parquet_can_be_scored(rlve, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    file = tmp_path / "some.parquet"
    assert rlve("dataset", "Sorting", "-n", 5, "-o", file, "--workers", 1).code == 0
    table = parquet.read_table(file)
    answers = [f"\\boxed{{{answer}}}" for answer in table["answer"].to_pylist()]
    parquet.write_table(table.append_column("output", [answers]), file)
    result = rlve("score", file, "--json", "--workers", 1)
    assert (result.code, json.loads(result.out)["total"]["accuracy"]) == (0, 1.0)


def test_stdin_and_stdout(rlve):
    line = RECORD | {"output": RIGHT}
    result = rlve("score", "-", "-o", "-", "--workers", 1, stdin=json.dumps(line))
    assert json.loads(result.out) == line | {"verdict": VERDICT}
    assert "Sorting" in result.err
    result = rlve("score", "-", "--workers", 1, stdin=json.dumps(line))
    assert "Sorting" in result.out


def test_several_files_follow_each_other(rlve, tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(RECORD | {"output": name}) + "\n")
    out = tmp_path / "out.jsonl"
    result = rlve("score", tmp_path / "a.jsonl", tmp_path / "b.jsonl", "-o", out, "--workers", 1)
    assert [json.loads(line).get("output") for line in out.open()] == ["a", "b"]
    assert result.err == ""


def test_a_file_without_lines(rlve, tmp_path):
    (tmp_path / "empty.jsonl").touch()
    report = json.loads(rlve("score", tmp_path / "empty.jsonl", "--json").out)
    assert report["total"]["outputs"] == 0
    assert report["total"]["accuracy"] is report["total"]["mean_reward"] is None


def test_a_verdict_that_takes_too_long_costs_itself_only(rlve, own_tasks):
    assert rlve("show", "own_tasks:Echo").code == 0  # which registers it
    line = {"environment": "Echo", "parameters": {"n": 1}}
    line["outputs"] = ["\\boxed{1}", "\\boxed{666}", "\\boxed{1}", "nothing"]
    result = rlve(
        "score", "-", "-o", "out.jsonl", "--workers", 1, "--deadline", 2, stdin=json.dumps(line)
    )
    assert result.code == 0
    assert result.out.splitlines()[2].split() == ["Echo", "4", "50.0%", "0.000", "50.0%", "1"]
    assert "failed: could not be judged (deadline 1); the reward is -1" in result.out
    verdicts = json.loads((own_tasks / "out.jsonl").read_text())["verdicts"]
    assert verdicts == [
        {"reward": 1.0, "correct": True, "well_formed": True},
        ILL_FORMED | {"failed": True},
        {"reward": 1.0, "correct": True, "well_formed": True},
        ILL_FORMED,
    ]


def test_a_problem_that_cannot_be_generated_is_named(rlve, own_tasks):
    assert rlve("show", "own_tasks:Moody", "-s", 0).code in (0, 2)  # which registers it
    lines = [
        json.dumps({"environment": "Moody", "difficulty": 0, "seed": seed, "output": "?"})
        for seed in range(20)
    ]
    result = rlve("score", "-", "--workers", 1, stdin="\n".join(lines))
    assert result.code == 2
    assert result.err.startswith("rlve: -:")
    assert "a number that brings bad luck" in result.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "no file was given"),
        (["no_such_file.jsonl"], "no_such_file.jsonl: No such file or directory"),
        (["here.jsonl", "no_such_file.jsonl"], "no_such_file.jsonl: No such file or directory"),
        (["here.jsonl", "-o", "no/such/x.jsonl"], "cannot write to no/such/x.jsonl: No such file"),
        (["here.jsonl", "-o", "."], "cannot write to .: it is a folder"),
    ],
)
def test_bad_input_is_one_clear_line(rlve, tmp_path, monkeypatch, words, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here.jsonl").write_text("")
    result = rlve("score", *words)
    assert (result.code, result.out) == (2, "")
    assert message in result.err
    assert result.err.count("\n") == 1
