"""What the studio's pages are made from."""

import errno
import json
import os
import re
from pathlib import Path
from statistics import fmean

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rlve
from rlve.datasets.rows import ProblemRow
from rlve.errors import UserError
from rlve.foundation import files
from rlve.foundation.files import append_line, last_lines
from rlve.foundation.intervals import change_interval, over_answers, over_problems, wilson
from rlve.foundation.metrics import step_table
from rlve.foundation.run_folders import locked
from rlve.pool import Pool
from rlve.registry import registered
from rlve.reports import pages as reports
from rlve.reports.live import TrainingProgress
from rlve.reports.pages import duration, templates
from rlve.server.studio import evaluations, problems, rollouts, runs, svg
from rlve.server.studio import folders as studio_folders
from rlve.server.studio.charts import Axis, Chart, HeatMap, Series, steps_per_point, thin, thin_last
from rlve.server.studio.evaluations import EvaluationBook, QuestionFilter
from rlve.server.studio.folders import Folders, NotThere
from rlve.server.studio.pages import Links, embed, place_in
from rlve.server.studio.rollouts import RolloutFilter
from rlve.server.studio.run_charts import SECTIONS, draw_runs
from rlve.server.studio.run_table import RunFilter, choices, groups, select
from rlve.server.studio.runs import RunBook
from rlve.server.studio.safe_text import harmless
from rlve.server.studio.tails import Tail
from rlve.train.config import Config, DataConfig, RunConfig
from rlve.train.history import Accuracy, StepMetrics, read_steps, read_validations
from rlve.train.validation import ValidationPlan
from support.misbehaving import Trapped
from support.studio_folders import ANSI, add_step, make_evaluation, make_run, metrics

NAMES = ("Sorting", "SAT")
REPORTS = Path(reports.__file__).parent
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


def test_a_damaged_line_is_named_and_costs_that_line_alone(tmp_path):
    path = tmp_path / "lines.jsonl"
    path.write_text('{"n": 1}\nnonsense\n{"n": 3}\n')
    growing = Tail(path, Line)
    assert [line.n for line in growing.read()] == [1, 3]
    assert growing.line(1) == b'{"n": 3}\n'
    (damage,) = growing.damage
    assert damage.startswith("lines.jsonl, line 2, is damaged")
    growing.read()
    assert len(growing.damage) == 1
    path = make_run(tmp_path / "run", steps=3) / "metrics.jsonl"
    path.write_text(path.read_text().replace('"step":2', '"step":1000000000000'))
    metrics = Tail(path, StepMetrics)
    assert [each.step for each in metrics.read()] == [1, 3]
    assert metrics.damage[0].startswith("metrics.jsonl, line 2, is damaged")


@pytest.mark.parametrize("most", [1, 3, 10])
def test_the_end_of_a_file_is_read_without_the_rest(tmp_path, monkeypatch, most):
    monkeypatch.setattr(files, "END", 20)  # bytes
    path = tmp_path / "lines.jsonl"
    assert last_lines(path, Line, most) == []
    whole = "".join(f'{{"n": {n}}}\n' for n in range(5))
    for end in range(len(whole) + 1):
        path.write_text(whole[:end])
        numbers = range(whole[:end].count("\n"))
        read = [n for n in numbers if end <= 20 or n * len('{"n": 0}\n') > end - 20]
        assert [line.n for line in last_lines(path, Line, most)] == read[-most:]


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
    text = str(embed(value))
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
    assert folders.find("deep-er-b", "train").name == "deep/er/b"


def test_no_path_of_a_request_is_looked_up(tmp_path):
    make_run(tmp_path / "given" / "a", NAMES, steps=1)
    make_run(tmp_path / "other" / "b", NAMES, steps=1)
    folders = Folders([tmp_path / "given"])
    for name in ("b", "../other/b", str(tmp_path / "other" / "b"), "a/../a", "", ".", "/"):
        with pytest.raises(NotThere):
            folders.find(name, "train")


def test_links_that_lead_out_are_not_followed(tmp_path):
    outside = make_run(tmp_path / "outside", NAMES, steps=1)
    inside = make_run(tmp_path / "given" / "a", NAMES, steps=1)
    os.symlink(outside, tmp_path / "given" / "link")
    folders = Folders([tmp_path / "given"])
    assert [found.name for found in folders.all("train")] == ["a"]
    (inside / "metrics.jsonl").unlink()
    os.symlink(outside / "metrics.jsonl", inside / "metrics.jsonl")
    with pytest.raises(UserError, match="is a link out of the folder"):
        RunBook().open(folders.find("a", "train"))


