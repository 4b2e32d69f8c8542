import json
import os
import re
import sys
from collections import Counter
from pathlib import Path
from random import Random

import pytest

import rlve
from rlve.datasets.rows import write_rows
from rlve.evaluate import benchmarks
from rlve.evaluate.benchmarks import BENCHMARKS, rows
from rlve.evaluate.benchmarks.table import Hub
from rlve.evaluate.questions import read_questions
from rlve.evaluate.suite import load_suite
from rlve.pool import Pool

DATA = Path(os.environ.get("RLVE_DATA", Path(__file__).parents[3] / "shared" / "data"))
FILES = {
    "aime-2024": DATA / "benchmarks" / "aime_2024.json",
    "aime-2025": DATA / "benchmarks" / "aime_2025.json",
    "omega-500": DATA / "benchmarks" / "omega_500.json",
    "olympiad-bench": DATA / "benchmarks" / "olympiad_bench.json",
    "bbeh": DATA / "benchmarks" / "bbeh.json",
}
here = pytest.mark.skipif(
    not all(file.exists() for file in FILES.values()),
    reason=f"the files of the benchmarks are not in {DATA / 'benchmarks'} (set RLVE_DATA)",
)

ROWS = [{"user_prompt": f"{i} and 1?", "ground_truth": str(i + 1)} for i in range(3)]


# The table.


def test_the_settings_are_the_papers():
    settings = {name: (b.metric, b.k, b.samples) for name, b in BENCHMARKS.items()}
    assert settings == {
        "aime-2024": ("avg", 64, 64),
        "aime-2025": ("avg", 64, 64),
        "omega-500": ("avg", 4, 4),
        "olympiad-bench": ("avg", 4, 4),
        "bbeh": ("avg", 4, 4),
        "livecodebench-v6": ("pass", 8, 16),
        # Not in the paper.
        "gsm8k": ("avg", 1, 1),
        "math-500": ("avg", 4, 4),
    }


# Loading.


def suite_of(tmp_path, name, text, suffix=".jsonl"):
    path = tmp_path / f"file{suffix}"
    path.write_text(text, encoding="utf-8")
    return benchmarks.load(name, path)


@pytest.mark.parametrize(
    ("name", "row", "truth"),
    [
        ("aime-2024", {"user_prompt": "1+1?", "ground_truth": "2"}, "2"),
        ("aime-2024", {"ID": "2024-I-1", "Problem": "1+1?", "Solution": "...", "Answer": 2}, "2"),
        ("aime-2024", {"problem": "1+1?", "solution": "one more is 2", "answer": "2"}, "2"),
        ("aime-2025", {"question": "1+1?", "answer": "2"}, "2"),
        ("olympiad-bench", {"question": "1+1?", "final_answer": ["2"], "context": None}, "2"),
        ("omega-500", {"prompt": [{"role": "user", "content": "1+1?"}], "ground_truth": "2"}, "2"),
        ("bbeh", {"input": "1+1?", "target": "2", "task": "sums", "mini": 1}, "2"),
        ("gsm8k", {"question": "1+1?", "answer": "<<1+1=2>>2.\n#### 1,200"}, "1200"),
        ("math-500", {"problem": "1+1?", "solution": "$\\boxed{2}$.", "answer": "2"}, "2"),
    ],
)
def test_published_columns(tmp_path, name, row, truth):
    suite = suite_of(tmp_path, name, json.dumps(row))
    (question,) = suite.questions
    problem = question.problem()
    assert (problem.prompt(), problem.reference()) == ("1+1?", truth)
    assert problem.verify(f"\\boxed{{{truth}}}").correct
    assert not problem.verify(r"\boxed{3}").correct
    assert question.environment == BENCHMARKS[name].judge


