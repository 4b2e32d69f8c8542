"""What the studio's pages are made from."""

import errno
import json
import os
import re
import shutil

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rlve
from rlve.datasets.rows import ProblemRow
from rlve.errors import UserError
from rlve.files import append_line
from rlve.metrics import chart_names, step_table
from rlve.pool import Pool
from rlve.registry import registered
from rlve.run_folders import locked
from rlve.server.studio import evaluations, problems, rollouts, runs
from rlve.server.studio import folders as studio_folders
from rlve.server.studio.charts import averaged
from rlve.server.studio.evaluations import EvaluationBook, QuestionFilter
from rlve.server.studio.folders import Folders, NotThere
from rlve.server.studio.pages import Links, embedded
from rlve.server.studio.rollouts import RolloutFilter
from rlve.server.studio.runs import RunBook
from rlve.server.studio.safe_text import harmless
from rlve.server.studio.tails import Tail
from rlve.train.history import StepMetrics, read_steps
from support.misbehaving import Trapped
from support.studio_folders import ANSI, add_step, make_evaluation, make_run, metrics

NAMES = ("Sorting", "SAT")
TEXTS = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from("</script>&"))


# Files that grow.


class Line(msgspec.Struct):
    n: int


def test_a_file_is_read_line_by_line_as_it_grows(tmp_path):
    path = tmp_path / "lines.jsonl"
    growing = Tail(path, Line)
    assert growing.read() == []
    whole = "".join(f'{{"n": {n}}}\n' for n in range(5))
    for end in range(len(whole) + 1):  # a byte at a time
        path.write_text(whole[:end])
        assert [line.n for line in growing.read()] == list(range(whole[:end].count("\n")))
    assert growing.line(3) == b'{"n": 3}\n'


def test_a_file_that_was_written_anew_is_read_anew(tmp_path):
    path = tmp_path / "lines.jsonl"
    growing = Tail(path, Line)
    path.write_text('{"n": 1}\n{"n": 2}\n{"n": 3}\n')
    assert len(growing.read()) == 3
    path.write_text('{"n": 1}\n')  # a run went back to a checkpoint,
    assert [line.n for line in growing.read()] == [1]
    path.write_text('{"n": 7}\n{"n": 8}\n')  # and on
    assert [line.n for line in growing.read()] == [7, 8]
    path.unlink()
    assert growing.read() == []


def test_records_that_were_read_stay_as_they_are_while_another_thread_reads_on(tmp_path):
    path = tmp_path / "lines.jsonl"
    growing = Tail(path, Line)
    path.write_text('{"n": 1}\n')
    before = growing.read()
    path.write_text('{"n": 1}\n{"n": 2}\n')
    assert [line.n for line in growing.read()] == [1, 2]
    assert [line.n for line in before] == [1]


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    (tmp_path / "lines.jsonl").mkdir()
    with pytest.raises(UserError, match=r"lines.jsonl cannot be read: "):
        Tail(tmp_path / "lines.jsonl", Line).read()


def test_a_damaged_line_costs_that_line(tmp_path, caplog):
    path = tmp_path / "lines.jsonl"
    path.write_text('{"n": 1}\nnonsense\n{"n": 3}\n')
    growing = Tail(path, Line)
    for _ in range(2):
        assert [line.n for line in growing.read()] == [1, 3]
    assert growing.line(1) == b'{"n": 3}\n'
    assert caplog.text.count("lines.jsonl, line 2, is damaged, and was left out") == 1
    path = make_run(tmp_path / "run", steps=3) / "metrics.jsonl"
    path.write_text(path.read_text().replace('"step":2', '"step":1000000000000'))
    assert [each.step for each in Tail(path, StepMetrics).read()] == [1, 3]
    assert "metrics.jsonl, line 2, is damaged" in caplog.text


# Texts of models.