def test_folders_of_one_name_are_told_apart_by_their_paths(tmp_path):
    paths = ["x/1/same", "y/1/same", "z/x/1/same", "z/other"]
    for path in paths:
        make_run(tmp_path / path, NAMES, steps=1)
    make_evaluation(tmp_path / "evals" / "other", 0.5)
    roots = [tmp_path / root for root in ("x/1/same", "y/1", "z", "evals")]
    folders = Folders(roots)
    names = {found.folder: found.name for found in folders.all("train")}
    parent = tmp_path.resolve()
    # "same" twice, then "1/same" twice, then "x/1/same" twice
    assert names == {
        parent / "x/1/same": f"{parent.name}/x/1/same",
        parent / "y/1/same": "y/1/same",
        parent / "z/x/1/same": "z/x/1/same",
        parent / "z/other": "other",
    }
    assert [found.name for found in folders.all("eval")] == ["other"]
    ids = {found.id for found in folders.all("train")}
    assert len(ids) == len(paths)
    assert {found.id for found in folders.all("train")} == ids


def test_a_run_gets_a_longer_name_when_another_has_the_same(tmp_path, monkeypatch):
    monkeypatch.setattr(studio_folders, "FRESH", 0)
    make_run(tmp_path / "x" / "same", NAMES, steps=1)
    make_evaluation(tmp_path / "x" / "eval", 0.5)
    folders, runs_read, read = (
        Folders([tmp_path / "x", tmp_path / "y"]),
        RunBook(),
        EvaluationBook(),
    )
    run = runs_read.open(folders.find("same", "train"))
    evaluation = read.open(folders.find("eval", "eval"))
    assert (run.found.name, evaluation.found.name) == ("same", "eval")
    make_run(tmp_path / "y" / "same", NAMES, steps=1)
    make_evaluation(tmp_path / "y" / "eval", 0.5)
    assert runs_read.open(folders.find("same", "train")) is run
    assert run.found.name == "x/same"
    assert read.open(folders.find("eval", "eval")).found.name == "x/eval"


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


def draw(*folders, **options):
    opened_runs = [opened(folder) for folder in folders]
    colours = {run.found.id: i + 3 for i, run in enumerate(opened_runs)}
    return draw_runs(opened_runs, colours, **options)


def row_of(folder):
    (found,) = Folders([folder]).all("train")
    return RunBook().row(found)


def test_the_charts_of_a_run_show_everything_it_recorded(tmp_path):
    folder = make_run(tmp_path / "run", NAMES, steps=60)
    drawn = draw(folder)
    charts, steps = drawn.charts, read_steps(folder)
    unmeasured = {"grad_norm", "turns"}
    assert {name for name, row in step_table().items() if row.title} - unmeasured <= set(charts)
    assert {"validation", "validation_of", "validation_at", "levels", "time"} <= set(charts)
    assert {"accuracy", "tokens", "accuracy_at_high_of"} <= set(charts)  # which have no title
    assert {chart.section for chart in charts.values()} <= set(SECTIONS)
    assert drawn.axes["0"].step == [step.step for step in steps]
    assert drawn.axes["0"].tokens == [1000 * step.step for step in steps]
    assert drawn.axes["0"].seconds == [2 * step.step for step in steps]
    for series in charts["levels"].series:
        assert series.values == [step.bounds[series.name][1] for step in steps]
    (raw,) = charts["reward"].series
    assert raw.values == pytest.approx([step.reward for step in steps])
    assert charts["accuracy_at_high"].target == 0.9
    assert [s.values for s in charts["validation"].series] == [pytest.approx([0.375, 0.5625])] * 2
    for series in charts["validation"].series:
        assert series.low[1] < 0.5625 < series.high[1]
    assert drawn.axes["0v"].step == [0, 60]
    assert [s.values for s in charts["validation_at"].series] == [[0.5, 0.875], [0.25, 0.25]]


