"""The page that shows the adaptivity experiment, with its tables and pictures beside it.

write_report() draws what is there into the experiment's folder:

    table.md, table.json
    curves.png           the paper's Figure 3, and h
    levels.png           accuracy by difficulty
    report.html          all of it on one page
"""

from collections.abc import Sequence
from html import escape
from pathlib import Path
from statistics import fmean, stdev

from rlve.errors import UserError
from rlve.files import pretty, write_whole
from rlve.reports import adaptivity_figures as pictures
from rlve.reports.figures import png
from rlve.reports.pages import count, details, document, picture, table
from rlve.studies.adaptivity import ADAPTIVE, label
from rlve.studies.adaptivity_results import (
    AdaptivityResults,
    SettingSummary,
    keep,
    read_results,
    summarise,
)

HEADINGS = (
    "environment",
    "setting",
    "seeds",
    "steps",
    "accuracy at the start",
    "accuracy at the end",
    "at equal tokens",
    "effective prompts",
    "in the last tenth",
    "h",
    "groups trained on",
    "rollouts",
    "tokens",
    "prompts dropped",
)


def write_report(folder: Path) -> Path:
    """Write tables, pictures and the page of what is there, and what was collected for them."""
    results = read_results(folder)
    if not results.evaluations:
        raise UserError(f"{folder} has no measured run yet")
    summaries = summarise(results)
    curves, levels = png(pictures.curves(results)), png(pictures.levels(results))
    keep(results, folder)
    place = folder / "report.html"
    for path, content in (
        (folder / "table.json", pretty(summaries)),
        (folder / "table.md", markdown(summaries).encode()),
        (folder / "curves.png", curves),
        (folder / "levels.png", levels),
        (place, page(results, summaries, curves, levels).encode()),
    ):
        write_whole(path, content)
    return place


def page(
    results: AdaptivityResults, summaries: Sequence[SettingSummary], curves: bytes, levels: bytes
) -> str:
    """The page as text."""
    plan = results.plan
    training, test = plan.training, plan.test
    sampling = (
        "the likeliest token at each position"
        if test.temperature == 0
        else f"temperature {test.temperature:g}, top-p {test.top_p:g}"
    )
    devices = sorted({origin.device for origin in results.origins})
    body = [
        "<h1>Adaptive against static difficulty</h1>",
        *(f"<p>{escape(text)}</p>" for text in headlines(results, summaries)),
        table(HEADINGS, map(row, summaries)),
        "<p>Means over seeds, with their standard deviation. Accuracy is measured on the same "
        f"{test.problems:,} problems each time, as many of each difficulty from 0 to "
        f"{test.levels - 1}, one output each ({sampling}). The effective prompt ratio is the share "
        "of prompts whose group has non-identical rewards. At equal tokens: the accuracy, taken to "
        "change evenly between measurements, when as many tokens had been sampled as by the "
        "setting that took the fewest. Rollouts and tokens are those that training sampled, "
        "dropped groups included. Prompts dropped are draws that were made "
        f"again because the prompt was longer than {training.data.max_prompt_tokens:,} tokens.</p>",
        *(f"<p>{escape(text)}</p>" for text in notes(results)),
        "<h2>Over the run</h2>",
        picture(curves, "accuracy, its cost, effective prompt ratio and h over training steps"),
        "<p>Means over seeds; shaded, from the lowest to the highest. The effective prompt ratio "
        "is a moving average.</p>",
        "<h2>By difficulty</h2>",
        picture(levels, "accuracy by difficulty"),
        "<h2>How it was made</h2>",
        f"<p>{escape(training.policy.model)}, {training.rollout.problems:,} problems with "
        f"{training.rollout.group:,} rollouts each in a step, learning rate "
        f"{training.update.learning_rate:g}, on {escape(', '.join(devices) or 'unknown')}. "
        "All runs start from the same weights, and each has one environment.</p>",
        details("All settings", f"<pre>{escape(pretty(plan).decode().rstrip())}</pre>"),
    ]
    return document("Adaptive against static difficulty", body)


