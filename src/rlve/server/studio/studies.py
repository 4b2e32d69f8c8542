"""Simulations and experiments as their pages show them."""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple, TypeAlias

from rlve.errors import UserError
from rlve.reports import experiments as experiment_report
from rlve.reports import findings
from rlve.reports import simulation as simulation_report
from rlve.run_folders import CELLS, CONFIG, METRICS, PLAN, VALIDATION, settings_in
from rlve.server.studio.charts import (
    Axis,
    Chart,
    Drawing,
    Drawings,
    Scale,
    Series,
    steps_per_point,
    thin,
    thin_last,
)
from rlve.server.studio.folders import Found
from rlve.studies.comparison import summarise, ways
from rlve.studies.experiments import Cell, brief
from rlve.studies.folder import cell_folder
from rlve.studies.index import STUDIES
from rlve.studies.records import Results, common, read_results
from rlve.studies.settings import adapts, label
from rlve.studies.simulation import Simulation, read_simulation
from rlve.text import quantity

Read: TypeAlias = Callable[[Cell], Mapping[int, float | None]]


class Table(NamedTuple):
    """A table on the page."""

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""


class Study(NamedTuple):
    """A simulation or an experiment."""

    found: Found
    title: str
    drawings: Drawings
    cells: list[str]  # folders of its runs, relative to its own
    settings: dict[str, Any]
    source: Simulation | Results


class Findings(NamedTuple):
    """What a study found; an experiment's intervals may take seconds."""

    sentences: list[str]
    tables: list[Table]
    notes: list[str]