def test_many_environments_become_a_heat_map(tmp_path):
    names = rlve.environments()[:20]
    charts = draw(make_run(tmp_path / "run", names, steps=50)).charts
    chart = charts["levels_of"]
    assert sorted(chart.names) == names
    last = dict(zip(chart.names, chart.rows, strict=True))
    assert {name: row[-1] for name, row in last.items()} == {
        name: high for name, (_, high) in metrics(names, 50).bounds.items()
    }
    assert sum(chart.rows[0]) >= sum(chart.rows[-1])
    assert charts["accuracy_at_high_of"].rows[0] == [0.5] * 50
    (mean,) = charts["levels"].series
    highs = [high for _, high in metrics(names, 50).bounds.values()]
    assert (mean.low[-1], mean.high[-1]) == (min(highs), max(highs))
    assert mean.values[-1] == pytest.approx(fmean(highs))
    assert [name for name, each in charts.items() if each.section == "key"] == [
        "validation", "reward", "levels", "accuracy_at_high",
    ]  # fmt: skip


def test_runs_over_each_other_have_a_curve_and_a_colour_each(tmp_path):
    folders = [
        make_run(tmp_path / name, NAMES, steps=steps, seed=steps)
        for name, steps in (("a", 5), ("b", 9))
    ]
    drawn = draw(*folders)
    assert drawn.runs == {"0": "a", "1": "b"}
    for chart in drawn.charts.values():
        assert {series.name: series.colour for series in chart.series} == {"a": 3, "b": 4}
    assert [len(series.values) for series in drawn.charts["reward"].series] == [5, 9]
    (mean,) = draw(*folders, seeds=True).charts["reward"].series
    assert (mean.name, mean.colour) == ("a and 1 more", 3)
    assert len(mean.values) == len(mean.low) == len(mean.high) == 9


def test_long_runs_are_thinned_and_say_so(tmp_path, monkeypatch):
    monkeypatch.setattr("rlve.server.studio.charts.POINTS", 10)
    drawn = draw(make_run(tmp_path / "run", NAMES, steps=25))
    assert drawn.axes["0"].step == [3, 6, 9, 12, 15, 18, 21, 24, 25]
    (reward,) = drawn.charts["reward"].series
    assert reward.values[:2] == pytest.approx([2 / 400, 5 / 400])
    assert drawn.charts["reward"].note.endswith("Each point is the mean of 3 steps.")


@given(st.lists(st.none() | st.floats(-1, 1), max_size=50), st.integers(1, 9))
def test_a_point_is_the_mean_of_what_is_there(values, each):
    parts = [values[i : i + each] for i in range(0, len(values), each)]
    assert len(thin(values, each)) == len(parts) == len(thin_last(values, each))
    for part, mean, last in zip(parts, thin(values, each), thin_last(values, each), strict=True):
        known = [value for value in part if value is not None]
        assert last == part[-1]
        expected = sum(known) / len(known) if known else None
        assert mean == (None if expected is None else pytest.approx(expected, rel=1e-3, abs=1e-9))
    assert steps_per_point(len(values)) == 1


def test_a_run_that_grows_is_read_on(tmp_path):
    folder = make_run(tmp_path / "run", NAMES, steps=3)
    run = opened(folder)
    before = run.stamp()
    assert row_of(folder).steps == 3
    add_step(folder, NAMES, 4)
    assert run.stamp() != before
    assert row_of(folder).steps == 4
    with (folder / "metrics.jsonl").open("ab") as file:
        file.write(b'{"step": 5, "pro')
    assert row_of(folder).steps == 4


def test_a_run_is_live_while_a_process_works_in_its_folder_and_stalls_without_news(tmp_path):
    folder = make_run(tmp_path / "run", NAMES, steps=3)
    run = opened(folder)
    assert not run.live()
    assert row_of(folder).state == "stopped"
    with locked(folder):
        assert run.live()
        assert row_of(folder).state == "running"
        stamp = run.stamp()
        for file in ("config.json", "metrics.jsonl", "validation.jsonl"):
            os.utime(folder / file, (0, 0))
        assert row_of(folder).state == "stalled"
    assert not run.live()
    assert run.stamp() != stamp
    assert row_of(make_run(tmp_path / "done", NAMES, steps=3, planned=3)).state == "finished"