@given(st.text(st.characters(), max_size=300))
def test_whatever_a_model_wrote_can_be_shown(text):
    shown = harmless(text)
    shown.encode()  # no halves of surrogate pairs
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", shown)
    if text.isascii() and text.replace("\n", "").isprintable():
        assert shown == text


def test_terminal_codes_are_shown_and_long_texts_are_cut():
    assert "\x1b" not in harmless(ANSI)
    assert "\u241b[31mred" in harmless(ANSI)
    cut = harmless("a" * 1_000_000)
    assert len(cut) < 21_000
    assert "980,000 characters left out" in cut


@settings(max_examples=50)
@given(st.recursive(TEXTS, lambda x: st.lists(x) | st.dictionaries(TEXTS, x), max_leaves=5))
def test_json_in_a_page_cannot_end_its_element(value):
    text = str(embedded(value))
    assert "<" not in text
    assert json.loads(text) == value


# Folders.


def test_runs_and_evaluations_are_found_and_nothing_else(tmp_path):
    make_run(tmp_path / "runs" / "a", NAMES, steps=1)
    make_run(tmp_path / "runs" / "deep" / "er" / "b", NAMES, steps=1)
    make_evaluation(tmp_path / "runs" / "evaluated", 0.5)
    model = tmp_path / "runs" / "a" / "checkpoints" / "step-1" / "model"
    model.mkdir(parents=True)
    (model / "config.json").write_text('{"model_type": "qwen2"}')
    folders = Folders([tmp_path / "runs", tmp_path / "nothing"])
    assert {found.name for found in folders.all("train")} == {"a", "deep/er/b"}
    assert [found.name for found in folders.all("eval")] == ["evaluated"]
    assert folders.find("train", "deep-er-b").name == "deep/er/b"


def test_no_path_of_a_request_is_looked_up(tmp_path):
    make_run(tmp_path / "given" / "a", NAMES, steps=1)
    make_run(tmp_path / "other" / "b", NAMES, steps=1)
    folders = Folders([tmp_path / "given"])
    for name in ("b", "../other/b", str(tmp_path / "other" / "b"), "a/../a", "", ".", "/"):
        with pytest.raises(NotThere):
            folders.find("train", name)


def test_links_that_lead_out_are_not_followed(tmp_path):
    outside = make_run(tmp_path / "outside", NAMES, steps=1)
    inside = make_run(tmp_path / "given" / "a", NAMES, steps=1)
    os.symlink(outside, tmp_path / "given" / "link")
    folders = Folders([tmp_path / "given"])
    assert [found.name for found in folders.all("train")] == ["a"]
    (inside / "metrics.jsonl").unlink()
    os.symlink(outside / "metrics.jsonl", inside / "metrics.jsonl")
    with pytest.raises(UserError, match="is a link out of the folder"):
        RunBook().open(folders.find("train", "a"))


def test_two_folders_of_one_name_have_two_ids(tmp_path):
    for root in ("x", "y"):
        make_run(tmp_path / root / "same", NAMES, steps=1)
    folders = Folders([tmp_path / "x", tmp_path / "y"])
    ids = {found.id for found in folders.all("train")}
    assert len(ids) == 2
    assert {found.id for found in folders.all("train")} == ids


def test_folders_of_one_name_are_told_apart_by_their_paths(tmp_path):
    paths = ["x/1/same", "y/1/same", "z/x/1/same", "z/other"]
    for path in paths:
        make_run(tmp_path / path, NAMES, steps=1)
    make_evaluation(tmp_path / "evals" / "other", 0.5)
    roots = [tmp_path / root for root in ("x/1/same", "y/1", "z", "evals")]
    names = {found.folder: found.name for found in Folders(roots).all("train")}
    parent = tmp_path.resolve()
    # "same" twice, then "1/same" twice, then "x/1/same" twice
    assert names == {
        parent / "x/1/same": f"{parent.name}/x/1/same",
        parent / "y/1/same": "y/1/same",
        parent / "z/x/1/same": "z/x/1/same",
        parent / "z/other": "other",
    }
    assert [found.name for found in Folders(roots).all("eval")] == ["other"]


