"""The published simulation follows from its raw metrics, and says what its page says."""

from pathlib import Path

from rlve.reports import figures
from rlve.reports import simulation as report
from rlve.reports.figures import simulation as pictures
from rlve.studies.simulation import read_simulation, simulate

FOLDER = Path(__file__).parents[2] / "docs/results/curricula/simulation"


def test_the_table_is_that_of_the_metrics():
    published = read_simulation(FOLDER)
    page = (FOLDER.parent / "README.md").read_text()
    assert published.steps == published.plan.steps == 700
    table = report.table(published)
    for row in (table.headings, *table.rows):
        assert f"| {' | '.join(row)} |" in page


def test_rehearsal_keeps_what_algorithm_1_forgets():
    kept = {summary.setting: summary.kept for summary in read_simulation(FOLDER).summaries()}
    assert kept["adaptive"] < 0.6
    assert kept["adaptive + 20% rehearsal"] > 0.85


def test_its_first_steps_come_out_the_same_again():
    published = read_simulation(FOLDER)
    steps = simulate(published.plan)
    for index in range(2):
        for label in published.plan.labels():
            assert next(steps) == published.history[label][index]


def test_its_picture_is_drawn_again(monkeypatch):
    monkeypatch.setattr(figures, "DPI", 20)
    assert figures.png(pictures.overview(read_simulation(FOLDER))).startswith(b"\x89PNG")