def test_a_strip_says_what_the_terminal_does(tmp_path):
    folder = make_run(tmp_path / "run", NAMES, steps=30, planned=60)
    records = [json.loads(line) for line in (folder / "validation.jsonl").open()]
    every = [records[0] | {"step": step, "seconds": 40.0} for step in (0, 15, 30)]
    (folder / "validation.jsonl").write_text("".join(json.dumps(r) + "\n" for r in every))
    steps = [json.loads(line) for line in (folder / "metrics.jsonl").open()]
    for step in steps:
        step["drawn"] = {"Sorting": {0: 5, 1: 3}, "SAT": {0: 4}}
    (folder / "metrics.jsonl").write_text("".join(json.dumps(step) + "\n" for step in steps))
    config = Config(data=DataConfig(environments=NAMES), run=RunConfig(steps=60))
    plan = ValidationPlan(NAMES, (), 8, 15)
    terminal = TrainingProgress(
        config, read_steps(folder), read_validations(folder), clock=lambda: 0.0, plan=plan
    )
    assert terminal.left == 30 * 2.0 + 2 * 40.0
    with locked(folder):
        shown = runs.summary(opened(folder), row_of(folder)).numbers
    assert shown["time left, about"] == duration(terminal.left)
    assert shown["next measurement"] == "step 45"
    # 3 and 4 problems at h in each of 10 steps, whose accuracy the terminal has as 60%.
    low, high = (100 * end for end in wilson(0.6, 70).ends)
    assert shown["accuracy at h, last 10 steps"] == f"60.0% ({low:.1f} to {high:.1f}), n = 70"
    assert terminal.numbers()["accuracy at h"] == "60%"
    climbs = runs.tables(opened(folder)).climbs
    assert climbs.rows[0][-2:] == ("50% (23 to 77), n = 9", "50% (23 to 77), n = 9")


def test_the_reward_that_was_trained_on_is_drawn_where_it_differs(tmp_path):
    folders = [make_run(tmp_path / name, NAMES, steps=3) for name in ("shaped", "correct")]
    config = json.loads((folders[1] / "config.json").read_text())
    config["rollout"]["signal"] = "correct"
    (folders[1] / "config.json").write_text(json.dumps(config))
    (only,) = draw(folders[0]).charts["reward"].series
    assert only.name == "Reward"
    shaped, trained = draw(folders[1]).charts["reward"].series
    assert (shaped.name, trained.name) == ("shaped", "trained on")
    groups = opened(folders[1]).groups.read()
    by_step = [fmean(row.reward for row in groups if row.step == step) for step in (1, 2, 3)]
    assert trained.values == pytest.approx(by_step, rel=1e-3)
    assert shaped.values == pytest.approx([step / 400 for step in (1, 2, 3)])
    both = draw(*folders).charts["reward"].series
    assert [each.name for each in both] == ["shaped", "correct", "correct, trained on"]


def test_a_run_without_a_step_can_be_looked_at(tmp_path):
    folder = make_run(tmp_path / "run", NAMES, steps=1)
    for name in ("metrics.jsonl", "validation.jsonl", "groups.jsonl", "rollouts.jsonl"):
        (folder / name).unlink()
    assert draw(folder).charts == {}
    assert runs.summary(opened(folder), row_of(folder)).headline == "No step has finished yet."
    append_line(folder / "metrics.jsonl", StepMetrics(step=1))
    assert draw(folder).charts


def test_the_table_of_runs_is_searched_and_sorted(tmp_path):
    for name, steps, seed in (("b-sat", 3, 2), ("a-sorting", 9, 1), ("c-sorting", 6, 3)):
        make_run(tmp_path / name, [name.partition("-")[2]], steps=steps, seed=seed)
    rows = [RunBook().row(found) for found in Folders([tmp_path]).all("train")]

    def names(**wanted):
        return [row.name for row in select(rows, RunFilter(**wanted))]

    assert names(q="SORTING nano", sort="name") == ["a-sorting", "c-sorting"]
    assert names(sort="-steps") == ["a-sorting", "c-sorting", "b-sat"]
    assert names(sort="seed") == ["a-sorting", "b-sat", "c-sorting"]
    assert names(state="running") == []
    assert sorted(names(sort="-loss")) == sorted(row.name for row in rows)  # none has one
    with pytest.raises(UserError, match="no column 'nothing'"):
        names(sort="nothing")
    (row,) = (row for row in rows if row.name == "b-sat")
    assert str(row.before) == "37.5% (18.5 to 61.4), n = 16"
    assert row.change.estimate == pytest.approx(0.1875)
    assert row.change.low < row.change.estimate < row.change.high