def test_a_run_gets_a_longer_name_when_another_has_the_same(tmp_path, monkeypatch):
    monkeypatch.setattr(studio_folders, "FRESH", 0)
    make_run(tmp_path / "x" / "same", NAMES, steps=1)
    make_evaluation(tmp_path / "x" / "eval", 0.5)
    folders, runs_read, read = (
        Folders([tmp_path / "x", tmp_path / "y"]),
        RunBook(),
        EvaluationBook(),
    )
    run = runs_read.open(folders.find("train", "same"))
    evaluation = read.open(folders.find("eval", "eval"))
    assert (run.found.name, evaluation.found.name) == ("same", "eval")
    make_run(tmp_path / "y" / "same", NAMES, steps=1)
    make_evaluation(tmp_path / "y" / "eval", 0.5)
    assert runs_read.open(folders.find("train", "same")) is run
    assert run.found.name == "x/same"
    renamed = read.open(folders.find("eval", "eval"))
    assert renamed.found.name == "x/eval"
    assert renamed.stored is evaluation.stored  # not read again


def test_what_is_not_ours_to_read_hides_nothing_else(tmp_path, monkeypatch):
    make_run(tmp_path / "good", NAMES, steps=1)
    closed = tmp_path.resolve() / "lost+found"
    closed.mkdir()

    def refused(call):
        def attempted(path=".", *args, **options):
            if f"{path}/".startswith(f"{closed}/"):
                raise PermissionError(errno.EACCES, "Permission denied", str(path))
            return call(path, *args, **options)

        return attempted

    with monkeypatch.context() as system:  # which would refuse nothing to root
        for name in ("stat", "scandir"):
            system.setattr(os, name, refused(getattr(os, name)))
        found = Folders([tmp_path]).all("train")
    assert [each.name for each in found] == ["good"]


def test_a_link_to_itself_hides_nothing_else(tmp_path):
    make_run(tmp_path / "good", NAMES, steps=1)
    os.symlink("loop", tmp_path / "loop")
    assert [found.name for found in Folders([tmp_path]).all("train")] == ["good"]


# Runs.


def opened(folder):
    (found,) = Folders([folder]).all("train")
    return RunBook().open(found)


def test_the_charts_of_a_run_show_its_metrics(tmp_path):
    folder = make_run(tmp_path / "run", NAMES, steps=60)
    run = opened(folder)
    charts = runs.charts([run])
    drawn = {*chart_names(step_table())} - {"grad_norm"}  # which was not measured
    assert set(charts) == {"validation", "levels", *drawn, "time"}
    steps = read_steps(folder)
    assert charts["levels"].x == [step.step for step in steps]
    for series in charts["levels"].series:
        assert series.values == [step.bounds[series.name][1] for step in steps]
    raw, _ = charts["reward"].series
    assert raw.values == pytest.approx([step.reward for step in steps])
    assert charts["accuracy_at_high"].target == 0.9
    assert [s.values for s in charts["validation"].series] == [pytest.approx([0.375, 0.575])] * 2


def test_many_environments_become_a_heat_map(tmp_path):
    names = rlve.environments()[:20]
    chart = runs.charts([opened(make_run(tmp_path / "run", names, steps=50))])["levels"]
    assert sorted(chart.names) == names
    last = dict(zip(chart.names, chart.rows, strict=True))
    assert {name: row[-1] for name, row in last.items()} == {
        name: high for name, (_, high) in metrics(names, 50).bounds.items()
    }
    assert sum(chart.rows[0]) >= sum(chart.rows[-1])