def test_formats_of_files(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    lines = "".join(json.dumps(row) + "\n" for row in ROWS)
    pq.write_table(pa.Table.from_pylist(ROWS), tmp_path / "rows.parquet")
    suites = [
        suite_of(tmp_path, "aime-2024", lines),
        suite_of(tmp_path, "aime-2024", lines + "\n\n", ".txt"),
        suite_of(tmp_path, "aime-2024", json.dumps(ROWS), ".json"),
        suite_of(tmp_path, "aime-2024", json.dumps({"canary": "", "examples": ROWS}), ".json"),
        benchmarks.load("aime-2024", tmp_path / "rows.parquet"),
        load_suite(f"aime-2024:{tmp_path / 'rows.parquet'}"),
    ]
    assert len({suite.sha for suite in suites}) == 1
    assert [question.answer for question in suites[0].questions] == ["1", "2", "3"]
    assert (suites[0].samples, suites[0].metric, suites[0].k) == (64, "avg", 64)


def test_other_questions_than_the_papers_are_noted(tmp_path):
    suite = suite_of(tmp_path, "bbeh", json.dumps(ROWS), ".json")
    assert "3 questions; BIG-Bench Extra Hard usually has 368" in suite.notes[0]


def test_a_shared_context_belongs_to_the_question(tmp_path):
    row = {"context": "Let x = 2.", "question": "What is x?", "final_answer": ["2"]}
    (question,) = suite_of(tmp_path, "olympiad-bench", json.dumps(row)).questions
    assert question.problem().prompt() == "Let x = 2.\nWhat is x?"


@pytest.mark.parametrize(
    ("text", "suffix", "complaint"),
    [
        ("", ".jsonl", "contains no questions"),
        ("[]", ".json", "contains no questions"),
        ("{", ".json", "is not JSON"),
        ('{"a": 1}', ".json", "is not a list of questions"),
        ('{"user_prompt": "a"\n', ".jsonl", r"file\.jsonl:1: not JSON"),
        (
            '{"question": "a", "answer": "1"}\n{"question": "b"}',
            ".jsonl",
            r"jsonl:2: there is no column",
        ),
        ('{"answer": "1"}', ".jsonl", "there is no column for the question .*user_prompt"),
        ('{"question": "a", "answer": {}}', ".jsonl", "the answer is neither text nor a number"),
        ('{"question": "a", "answer": true}', ".jsonl", "the answer is neither text nor a number"),
        ('{"question": " ", "answer": "1"}', ".jsonl", "the question is not text"),
        ("[1]", ".json", "not a record"),
        ("PAR", ".parquet", "is not a Parquet file"),
    ],
)
def test_broken_files_are_named(tmp_path, text, suffix, complaint):
    with pytest.raises(rlve.UserError, match=complaint):
        suite_of(tmp_path, "aime-2024", text, suffix)


def test_missing_data_says_where_to_get_it(tmp_path):
    with pytest.raises(rlve.UserError, match=r"there is no file .*HuggingFaceH4/aime_2024.*:FILE"):
        benchmarks.load("aime-2024", tmp_path / "none.json")
    with pytest.raises(rlve.UserError, match=r"OMEGA-500 must be given as a file.*allenai"):
        benchmarks.load("omega-500")
    with pytest.raises(
        rlve.UserError, match="no benchmark is named 'aime'; the benchmarks are aime-2024"
    ):
        benchmarks.load("aime")


def test_without_the_library_of_the_hub(monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(rlve.UserError, match=r"needs huggingface_hub.*Get it from"):
        benchmarks.load("bbeh")


def test_the_hub(monkeypatch, tmp_path):
    hub = pytest.importorskip("huggingface_hub")
    import pyarrow as pa
    import pyarrow.parquet as pq

    asked = []

    def download(**wanted):
        asked.append(wanted)
        path = tmp_path / "snapshots" / "0123abc" / f"{len(asked)}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.Table.from_pylist([{"question": "?", "answer": len(asked)}]), path)
        return str(path)

    monkeypatch.setattr(hub, "hf_hub_download", download)
    suite = benchmarks.load("aime-2025")
    assert [question.answer for question in suite.questions] == ["1", "2"]
    assert [wanted["filename"] for wanted in asked] == [
        "AIME2025-I/test/0000.parquet",
        "AIME2025-II/test/0000.parquet",
    ]
    assert {wanted["revision"] for wanted in asked} == {"refs/convert/parquet"}
    # What it was of is written down, and can be asked for again.
    assert suite.notes[0] == "from opencompass/AIME2025 on the Hugging Face hub, revision 0123abc"
    assert load_suite("aime-2025@0123abc").notes[0] == suite.notes[0]
    assert [wanted["revision"] for wanted in asked[2:]] == ["0123abc"] * 2

    def fail(**wanted):
        raise OSError("no network\nand more")

    monkeypatch.setattr(hub, "hf_hub_download", fail)
    with pytest.raises(rlve.UserError, match=r"cannot be downloaded \(no network\)\. Get it from"):
        rows.load(BENCHMARKS["bbeh"], None)
    assert BENCHMARKS["bbeh"].hub == (Hub("BBEH/bbeh"),)


# The files themselves: every truth is right, and another's is right by chance only.


@pytest.fixture(scope="module")
def pool():
    with Pool(2, deadline=30) as pool:
        yield pool


@here
@pytest.mark.parametrize("name", FILES)
def test_truths_are_right(name, pool, tmp_path):
    suite = benchmarks.load(name, FILES[name])
    assert len(suite.questions) == BENCHMARKS[name].size
    assert suite.notes == ()
    problems = [question.problem() for question in suite.questions]
    outputs = [f"The answer is $\\boxed{{{problem.reference()}}}$." for problem in problems]
    verdicts = pool.judge(zip(problems, outputs, strict=True), marker="boxed")
    wrong = [p.reference() for p, v in zip(problems, verdicts, strict=True) if not v.correct]
    assert wrong == []
    write_rows(tmp_path / "suite.jsonl", suite.questions)
    assert list(read_questions(tmp_path / "suite.jsonl")) == suite.questions


# What means the same, though it is not written the same: of a letter and a number, that is all.
SYNONYMS = {
    "omega-500": {frozenset(("0", "0.0"))},
    "bbeh": {frozenset((f"({letter})", letter)) for letter in "ABCDEFGHIJ"}
    | {frozenset(("2", "2.0")), frozenset(("6", "6.0"))},
}


@here
@pytest.mark.parametrize("name", FILES)
def test_the_truths_of_other_questions_are_right_by_chance_only(name, pool):
    suite = benchmarks.load(name, FILES[name])
    problems = [question.problem() for question in suite.questions]
    truths = [str(problem.reference()) for problem in problems]
    counts, size = Counter(truths), len(truths)
    chance = sum(count * count for count in counts.values()) / size**2
    accepted = total = 0
    for seed in range(3):
        shuffled = Random(seed).sample(truths, size)
        outputs = [f"\\boxed{{{text}}}" for text in shuffled]
        verdicts = pool.judge(zip(problems, outputs, strict=True), marker="boxed")
        different = {
            frozenset((truth, text))
            for truth, text, verdict in zip(truths, shuffled, verdicts, strict=True)
            if verdict.correct and truth != text
        }
        assert different <= SYNONYMS.get(name, set())
        accepted += sum(verdict.correct for verdict in verdicts)
        total += size
    assert accepted / total < chance + 0.04


@here
def test_truths_are_right_in_other_words(pool):
    r"""As models write them: \dfrac, \left( \right), spaces, names, the reverse of a list."""
    problems = [
        question.problem()
        for question in benchmarks.load("olympiad-bench", FILES["olympiad-bench"]).questions
    ]
    items = []
    for problem in problems:
        truth = problem.reference().replace("$", "").rstrip(".")
        rewritten = truth.replace("\\frac", "\\dfrac").replace("(", "\\left( ")
        rewritten = rewritten.replace(")", " \\right)")
        items.append((problem, f"\\boxed{{{rewritten}}}"))
        narrow = re.sub(r"(?<![A-Za-z]) | (?![A-Za-z])", "", truth)
        items.append((problem, f"\\boxed{{{narrow}}}"))
        items.append((problem, f"\\boxed{{\\;{truth}\\,.}}"))
        if not re.search(r"[(\[=]|\\geq", truth):
            backwards = ", ".join(reversed(truth.split(",")))
            items.append((problem, f"\\boxed{{{backwards}}}"))
            items.append((problem, f"\\boxed{{x = {truth}}}"))
    verdicts = pool.judge(items, marker="boxed")
    wrong = [output for (_, output), v in zip(items, verdicts, strict=True) if not v.correct]
    assert wrong == []