def test_no_interval_of_an_accuracy_is_of_zero_width(tmp_path):
    def measured(**solved):
        shares = {
            name: {d: marks.count("1") / len(marks) for d, marks in levels.items()}
            for name, levels in solved.items()
        }
        return Accuracy(
            temperature=0.6, by_level=shares, solved=solved, ill_formed=0, truncated=0, tokens=9
        )

    def tested(**solved):
        return runs.accuracy_on(measured(**solved), list(solved))

    def ends(**solved):
        found = tested(**solved)
        return found.low, found.high

    nothing = {name: dict.fromkeys(range(4), "0" * 8) for name in (f"E{i}" for i in range(19))}
    assert str(tested(**nothing)) == "0.0% (0.0 to 0.6), n = 608"
    assert "66.7 to 66.7" not in str(tested(A={0: "1" * 8, 4: "0" * 8}, B={0: "11"}))
    assert ends(A={0: "1100"}) == wilson(0.5, 4).ends  # of one environment
    assert ends(A={0: "1"}, B={0: "0"}) == wilson(0.5, 2).ends
    mixed = {"A": {0: "1100"}, "B": {0: "1000"}}
    strata = [
        [float(mark) for mark in marks] for levels in mixed.values() for marks in levels.values()
    ]
    assert ends(**mixed) == pytest.approx(over_problems(strata).ends)


def test_no_interval_of_a_change_goes_beyond_what_is_possible():
    after, before = [[1.0] * 4 + [0.0] * 4], [[0.0] * 8]
    found = over_answers(after, before, ["A"] * 4 + ["B"] * 4)
    assert (found.estimate, found.low, found.high) == (0.5, -1.0, 1.0)
    assert change_interval(1, 0, 1)[1] == 1.0


def test_groups_of_runs_have_means_and_say_of_what(tmp_path):
    for name, group, seed in (("a", 8, 0), ("b", 16, 1), ("c", 8, 2)):
        folder = make_run(tmp_path / name, [name], steps=seed + 1, seed=seed)
        config = json.loads((folder / "config.json").read_text())
        config["rollout"]["group"] = group
        (folder / "config.json").write_text(json.dumps(config))
    rows = [RunBook().row(found) for found in Folders([tmp_path]).all("train")]
    assert choices(rows) == ["data.environments", "rollout.group"]
    wanted = RunFilter(
        by="rollout.group", sort="name", columns=["steps", "result", "change", "seed"]
    )
    chosen = select(rows, wanted)
    assert [row.name for row in chosen] == ["a", "c", "b"]
    assert wanted.query()["by"] == "rollout.group"
    first, second = groups(chosen, wanted).values()
    assert wanted.shown == ["result", "change", "steps", "seed"]
    assert first == ("8", 2, ["56.2%", "+18.8", "2 (1 to 3)", ""])
    assert second == ("16", 1, ["56.2%", "+18.8", "2", ""])
    assert groups(chosen, RunFilter()) == {}
    with pytest.raises(UserError, match="no column 'nothing'"):
        select(rows, RunFilter(by="nothing"))


def test_every_warning_leads_somewhere():
    macros = templates().get_template("concerns.txt").module
    values = {
        "steps": 3, "prompts": 9, "accuracy": 0.95, "share": 0.6, "value": 0.2, "entropy": 0.01,
        "change": -0.1, "temperature": 1.0, "name": "SAT",
        "kind": "deadline", "where": ["SAT"], "more": 0,
    }  # fmt: skip
    found = {}
    for name in re.findall(r"macro (\w+)\(", (REPORTS / "templates/concerns.txt").read_text()):
        if name != "without_signal":  # a part of others
            macro = getattr(macros, name)
            found[name] = runs.lead(str(macro(**{each: values[each] for each in macro.arguments})))
    assert all(found.values()), found
    assert found["one_answer"][1] == "/failures"
    assert found["signal"] == found["no_signal"]
    assert "signal=no" in found["signal"][1]
    assert {found["fall"][1], found["fall_elsewhere"][1]} == {"#chart-validation"}
    assert found["truncated"][1] == "/rollouts?outcome=cut-off"


