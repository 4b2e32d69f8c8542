"""The page that shows a simulation: one HTML file with its pictures inside.

write_report() writes it into the simulation's folder, with the pictures beside it as overview.png
and environments.png.
"""

from pathlib import Path

from rlve.errors import UserError
from rlve.files import write_whole
from rlve.reports.figures import png
from rlve.reports.figures import simulation as pictures
from rlve.reports.pages import join_words, render
from rlve.run_folders import REPORT
from rlve.studies.simulation import Simulation, SimulationSummary, read_simulation
from rlve.text import quantity

HEADINGS = (
    "setting",
    "h at the end",
    "range of h",
    "accuracy at h",
    "effective prompts",
    "over the whole run",
    "skill",
)
MASTERED_LEVELS = (
    "Mastered levels: the final accuracy at all levels that were ever solved with a chance of nine "
    "in ten."
)
KEPT = "mastered levels"
"""An additional column, if the policy forgets."""


def headings(simulation: Simulation) -> tuple[str, ...]:
    """The headings of the table of settings."""
    return (*HEADINGS, KEPT) if simulation.plan.policy.forgetting else HEADINGS


def rows(simulation: Simulation) -> list[tuple[str, ...]]:
    """The table of settings."""
    forgets = simulation.plan.policy.forgetting
    return [
        (*row(summary), *([share(summary.kept)] if forgets else []))
        for summary in simulation.summaries()
    ]


def row(summary: SimulationSummary) -> tuple[str, ...]:
    """The row of one setting, under HEADINGS."""
    return (
        summary.setting,
        f"{summary.high_mean:.2f}",
        f"{summary.high_min} to {summary.high_max}",
        share(summary.accuracy_at_high),
        f"{summary.effective_at_end:.1%}",
        f"{summary.effective:.1%}",
        f"{summary.skill_mean:.2f}",
    )


def share(value: float | None) -> str:
    """A percentage, or a dash."""
    return "-" if value is None else f"{value:.1%}"


def write_report(folder: Path) -> Path:
    """Write the report of a simulation, as far as it has got, into its folder."""
    simulation = _read_begun(folder)
    overview = png(pictures.overview(simulation))
    by_environment = png(pictures.by_environment(simulation))
    report = folder / REPORT
    for path, content in (
        (folder / "overview.png", overview),
        (folder / "environments.png", by_environment),
        (report, page(simulation, overview, by_environment).encode()),
    ):
        write_whole(path, content)
    return report


def tell(folder: Path) -> str:
    """The results of the simulation in a folder, in a sentence."""
    simulation = _read_begun(folder)
    shares = join_words(
        f"{summary.effective_at_end:.1%} with {summary.setting}"
        for summary in simulation.summaries()
    )
    return f"Effective prompts after {quantity(simulation.steps, 'simulated step')}: {shares}."


def _read_begun(folder: Path) -> Simulation:
    simulation = read_simulation(folder)
    if not simulation.steps:
        raise UserError(f"{folder} has no finished step to report yet")
    return simulation


def page(simulation: Simulation, overview: bytes, by_environment: bytes) -> str:
    """The page as text; the pictures are PNG files."""
    plan = simulation.plan
    ended = {label: history[-1] for label, history in simulation.history.items()}
    return render(
        "simulation.html",
        title="Simulated curricula",
        plan=plan,
        policy=plan.policy,
        steps=simulation.steps,
        redrawn=sum(summary.redrawn for summary in simulation.summaries()),
        headings=headings(simulation),
        rows=rows(simulation),
        mastered_levels=MASTERED_LEVELS,
        overview=overview,
        by_environment=by_environment,
        end_headings=("environment", *ended),
        end_rows=[
            (name, *(f"{step.high[i]} / {step.skill[i]:.1f}" for step in ended.values()))
            for i, name in enumerate(plan.names)
        ],
    )