def row(summary: SettingSummary) -> tuple[str, ...]:
    """A line of the table, under HEADINGS; means over seeds, +- their standard deviation."""
    return (
        summary.environment,
        label(summary.setting),
        str(len(summary.seeds)),
        f"{summary.step:,}",
        f"{fmean(summary.accuracy_at_start):.1%}",
        _spread(summary.accuracy),
        _spread(summary.at_equal_tokens),
        _spread(summary.effective_prompt_ratio),
        _spread(summary.effective_in_last_tenth),
        f"{fmean(summary.high):.1f}" if summary.setting == ADAPTIVE else "-",
        f"{fmean(summary.trained_groups):,.0f}",
        f"{fmean(summary.rollouts):,.0f}",
        f"{fmean(summary.tokens):,.0f}",
        f"{fmean(summary.dropped):,.0f}",
    )


def _spread(values: Sequence[float]) -> str:
    if len(values) == 1:
        return f"{values[0]:.1%}"
    return f"{fmean(values) * 100:.1f} ± {stdev(values) * 100:.1f}%"


def markdown(summaries: Sequence[SettingSummary]) -> str:
    """The table in Markdown."""
    lines = [
        f"| {' | '.join(HEADINGS)} |",
        f"|{' --- |' * 2}{' ---: |' * (len(HEADINGS) - 2)}",
        *(f"| {' | '.join(row(summary))} |" for summary in summaries),
    ]
    return "\n".join(lines) + "\n"


def tell(folder: Path) -> str:
    """What the experiment in a folder found, and what a reader has to know of it."""
    results = read_results(folder)
    return "\n\n".join((*headlines(results, summarise(results)), *notes(results)))


def headlines(results: AdaptivityResults, summaries: Sequence[SettingSummary]) -> list[str]:
    """How adaptive difficulty did against the best static range, a sentence per environment."""
    found: list[str] = []
    for name in results.environments():
        of = {s.setting: s for s in summaries if s.environment == name}
        static = [s for s in of.values() if s.setting != ADAPTIVE]
        if ADAPTIVE not in of or not static:
            continue
        mine, best = of[ADAPTIVE], max(static, key=lambda s: fmean(s.accuracy))
        cheap = max(static, key=lambda s: fmean(s.at_equal_tokens))
        found.append(
            f"{name}, after {count(best.step, 'step')}: {fmean(mine.accuracy):.1%} with adaptive "
            f"difficulty, {fmean(best.accuracy):.1%} with the best static range, "
            f"{_range(best)}; {fmean(mine.accuracy_at_start):.1%} at the start. At equal tokens: "
            f"{fmean(mine.at_equal_tokens):.1%}, and {fmean(cheap.at_equal_tokens):.1%} with the "
            f"best static range, {_range(cheap)}."
        )
    return found


def _range(summary: SettingSummary) -> str:
    return label(summary.setting).removeprefix("static ")


def notes(results: AdaptivityResults) -> list[str]:
    """What a reader of the table has to know of this run of the experiment."""
    plan = results.plan
    found: list[str] = []
    missing = [cell for cell in plan.cells() if cell not in results.evaluations]
    if missing:
        found.append(f"{len(missing)} of {len(plan.cells())} runs are not there yet.")
    short = [c for c, es in results.evaluations.items() if es[-1].step < plan.steps]
    if short:
        found.append(
            f"{count(len(short), 'run')} had not reached step {plan.steps:,}; settings are "
            "compared after the last step that all runs of an environment have reached."
        )
    cut: dict[tuple[str, str], tuple[int, int]] = {}
    for origin in results.origins:
        if origin.drawn_from is not None:
            high = int(origin.setting.split("-")[2])
            if origin.drawn_from[1] < high:
                cut[origin.environment, origin.setting] = origin.drawn_from
    for (name, setting), (low, high) in cut.items():
        found.append(
            f"{name}, {label(setting)}: the prompts above difficulty {high} are several times "
            f"longer than the limit of {plan.training.data.max_prompt_tokens:,} tokens, so only "
            f"[{low}, {high}] was drawn from; what was too long in it was dropped and drawn again."
        )
    too_long = {
        name: results.evaluations[results.cells(name)[0]][-1].too_long
        for name in results.environments()
    }
    for name, number in too_long.items():
        if number:
            found.append(
                f"{name}: {number:,} of the {plan.test.problems:,} problems that accuracy is "
                "measured on are beyond that limit, and count as not solved."
            )
        failed = sum(
            each.failed for cell in results.cells(name) for each in results.evaluations[cell]
        )
        if failed:
            found.append(
                f"{name}: {failed:,} outputs to these problems could not be judged, and count as "
                "not solved."
            )
    return found