def test_axes_fit_what_they_show():
    def up(values, **options):
        chart = Chart(title="", series=[Series("a", values, axis="0")], **options)
        axes = {"0": Axis(range(len(values)), [], [])}
        return svg.ends(chart, svg.arrange(chart, axes, 0))

    low, high = up([0.50, 0.52], scale="share")  # two points can be seen
    assert 0.49 < low < 0.5 < 0.52 < high < 0.53
    assert up([0.05, 0.97], scale="share") == (0, 1)
    assert up([1.0, 1.0], scale="share") == pytest.approx((0.995, 1))
    assert up([0.6, None], scale="share", target=0.9)[1] > 0.9
    assert up([0.1, 0.2])[0] == 0
    assert up([-1, 1])[0] < -1
    assert up([0, 3], scale="level") == (0, 3.2)
    written = {0.0: "0", 0.0012: "0.0012", 12345.6: "12,350"}
    written |= {5.8e-7: "5.8e-7", -0.0001234: "-1.234e-4", 1234567.0: "1.235e6"}
    assert {value: svg.write(value, "number") for value in written} == written


def test_one_level_alone_is_no_map(tmp_path):
    folder = make_run(tmp_path / "run", NAMES, steps=5)
    for levels in ({0: 2}, {0: 2, 1: 1}):
        steps = [json.loads(line) for line in (folder / "metrics.jsonl").open()]
        lines = [json.dumps(step | {"drawn": {"SAT": levels}}) + "\n" for step in steps]
        (folder / "metrics.jsonl").write_text("".join(lines))
        drawn = draw(folder).charts["drawn"]
        assert isinstance(drawn, HeatMap) == (len(levels) > 1)
        assert drawn.section == ("curriculum" if len(levels) > 1 else "constant")


def test_what_differs_in_the_settings_of_runs():
    one = {"run": {"seed": 0, "folder": "a"}, "data": {"environments": ["C1", "C4"], "rest": None}}
    two = {"run": {"seed": 1, "folder": "b"}, "data": {"environments": ["C4"], "rest": None}}
    assert runs.differences([one, two]) == {
        "run.seed": ["0", "1"],
        "data.environments": ["C1, C4", "C4"],
    }
    assert runs.alike(one) != runs.alike(two)
    assert runs.alike(one) == runs.alike(one | {"run": {"seed": 7, "folder": "c"}})


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
        (RolloutFilter(outcome="wrong"), lambda row: row.verdicts == "wwwt"),
        (RolloutFilter(outcome="failed"), lambda row: "f" in row.verdicts),
        (RolloutFilter(text="RIGHT 5"), lambda row: row.step == 5 and row.verdicts == "cwif"),
        (RolloutFilter(text="nowhere"), lambda row: False),
        (RolloutFilter(signal="yes"), lambda row: row.verdicts == "cwif"),
        (RolloutFilter(outcome="cut-off"), lambda row: "t" in row.verdicts),
        (RolloutFilter(least=0.25, most=0.9), lambda row: row.verdicts == "wwwt"),
    ],
)
def test_rollouts_are_filtered(tmp_path, wanted, fits):
    run = opened(make_run(tmp_path / "run", NAMES, steps=7))
    everything = rollouts.find_groups(run, RolloutFilter(order="latest"))
    assert len(everything) == 21
    assert [row.step for row in everything] == sorted((r.step for r in everything), reverse=True)
    wanted = msgspec.structs.replace(wanted, order="latest")
    assert rollouts.find_groups(run, wanted) == [row for row in everything if fits(row)]


def test_rollouts_with_texts_come_first_and_each_has_its_neighbours(tmp_path):
    run = opened(make_run(tmp_path / "run", NAMES, steps=7))
    usual = rollouts.with_texts(run, rollouts.find_groups(run, RolloutFilter()))
    assert [row.sample is not None for row in usual] == [True] * 3 + [False] * 18
    assert [row.step for row in usual[:3]] == [6, 5, 1]
    rewards = [row.reward for row in rollouts.find_groups(run, RolloutFilter(order="lowest"))]
    assert rewards == sorted(rewards)
    wanted = RolloutFilter(outcome="mixed", order="latest")
    numbers = [row.number for row in rollouts.find_groups(run, wanted)]
    assert place_in(numbers, numbers[0]) == (1, 7, None, numbers[1])
    assert place_in(numbers, numbers[-1]).next is None
    wrong = [row.number for row in rollouts.find_groups(run, RolloutFilter(outcome="wrong"))]
    assert place_in(wrong, numbers[0]) is None


def test_a_group_has_its_texts_verdicts_and_advantages(tmp_path):
    run = opened(make_run(tmp_path / "run", NAMES, steps=5))
    (row,) = rollouts.find_groups(run, RolloutFilter(text="right 5"))
    (row,) = rollouts.with_texts(run, [row])
    assert rollouts.find_row(run, row.number) == row
    outputs = rollouts.rollouts(run, row)
    assert [o.letter for o in outputs] == list("cwif")
    assert [o.advantage for o in outputs] == [1.5, 0.5, -2.0, 0.0]
    assert [o.text is not None for o in outputs] == [True, False, True, False]
    assert outputs[3].truncated
    for index in (-1, 10**9):
        with pytest.raises(UserError, match="no group"):
            rollouts.find_row(run, index)


