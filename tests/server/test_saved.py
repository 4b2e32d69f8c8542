"""report.html: the page of a folder as one file, whatever is in it."""

import json
import re
from random import Random

import pytest

import rlve
from rlve.contract import Verdict
from rlve.errors import UserError
from rlve.evaluate.results import read_evaluation, summarise, write_results
from rlve.foundation.files import append_line
from rlve.foundation.metrics import step_table
from rlve.foundation.run_folders import METRICS, ROLLOUTS
from rlve.reports import tell
from rlve.server.studio.evaluations import SHOWN, EvaluationBook, choose_outputs
from rlve.server.studio.folders import Folders
from rlve.server.studio.rollouts import choose_samples
from rlve.server.studio.runs import RunBook
from rlve.server.studio.saved import write_report
from rlve.train.history import GroupSample, SampledOutput
from support import evaluation_folders, run_folders
from support.studio_folders import (
    HOSTILE,
    make_evaluation,
    make_frontiers,
    make_run,
    make_teaching_run,
    metrics,
)


def training(folder):
    return run_folders.run_folder(folder)


def frontier(folder):
    make_frontiers(folder)
    return folder / "strong"


FOLDERS = [
    (training, "folder", "nano climbed from difficulty 0 to 4 in Sorting"),
    (make_teaching_run, "folder", "nano was taught 32 references"),
    (lambda folder: make_evaluation(folder, 0.5), "folder", "m on few: Avg@4 "),
    (frontier, "The frontier of strong &lt;b&gt;", "frontier 9.50"),
]


@pytest.mark.parametrize(("make", "title", "said"), FOLDERS)
def test_the_report_of_a_folder_is_one_file_and_its_own_page(make, title, said, tmp_path):
    folder = make(tmp_path / "folder")
    before = {path.name for path in folder.iterdir()}
    place = write_report(folder)
    assert place == folder / "report.html"
    text = place.read_text()
    assert f"<h1>{title}</h1>" in text
    assert not re.search(r'(src|href)="(?!#)', text)  # it needs no other file
    assert "hx-" not in re.sub(r"<script>.*?</script>", "", text, flags=re.DOTALL)
    assert said in tell(folder)
    assert write_report(folder).read_text() == text
    assert {path.name for path in folder.iterdir()} == before | {"report.html"}


@pytest.mark.parametrize(("count", "steps"), [(0, 20), (1, 1), (3, 1), (12, 20), (40, 1)])
def test_pages_of_every_size(tmp_path, count, steps):
    names = [f"Environment{i}" for i in range(count)]
    folder = run_folders.run_folder(tmp_path / "run", names, steps=steps)
    assert write_report(folder).read_text().count("<noscript>") == 1


@pytest.mark.parametrize(("count", "most"), [(3, 450_000), (16, 450_000), (256, 900_000)])
def test_a_long_run_with_its_samples_is_a_small_file(tmp_path, count, most):
    names, rng = rlve.environments()[:count], Random(count)
    folder = make_run(tmp_path / "run", names, steps=300, text="x" * 2000)
    numbers = [name for name, row in step_table().items() if row.title or row.format == ".1%"]
    steps = [json.loads(line) for line in (folder / METRICS).open()]
    for step in steps:  # each value is another one, as in a real run
        step |= {name: rng.random() for name in numbers if isinstance(step.get(name, 0.0), float)}
        step["accuracy_at_high_of"] = {name: rng.random() for name in names}
        step["drawn"] = {name: {rng.randrange(40): 2, 0: 1} for name in names}
    (folder / METRICS).write_text("".join(json.dumps(step) + "\n" for step in steps))
    text = write_report(folder).read_text()
    assert len(text) < most
    assert text.count("<svg viewBox") > 10  # charts, where scripts do not run
    assert text.count("data:image/png") == (4 if count > 8 else 1)  # and heat maps


