"""That every folder gets its own report, and no other."""

import json

import pytest

from rlve.curricula import CurriculumSettings
from rlve.errors import UserError
from rlve.evaluate.results import read_evaluation, summarise, write_results
from rlve.reports import draw, figures, tell
from rlve.run_folders import run_kind
from rlve.studies.simulation import SimulationPlan, simulate_into
from support import evaluation_folders, experiment_folders, run_folders


@pytest.fixture(autouse=True)
def small_pictures(monkeypatch):
    monkeypatch.setattr(figures, "DPI", 20)


def training(folder):
    return run_folders.run_folder(folder)


def evaluation(folder):
    evaluation_folders.write(folder, 0.5)
    write_results(folder, summarise(read_evaluation(folder)))
    return folder


def simulation(folder):
    settings = (CurriculumSettings(), CurriculumSettings(static=(0, 3)))
    names = ("Sorting", "Division")
    plan = SimulationPlan(names=names, settings=settings, steps=2, problems=4, rollouts=2)
    simulate_into(folder, plan)
    return folder


def experiment(folder):
    return experiment_folders.half_done(folder)


FOLDERS = [
    (training, "a training run", "Training nano", "nano climbed from difficulty 0 to 4 in Sorting"),
    (evaluation, "an evaluation", "m on few", "m on few: Avg@4 "),
    (simulation, "a simulation", "Simulated curricula", "Effective prompts after 2"),
    (experiment, "an experiment", "Adaptive against static difficulty", "Sorting, after 4 steps:"),
]


@pytest.mark.parametrize(("make", "name", "title", "said"), FOLDERS)
def test_the_report_of_a_folder_is_that_of_what_it_is(make, name, title, said, tmp_path):
    folder = make(tmp_path / "folder")
    assert run_kind(folder).what == name
    place = draw(folder)
    assert place == folder / "report.html"
    text = place.read_text()
    assert f"<h1>{title}</h1>" in text
    assert "data:image/png;base64," in text
    assert said in tell(folder)
    assert draw(folder).read_text() == text
    assert run_kind(folder).what == name


def test_a_cell_of_an_experiment_is_a_training_run(tmp_path):
    folder = experiment(tmp_path / "folder")
    cell = folder / "cells" / "Sorting" / "adaptive" / "0"
    (cell / "config.json").write_text((training(tmp_path / "run") / "config.json").read_text())
    assert run_kind(cell).what == "a training run"


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (
            {},
            "is not the folder of a training run, a run of teaching, a simulation, an "
            "evaluation, a frontier or an experiment",
        ),
        ({"config.json": {"policy": {}}}, "is not the folder of"),
        ({"plan.json": {"suite": "x"}}, "is not the folder of"),
        (
            {
                "config.json": {"policy": {}, "data": {}, "rollout": {}},
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
        draw(tmp_path)
    assert (tmp_path / "report.html").read_text() == "precious"


def test_damaged_and_missing_folders_are_named(tmp_path):
    with pytest.raises(UserError, match="there is no folder"):
        draw(tmp_path / "none")
    (tmp_path / "config.json").write_text("{")
    with pytest.raises(UserError, match=r"config\.json is damaged"):
        draw(tmp_path)


def test_what_has_not_begun_or_is_not_finished_is_said(tmp_path):
    folder = simulation(tmp_path / "simulation")
    (folder / "metrics.jsonl").write_text("")
    with pytest.raises(UserError, match="no finished step"):
        draw(folder)
    experiment_folders.claim(experiment_folders.PLAN, tmp_path / "experiment")
    for report in (draw, tell):
        with pytest.raises(UserError, match="no measured run yet"):
            report(tmp_path / "experiment")
    evaluation_folders.write(tmp_path / "evaluation", 0.5)
    with pytest.raises(UserError, match="is the evaluation finished"):
        draw(tmp_path / "evaluation")