def test_runs_over_each_other_have_a_curve_each(tmp_path):
    folders = [
        make_run(tmp_path / name, NAMES, steps=steps) for name, steps in (("a", 5), ("b", 9))
    ]
    charts = runs.charts([opened(folder) for folder in folders])
    assert charts["accuracy_at_high"].x == list(range(1, 10))
    assert [len(series.values) for series in charts["reward"].series] == [9, 9]
    assert charts["reward"].series[0].values[7:] == [None, None]


def test_a_run_that_grows_is_read_on(tmp_path):
    folder = make_run(tmp_path / "run", NAMES, steps=3)
    run = opened(folder)
    before = run.stamp()
    assert runs.summary(run).steps == 3
    add_step(folder, NAMES, 4)
    assert run.stamp() != before
    assert runs.summary(run).steps == 4
    with (folder / "metrics.jsonl").open("ab") as file:
        file.write(b'{"step": 5, "pro')
    assert runs.summary(run).steps == 4


def test_runs_of_one_name_have_a_curve_each(tmp_path):
    folders = [tmp_path / seed / "run" for seed in ("seed0", "seed1")]
    for steps, folder in enumerate(folders, 5):
        make_run(folder, NAMES, steps=steps)
    found = sorted(Folders(folders).all("train"), key=lambda each: each.folder)
    book = RunBook()
    charts = runs.charts([book.open(each) for each in found])
    assert [series.name for series in charts["reward"].series] == ["seed0/run", "seed1/run"]
    assert [series.name for series in charts["levels"].series] == ["seed0/run", "seed1/run"]
    assert len(charts["validation"].series) == 2


def test_a_run_is_live_while_a_process_works_in_its_folder(tmp_path):
    folder = make_run(tmp_path / "run", NAMES, steps=1)
    run = opened(folder)
    assert not run.live()
    with locked(folder):
        assert run.live()
        assert runs.summary(run).state == "running"
        stamp = run.stamp()
    assert not run.live()
    assert run.stamp() != stamp


def test_a_run_without_a_step_can_be_looked_at(tmp_path):
    folder = make_run(tmp_path / "run", NAMES, steps=1)
    for name in ("metrics.jsonl", "validation.jsonl", "groups.jsonl", "rollouts.jsonl"):
        (folder / name).unlink()
    run = opened(folder)
    assert runs.charts([run]) == {}
    assert runs.summary(run).headline == "No step has finished yet."
    append_line(folder / "metrics.jsonl", StepMetrics(step=1))
    assert runs.charts([run]) is not None


