"""The page that shows a simulation: one HTML file with its pictures inside.

write_report() writes it into the simulation's folder, with the pictures beside it as overview.png
and environments.png.
"""

from html import escape
from pathlib import Path

from rlve.errors import UserError
from rlve.files import pretty, write_whole
from rlve.reports.figures import png
from rlve.reports.figures import simulation as pictures
from rlve.reports.pages import count, details, document, join_words, picture, table
from rlve.run_folders import REPORT
from rlve.studies.simulated_policy import SimulatedPolicy
from rlve.studies.simulation import Simulation, SimulationSummary, read_simulation

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
    return f"Effective prompts after {count(simulation.steps, 'simulated step')}: {shares}."


def _read_begun(folder: Path) -> Simulation:
    simulation = read_simulation(folder)
    if not simulation.steps:
        raise UserError(f"{folder} has no finished step to report yet")
    return simulation


def page(simulation: Simulation, overview: bytes, by_environment: bytes) -> str:
    """The page as text; the pictures are PNG files."""
    plan, steps, summaries = simulation.plan, simulation.steps, simulation.summaries()
    policy = plan.policy
    redrawn = sum(summary.redrawn for summary in summaries)
    spends = plan.problems * plan.rollouts * steps
    ended = {label: history[-1] for label, history in simulation.history.items()}
    per_environment = [
        (name, *(f"{step.high[i]} / {step.skill[i]:.1f}" for step in ended.values()))
        for i, name in enumerate(plan.names)
    ]
    body = [
        "<h1>Simulated curricula</h1>",
        f"<p>{steps:,} steps of {plan.problems:,} problems with {plan.rollouts:,} rollouts each, "
        f"{spends:,} rollouts per setting, over {count(len(plan.names), 'environment')}; "
        f"seed {plan.seed}. {redrawn:,} draws gave no problem and were repeated.</p>",
        "<h2>Settings side by side</h2>",
        table(headings(simulation), rows(simulation)),
        "<p>Accuracy at h and effective prompts are means over the last tenth of the run. The "
        "effective prompt ratio is the share of prompts whose group has non-identical rewards; the "
        "rest were sampled for nothing. Skill is the difficulty at which the policy solves half of "
        "the problems, averaged over environments."
        + (f" {MASTERED_LEVELS}" if policy.forgetting else "")
        + "</p>",
        "<h2>Over the run</h2>",
        picture(overview, "h, accuracy at h, effective prompt ratio and skill over the run"),
        "<h2>Environment by environment</h2>",
        picture(by_environment, "h and skill over the run, by environment"),
        "<h2>The end of the run, by environment</h2>",
        "<p>h / skill.</p>",
        table(("environment", *ended), per_environment),
        "<h2>What is real and what is assumed</h2>",
        "<p>Problems, verdicts and curricula are real. The policy is one number per environment, "
        "its skill. It answers with the reference with probability "
        f"1 / (1 + exp((d - skill) / {policy.width:g})), and otherwise with one of four "
        "corrupted references. The verifier judges all answers, and those it accepts count as "
        "correct. Problems of one level differ in hardness "
        f"(evenness {policy.evenness:g}; 1 would be not at all). "
        "Practice is a policy-gradient step on the skill: a group with identical rewards teaches "
        f"nothing, one that is half right teaches the most, {policy.pace:g} levels on average. The "
        f"initial skill is {policy.skill:g}, with a standard deviation of {policy.skill_spread:g} "
        f"over environments; the logarithm of the pace has one of {policy.pace_spread:g}. "
        f"{_memory(policy)} "
        "Compare settings with each other, for more than one skill and pace; "
        "do not read a forecast off a curve.</p>",
        details(
            "All settings of this simulation",
            f"<pre>{escape(pretty(plan).decode().rstrip())}</pre>",
        ),
    ]
    return document("Simulated curricula", body)


def _memory(policy: SimulatedPolicy) -> str:
    """The assumptions about forgetting and transfer."""
    forgets = (
        f"In every step the policy loses {policy.forgetting:.1%} of its ability at each level it "
        "has practised; a group there that is half right restores half of what is missing."
        if policy.forgetting
        else "Nothing is forgotten."
    )
    carries = (
        f"{policy.transfer:.0%} of what it learns in one environment carries over to the others in "
        "the family."
        if policy.transfer
        else "Nothing carries over between environments."
    )
    return f"{forgets} {carries}"
