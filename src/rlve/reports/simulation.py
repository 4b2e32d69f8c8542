"""The page that shows a simulation: one HTML file with its pictures inside.

write_report() writes it into the simulation's folder, with the pictures beside it as overview.png
and environments.png.
"""

from pathlib import Path

from rlve.errors import UserError
from rlve.reports.figures import png
from rlve.reports.figures import simulation as pictures
from rlve.reports.pages import Rows, join_words, render, write_page
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


def table(simulation: Simulation) -> Rows:
    """The settings side by side."""
    forgets = simulation.plan.policy.forgetting
    rows = [
        (*row(summary), *([share(summary.kept)] if forgets else []))
        for summary in simulation.summaries()
    ]
    return Rows((*HEADINGS, KEPT) if forgets else HEADINGS, rows)


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
    environments = png(pictures.by_environment(simulation))
    text = page(simulation, overview, environments)
    return write_page(folder, text, overview=overview, environments=environments)


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
    return render(
        "simulation.html",
        title="Simulated curricula",
        plan=plan,
        policy=plan.policy,
        steps=simulation.steps,
        redrawn=sum(summary.redrawn for summary in simulation.summaries()),
        table=table(simulation),
        mastered_levels=MASTERED_LEVELS,
        overview=overview,
        by_environment=by_environment,
        ends=ends(simulation),
    )


def ends(simulation: Simulation) -> Rows:
    """A table: h and skill at the end, by environment."""
    last = [history[-1] for history in simulation.history.values()]
    rows = [
        (name, *(f"{step.high[i]} / {step.skill[i]:.1f}" for step in last))
        for i, name in enumerate(simulation.plan.names)
    ]
    return Rows(("environment", *simulation.history), rows)