def test_what_a_model_wrote_is_escaped_and_shortened(tmp_path):
    folder = make_run(tmp_path / "run", text=HOSTILE + "y" * 10_000)
    evaluation = make_evaluation(tmp_path / "eval", 0.5, output=HOSTILE + "y" * 10_000)
    for place in (folder, evaluation):
        text = write_report(place).read_text()
        assert "<script>document.title" not in text
        assert "&lt;script&gt;document.title" in text
        assert "characters left out" in text


def test_a_run_that_is_over_is_not_called_running(tmp_path, monkeypatch):
    folder = make_run(tmp_path / "run", steps=20, planned=20)
    monkeypatch.setattr("rlve.server.studio.runs.worked_in", lambda folder: True)
    assert 'data-text="state">finished<' in write_report(folder, ended=True).read_text()
    # Somebody else asks during the run.
    assert (
        'data-text="state">running<'
        in write_report(make_run(tmp_path / "live", steps=20)).read_text()
    )


def test_samples_show_then_and_now_if_there_is_room(tmp_path):
    def chosen(name, listed):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "config.json").write_text(
            json.dumps({"kind": "train", "policy": {}, "data": {}, "rollout": {}, "run": {}})
        )
        append_line(folder / METRICS, metrics(["SAT", "Sorting"], 80))
        for step, environment in listed:
            output = SampledOutput("1", Verdict(1.0, True, True), 0, 1.0)
            append_line(
                folder / ROLLOUTS,
                GroupSample(
                    step=step,
                    environment=environment,
                    difficulty=0,
                    seed=step,
                    prompt="?",
                    reference=None,
                    rewards=[1.0],
                    best=output,
                    worst=output,
                ),
            )
        (found,) = Folders([folder]).all("train")
        return [(each.environment, each.step) for each in choose_samples(RunBook().open(found))]

    few = [(step, name) for step in (1, 10, 20) for name in ("SAT", "Sorting")]
    assert chosen("few", few) == [("SAT", 1), ("SAT", 20), ("Sorting", 1), ("Sorting", 20)]
    many = [(step, f"E{i}") for step in (1, 20) for i in range(9)]
    assert [step for _, step in chosen("many", many)] == [20] * 6


def test_outputs_are_chosen_from_all_over_an_evaluation(tmp_path):
    make_evaluation(tmp_path / "eval", 0.5)
    (found,) = Folders([tmp_path / "eval"]).all("eval")
    chosen = choose_outputs(EvaluationBook().open(found))
    assert len({(line.number, answer.sample) for line, (answer,) in chosen}) == SHOWN
    assert {line.question.environment for line, _ in chosen} == set(evaluation_folders.NAMES)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "is not the folder of a training run, a run of teaching"),
        ({"config.json": {"policy": {}}}, "is not the folder of"),
        ({"plan.json": {"suite": "x"}}, "is not the folder of"),
        (
            {
                "config.json": {"kind": "train"},
                "plan.json": {"suite": "x", "model": "m", "sampling": {}},
            },
            "is the folder of a training run and of an evaluation",
        ),
    ],
)
def test_what_is_none_of_them_or_several_is_left_alone(files, message, tmp_path):
    for name, content in files.items():
        (tmp_path / name).write_text(json.dumps(content))
    (tmp_path / "report.html").write_text("precious")
    with pytest.raises(UserError, match=message):
        write_report(tmp_path)
    assert (tmp_path / "report.html").read_text() == "precious"


def test_damaged_missing_and_unfinished_folders_are_named(tmp_path):
    with pytest.raises(UserError, match="there is no folder"):
        write_report(tmp_path / "none")
    (tmp_path / "config.json").write_text("{")
    with pytest.raises(UserError, match=r"config\.json is damaged"):
        write_report(tmp_path)
    folder = training(tmp_path / "run")
    (folder / "metrics.jsonl").write_text("")
    with pytest.raises(UserError, match="no finished step"):
        write_report(folder)
    evaluation_folders.write(tmp_path / "evaluation", 0.5)
    write_results(tmp_path / "evaluation", summarise(read_evaluation(tmp_path / "evaluation")))
    (tmp_path / "evaluation" / "verdicts.jsonl").write_text("")
    with pytest.raises(UserError, match="verdicts are missing"):
        write_report(tmp_path / "evaluation")