@given(st.lists(st.none() | st.floats(-1, 1), max_size=200), st.integers(1, 40))
def test_averages_are_of_what_is_there(values, parts):
    found = averaged(values, parts)
    reach = max(1, len(values) // (2 * parts))
    for place, value in enumerate(found):
        near = [v for v in values[max(0, place - reach) : place + reach + 1] if v is not None]
        if near:
            assert value == pytest.approx(sum(near) / len(near), rel=1e-3, abs=1e-9)
        else:
            assert value is None


# Rollouts.


@pytest.mark.parametrize(
    ("wanted", "fits"),
    [
        (RolloutFilter(), lambda row: True),
        (RolloutFilter(first=3, last=4), lambda row: row.step in (3, 4)),
        (RolloutFilter(environment="SAT"), lambda row: row.environment == "SAT"),
        (RolloutFilter(difficulty=1), lambda row: row.difficulty == 1),
        (RolloutFilter(outcome="correct"), lambda row: row.verdicts == "cccc"),
        (RolloutFilter(outcome="mixed"), lambda row: row.verdicts == "cwif"),
        (RolloutFilter(outcome="wrong"), lambda row: row.verdicts == "wwww"),
        (RolloutFilter(outcome="failed"), lambda row: "f" in row.verdicts),
        (RolloutFilter(texts_only=True), lambda row: row.sample is not None),
        (RolloutFilter(text="RIGHT 5"), lambda row: row.step == 5 and row.sample is not None),
        (RolloutFilter(text="nowhere"), lambda row: False),
    ],
)
def test_rollouts_are_filtered(tmp_path, wanted, fits):
    run = opened(make_run(tmp_path / "run", NAMES, steps=7))
    everything = rollouts.rows(run)
    assert len(everything) == 21
    assert [row.step for row in everything] == sorted((r.step for r in everything), reverse=True)
    assert list(rollouts.matching(run, wanted)) == [row for row in everything if fits(row)]


def test_a_group_has_its_texts_verdicts_and_advantages(tmp_path):
    run = opened(make_run(tmp_path / "run", NAMES, steps=5))
    (row,) = rollouts.matching(run, RolloutFilter(text="right 5"))
    assert rollouts.find_row(run, row.number) == row
    outputs = rollouts.rollouts(run, row)
    assert [o.letter for o in outputs] == list("cwif")
    assert [o.advantage for o in outputs] == [1.5, 0.5, -2.0, 0.0]
    assert [o.text is not None for o in outputs] == [True, False, True, False]
    assert outputs[3].truncated
    for index in (-1, 10**9):
        with pytest.raises(UserError, match="no group"):
            rollouts.find_row(run, index)


def test_an_early_run_has_the_rollouts_that_it_kept(tmp_path):
    folder = make_run(tmp_path / "run", NAMES, steps=6)
    (folder / "groups.jsonl").unlink()
    run = opened(folder)
    found = rollouts.rows(run)
    assert [row.step for row in found] == [6, 5, 1]
    assert [o.letter for o in rollouts.rollouts(run, found[0])] == ["c", "i"]


# Evaluations.


def test_a_hostile_record_costs_its_own_prompt(tmp_path):
    make_evaluation(tmp_path / "evals" / "hostile", 0.5, seed=1)
    opened = EvaluationBook().open(Folders([tmp_path / "evals"]).find("eval", "hostile"))
    rows = [
        ProblemRow(environment="Trapped", id=how, parameters={"how": how})
        for how in ("well", "loop", "crash")
    ] + [
        ProblemRow(environment="Trapped", id="none"),
        ProblemRow(environment="Nowhere", id="what", parameters={}),
    ]
    with registered(Trapped), Pool(1, deadline=5) as hasty:
        well, *others = evaluations.prompts(hasty, opened, rows)
        assert [well, *others] == evaluations.prompts(hasty, opened, rows)  # remembered
    assert well.startswith("Say yes.")
    for text, reason in zip(others, ("longer than 5 s", "", "parameters", "Nowhere"), strict=True):
        assert text.startswith("(the prompt cannot be shown: ")
        assert reason in text


def test_questions_are_filtered_and_compared(tmp_path, pool):
    make_evaluation(tmp_path / "evals" / "weak", 0.3, seed=1, output="a Word of mine")
    make_evaluation(tmp_path / "evals" / "strong", 0.8, seed=2)
    folders, book = Folders([tmp_path / "evals"]), EvaluationBook()
    weak, strong = (book.open(folders.find("eval", n)) for n in ("weak", "strong"))
    assert book.open(folders.find("eval", "weak")) is weak

    def matching(**wanted):
        return evaluations.matching(pool, weak, QuestionFilter(**wanted))

    for outcome, fits in {
        "right": lambda line: line.correct == line.judged,
        "wrong": lambda line: line.correct == 0,
        "mixed": lambda line: 0 < line.correct < line.judged,
    }.items():
        assert matching(outcome=outcome) == [line for line in weak.lines if fits(line)]
    assert len(matching(text="word OF")) == len(weak.lines)
    assert len(matching(environment="Sorting", difficulty=1)) == 5
    ahead = evaluations.differences(weak, strong, "second")
    behind = evaluations.differences(weak, strong, "first")
    assert all(each.second > each.first for each in ahead)
    assert all(each.first > each.second for each in behind)
    same = sum(a.share == b.share for a, b in zip(weak.lines, strong.lines, strict=True))
    assert len(ahead) + len(behind) + same == len(weak.lines)
    comparison = book.compare(weak, strong)
    assert comparison.evaluations[1].overall.difference > 0


def test_a_comparison_is_of_what_was_read(tmp_path):
    folders = {
        name: make_evaluation(tmp_path / name, skill, seed=1)
        for name, skill in {"a": 0.2, "b": 0.2, "later": 0.9}.items()
    }
    found, book = Folders([tmp_path]), EvaluationBook()

    def accuracy():
        return book.compare(*opened).evaluations[1].overall.value

    def both():
        return [book.open(found.find("eval", name)) for name in "ab"]

    opened = both()
    for name in ("outputs.jsonl", "verdicts.jsonl", "results.json"):  # b goes on meanwhile
        shutil.copy(folders["later"] / name, folders["b"] / name)
        os.utime(folders["b"] / name, ns=(0, 0))
    before = accuracy()
    opened = both()
    assert accuracy() == opened[1].results.overall.accuracy > before


def test_only_some_comparisons_are_remembered(tmp_path, monkeypatch):
    for name, skill in {"a": 0.2, "b": 0.8}.items():
        make_evaluation(tmp_path / name, skill)
    folders, book = Folders([tmp_path]), EvaluationBook()
    one, two = (book.open(folders.find("eval", name)) for name in "ab")
    monkeypatch.setattr(evaluations, "COMPARISONS", 1)
    first = book.compare(one, two)
    assert book.compare(one, two) is first
    book.compare(two, one)
    assert book.compare(one, two) is not first


def test_an_evaluation_that_cannot_be_read_is_named(tmp_path):
    folder = make_evaluation(tmp_path / "e", 0.5)
    (folder / "outputs.jsonl").unlink()
    (folder / "outputs.jsonl").mkdir()
    with pytest.raises(UserError, match=r"e cannot be read: .*outputs\.jsonl"):
        EvaluationBook().open(Folders([tmp_path]).find("eval", "e"))


def test_an_unfinished_evaluation_is_shown_as_far_as_it_is(tmp_path):
    folder = make_evaluation(tmp_path / "evals" / "e", 0.5)
    (folder / "results.json").unlink()
    for name in ("outputs.jsonl", "verdicts.jsonl"):
        lines = (folder / name).read_text().splitlines(keepends=True)
        (folder / name).write_text("".join(lines[:10]))
    found = EvaluationBook().open(Folders([tmp_path]).all("eval")[0])
    assert found.results is None
    assert found.progress == "10 of 80 outputs judged"
    assert sum(line.judged for line in found.lines) == 10


def test_a_plan_cannot_make_the_studio_load_code(tmp_path, pool):
    folder = make_evaluation(tmp_path / "evals" / "e", 0.5)
    plan = json.loads((folder / "plan.json").read_text()) | {"format": "antigravity:fly"}
    (folder / "plan.json").write_text(json.dumps(plan))
    found = EvaluationBook().open(Folders([tmp_path]).all("eval")[0])
    question = found.lines[0].question
    assert evaluations.prompts(pool, found, [question]) == [question.problem().prompt()]


# Environments.


@pytest.mark.parametrize("name", ["Sorting", "GaussianElimination", "SAT"])
def test_the_schedule_is_that_of_the_environment(name):
    cls = rlve.environment(name)
    keys, rows = problems.schedule(cls)
    assert [d for d, _ in rows] == list(range(problems.highest(cls) + 1))
    assert keys == list(cls.level(0)[0])


def test_links_carry_the_state_of_a_page():
    assert Links().page("env", "Sorting", d=0, seed=3) == "/env/Sorting?d=0&seed=3"
    assert Links().page("env", "a/b c") == "/env/a%2Fb%20c"
    exported = Links(exported=True, depth=2)
    assert exported.page("env", "Sorting", d=0) == "../../env/Sorting/index.html"
    assert exported.page() == "../../index.html"