class StudyBook:
    """The studies read so far; each is read again only if its files have changed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._read: dict[Path, tuple[object, Study]] = {}
        self._findings: dict[Path, tuple[Study, Findings]] = {}

    def open(self, found: Found) -> Study:
        """The study in a folder."""
        stamp = found, *_stamps(found)
        with self._lock:
            known = self._read.get(found.folder)
            if known is None or known[0] != stamp:
                known = stamp, _read(found)
                self._read[found.folder] = known
            return known[1]

    def findings(self, study: Study) -> Findings:
        """What it found."""
        with self._lock:
            known = self._findings.get(study.found.folder)
            if known is None or known[0] is not study:
                source = study.source
                made = (
                    _experiment_findings(source)
                    if isinstance(source, Results)
                    else _simulation_findings(source)
                )
                known = self._findings[study.found.folder] = study, made
            return known[1]


def _stamps(found: Found) -> Iterable[object]:
    yield from found.stamp(CONFIG, PLAN, METRICS, VALIDATION)
    for path in sorted((found.folder / CELLS).glob(f"*/*/*/{VALIDATION}")):
        yield path, path.stat().st_size


def _read(found: Found) -> Study:
    try:
        return _simulation(found) if found.kind == "simulate" else _experiment(found)
    except OSError as error:
        raise UserError(f"{found.name} cannot be read: {error}") from error


# Simulations.


def _simulation(found: Found) -> Study:
    simulation = read_simulation(found.folder)
    settings = settings_in(found.folder, "simulate")
    return Study(found, found.name, _simulation_charts(simulation), [], settings, simulation)


def _simulation_findings(simulation: Simulation) -> Findings:
    if not simulation.steps:
        return Findings(["No step has finished yet."], [], [])
    plan = simulation.plan
    sentence = (
        f"{quantity(simulation.steps, 'step')} of {plan.problems:,} problems with "
        f"{plan.rollouts:,} rollouts each, over {quantity(len(plan.names), 'environment')}. "
        "Problems, verdicts and curricula are real; the policy is one number per environment."
    )
    tables = [
        Table("Settings side by side", *simulation_report.table(simulation)),
        Table("By environment: h / skill", *simulation_report.ends(simulation)),
    ]
    return Findings([sentence], tables, [])


def _simulation_charts(simulation: Simulation) -> Drawings:
    if not simulation.steps:
        return Drawings()
    plan = simulation.plan
    spent = plan.problems * plan.rollouts
    each = steps_per_point(simulation.steps, len(simulation.history))
    steps = [float(n) for n in thin_last(range(1, simulation.steps + 1), each)]
    axis = Axis(steps, [n * spent for n in steps], steps)
    values: dict[str, tuple[Scale, Callable[[Any], float | None]]] = {
        "Mean highest difficulty h": ("level", lambda s: fmean(s.high)),
        "Accuracy at h": ("share", lambda s: s.accuracy_at_high),
        "Effective prompt ratio": ("share", lambda s: s.effective_prompt_ratio),
        "Mean skill": ("number", lambda s: fmean(s.skill)),
    }
    note = f"Each point is the mean of {each} steps." if each > 1 else ""
    charts: dict[str, Drawing] = {
        title: Chart(
            title=title,
            series=[
                Series(name, thin([read(s) for s in history], each), colour=colour, axis="0")
                for colour, (name, history) in enumerate(simulation.history.items())
            ],
            scale=scale,
            note=note,
        )
        for title, (scale, read) in values.items()
    }
    return Drawings({"0": axis}, charts)


# Experiments.


def _experiment(found: Found) -> Study:
    for name in (PLAN, METRICS, VALIDATION, CELLS):
        found.file(name)  # raises if it is a link out of the folder
    settings = settings_in(found.folder, "experiment")
    results = read_results(found.folder)
    for cell in results.plan.cells():
        if not cell_folder(found.folder, cell).resolve().is_relative_to(found.folder):
            raise UserError(f"{found.name}: a cell is a link out of the folder")
    title = STUDIES[results.plan.study].title if results.plan.study in STUDIES else found.name
    cells = [
        str(cell_folder(found.folder, cell).relative_to(found.folder))
        for cell in results.plan.cells()
        if cell_folder(found.folder, cell).is_dir()
    ]
    return Study(found, title, _experiment_charts(results), cells, settings, results)


def _experiment_findings(results: Results) -> Findings:
    if not results.measured:
        return Findings(["No run has been measured yet."], [], [])
    summaries = summarise(results)
    tables = [
        Table("Every way of training", *experiment_report.table(summaries), SEEDS),
        Table(
            "Compared with the first",
            *findings.table(results, summaries),
            findings.EXPLANATION,
        ),
    ]
    notes = [*findings.notes(results), findings.cost(results)]
    return Findings(findings.sentences(results, summaries), tables, notes)


def _experiment_charts(results: Results) -> Drawings:
    """A curve for each way of training: the mean over seeds, and a band over them."""
    axes: dict[str, Axis] = {}
    charts: dict[str, Drawing] = {}
    if not results.measured:
        return Drawings()
    alike = list(ways(results.cells()).values())

    def add(key: str, title: str, scale: Scale, read: Read, shown: Sequence[list[Cell]]) -> None:
        places = {alike.index(cells): cells for cells in shown}  # a way keeps its colour
        series = [_band(axes, f"{key}{i}", i, places[i], results, read) for i in places]
        if series:
            charts[key] = Chart(title=title, series=series, scale=scale, note=BAND)

    trained = "Accuracy on environments trained on"
    add("trained", trained, "share", lambda cell: results.accuracies(cell, "trained"), alike)
    if results.plan.test.held_out:
        title = "Accuracy on held-out environments"
        add("held out", title, "share", lambda cell: results.accuracies(cell, "held out"), alike)
    add("ratio", "Effective prompt ratio", "share", results.ratios, alike)
    adaptive = [cells for cells in alike if adapts(cells[0].setting)]
    add("high", "Mean highest difficulty h", "level", results.highs, adaptive)
    return Drawings(axes, charts)


SEEDS = (
    "Means over seeds, with their standard deviation. Changes are paired by problem; their 95% "
    "intervals are over problems for training environments, and over environments for held-out "
    "ones."
)
BAND = "Means over seeds; the band reaches from the lowest to the highest."
DRAWN = 400  # points of a curve of an experiment, at most


def _band(
    axes: dict[str, Axis],
    key: str,
    colour: int,
    cells: Sequence[Cell],
    results: Results,
    read: Read,
) -> Series:
    curves = [{s: value for s, value in read(cell).items() if value is not None} for cell in cells]
    at = sorted(common(curves)) if all(curves) else []
    each = max(1, -(-len(at) // DRAWN))
    totals = [results.sampled(cell) for cell in cells]
    seconds = [{0: 0.0} | {row.step: row.seconds for row in results.steps[cell]} for cell in cells]
    kept = thin_last(at, each) if at else []
    axes[key] = Axis(
        [float(step) for step in kept],
        [fmean(total.get(step, 0) for total in totals) for step in kept],
        [fmean(spent.get(step, 0.0) for spent in seconds) for step in kept],
    )
    rows = [[curve[step] for curve in curves] for step in at]
    several = len(cells) > 1
    return Series(
        f"{brief(cells[0].trained_on)}, {label(cells[0].setting)}",
        thin([fmean(row) for row in rows], each),
        colour=colour,
        axis=key,
        low=thin([min(row) for row in rows], each) if several else [],
        high=thin([max(row) for row in rows], each) if several else [],
        points=len(kept) <= 30,
    )