# Evaluations.


def test_a_hostile_record_costs_its_own_prompt(tmp_path):
    make_evaluation(tmp_path / "evals" / "hostile", 0.5, seed=1)
    opened = EvaluationBook().open(Folders([tmp_path / "evals"]).find("hostile", "eval"))
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
    weak, strong = (book.open(folders.find(n, "eval")) for n in ("weak", "strong"))
    assert book.open(folders.find("weak", "eval")) is weak

    def matching(**wanted):
        return evaluations.find_questions(pool, weak, QuestionFilter(**wanted))

    for outcome, fits in {
        "correct": lambda line: line.correct == line.judged,
        "wrong": lambda line: line.correct == 0,
        "mixed": lambda line: 0 < line.correct < line.judged,
    }.items():
        assert matching(outcome=outcome) == [line for line in weak.lines if fits(line)]
    assert len(matching(text="word OF")) == len(weak.lines)
    assert len(matching(environment="Sorting", difficulty=1)) == 5
    ahead = evaluations.differences(weak, strong, "second")
    behind = evaluations.differences(weak, strong, "first")
    assert all(one.question == two.question and two.share > one.share for one, two in ahead)
    assert all(one.share > two.share for one, two in behind)
    same = sum(a.share == b.share for a, b in zip(weak.lines, strong.lines, strict=True))
    assert len(ahead) + len(behind) + same == len(weak.lines)
    comparison = evaluations.compare_two(weak, strong)
    assert comparison.evaluations[1].overall.difference > 0


def test_an_evaluation_that_cannot_be_read_is_named(tmp_path):
    folder = make_evaluation(tmp_path / "e", 0.5)
    (folder / "outputs.jsonl").unlink()
    (folder / "outputs.jsonl").mkdir()
    with pytest.raises(UserError, match=r"e cannot be read: .*outputs\.jsonl"):
        EvaluationBook().open(Folders([tmp_path]).find("e", "eval"))


def test_every_accuracy_of_an_evaluation_has_an_interval(tmp_path):
    folder = make_evaluation(tmp_path / "e", 0.5, samples=4)
    found = EvaluationBook().open(Folders([folder]).all("eval")[0])
    assert list(found.by_k) == ["Avg@4", "Pass@1", "Pass@2", "Pass@4"]
    overall = found.results.overall
    assert found.by_k["Pass@1"][:3] == pytest.approx(found.by_k["Avg@4"][:3])
    for k, value in overall.pass_at.items():
        share = found.by_k[f"Pass@{k}"]
        assert share.value == pytest.approx(value)
        assert share.low < value < share.high or share.low == 0 or share.high == 1
    (folder / "verdicts.jsonl").write_text("")  # its results are of files that are gone
    assert EvaluationBook().open(Folders([folder]).all("eval")[0]).by_k == {}


def test_a_plan_cannot_make_the_studio_load_code(tmp_path, pool):
    folder = make_evaluation(tmp_path / "evals" / "e", 0.5)
    plan = json.loads((folder / "plan.json").read_text()) | {"format": "antigravity:fly"}
    (folder / "plan.json").write_text(json.dumps(plan))
    found = EvaluationBook().open(Folders([tmp_path]).all("eval")[0])
    question = found.lines[0].question
    assert evaluations.prompts(pool, found, [question]) == [question.problem().prompt()]


# Environments.


def test_the_levels_of_every_environment_are_shown():
    for name in rlve.environments():
        cls = rlve.environment(name)
        keys, rows = problems.schedule(cls)
        shown, end = [d for d, _ in rows], problems.highest(cls)
        assert shown[:21] == list(range(min(20, end) + 1))
        assert shown == sorted({*shown})
        assert shown[-1] == end
        assert keys
        assert all(len(cells) == len(keys) for _, cells in rows)


def test_links_carry_the_state_of_a_page():
    assert Links().page("env", "Sorting", d=0, seed=3) == "/env/Sorting?d=0&seed=3"
    assert Links().page("env", "a/b c") == "/env/a%2Fb%20c"
    assert Links().page() == "/"
