"""The page that shows a run of teaching: one HTML file with its pictures inside.

write_report(Path("runs/taught"))       even during the run
"""

from collections import Counter
from html import escape
from pathlib import Path

from rlve.metrics import TEACHING
from rlve.reports import accuracy
from rlve.reports.figures import png
from rlve.reports.figures.training import overview_of, time
from rlve.reports.pages import (
    count,
    details,
    document,
    duration,
    join_words,
    picture,
    shorten,
    table,
)
from rlve.reports.training import model_name, opening, settings, write_page
from rlve.train.teaching.history import (
    PHASES,
    TaughtSample,
    TeachingHistory,
    read_teaching_history,
)

SAMPLED_AT_MOST = 6


def write_report(folder: Path) -> Path:
    """Write the report of a run of teaching into its folder."""
    return write_page(read_teaching_history(folder), page)


def tell(folder: Path) -> str:
    """What the run in a folder did, and what was learnt."""
    return headline(read_teaching_history(folder))


def page(history: TeachingHistory) -> str:
    """The page as text."""
    title = f"Teaching {model_name(history)}"
    tokens = sum(step.tokens for step in history.steps)
    shown = {
        "references": sum(step.examples for step in history.steps),
        "answer tokens": sum(step.answer_tokens for step in history.steps),
        "tokens read": tokens,
    }
    body = [
        *opening(history, title, headline(history), shown, tokens),
        "<h2>Over the run</h2>",
        picture(png(overview_of(TEACHING, history.steps)), "the metrics over the run"),
        "<p>The loss is the negative log-likelihood of an answer token, on problems that are new "
        "in every step. Thin lines are single steps, thick ones their moving average.</p>",
        "<h2>Where the time went</h2>",
        picture(png(time(history.steps, PHASES)), "seconds by phase over the run"),
        *_left_out(history),
    ]
    if history.samples:
        body += [
            "<h2>What was taught</h2>",
            "<p>What the model was shown, and what it should write, including mark-up and end. "
            "If a problem has several correct answers, this is one of them.</p>",
            '<div class="samples">',
            *map(_sample, history.samples[-SAMPLED_AT_MOST:]),
            "</div>",
        ]
    return document(title, [*body, *settings(history.config)])


def headline(history: TeachingHistory) -> str:
    """What was taught and what was learnt, in a few sentences."""
    steps = history.steps
    text = (
        f"In {count(len(steps), 'step')} and {duration(history.seconds)}, {model_name(history)} "
        f"was taught {count(sum(step.examples for step in steps), 'reference')}{_worked(history)}."
    )
    if history.validations:
        text += f" {well_formed(history)} {accuracy.sentence(history.validations)}"
    return text


def _worked(history: TeachingHistory) -> str:
    """How many of them were worked solutions, if that was wanted."""
    known = [step for step in history.steps if step.worked is not None]
    if not known:
        return ""
    share = sum(step.worked or 0 for step in known) / sum(step.examples for step in known)
    return f", {share:.0%} of them worked out line by line"


def well_formed(history: TeachingHistory) -> str:
    """How many outputs had a readable answer, at the start and at the end."""
    first, last = history.validations[0], history.validations[-1]
    if first.step == last.step:
        shares = join_words(
            f"{1 - now.ill_formed:.1%} at temperature {now.temperature:g}" for now in last.measured
        )
        return f"Well-formed outputs: {shares}."
    changes = join_words(
        f"from {1 - was.ill_formed:.1%} to {1 - now.ill_formed:.1%} at temperature "
        f"{now.temperature:g}"
        for was, now in zip(first.measured, last.measured, strict=True)
    )
    return f"Well-formed outputs went {changes}."


def _left_out(history: TeachingHistory) -> list[str]:
    """The problems that could not be taught, by environment and reason."""
    left_out = history.steps[-1].left_out
    if not left_out:
        return []
    reasons = Counter[str]()
    for counts in left_out.values():
        reasons.update(counts)
    columns = [reason for reason, _ in reasons.most_common()]
    rows = [
        (name, *(f"{counts[reason]:,}" if reason in counts else "" for reason in columns))
        for name, counts in sorted(left_out.items(), key=lambda item: -sum(item[1].values()))
    ]
    totals = join_words(f"{reasons[reason]:,} ({reason})" for reason in columns)
    return [
        "<h2>What was left out</h2>",
        f"<p>Problems that could not be taught: {escape(totals)}.</p>",
        details("By environment", table(("environment", *columns), rows)),
    ]


def _sample(sample: TaughtSample) -> str:
    return (
        f'<article class="sample"><h3>{escape(sample.environment)} '
        f"<span>difficulty {sample.difficulty}, step {sample.step:,}</span></h3>"
        f"<pre>{escape(shorten(sample.prompt))}</pre>"
        f'<div class="what">taught</div>'
        f'<pre class="right">{escape(shorten(sample.answer))}</pre></article>'
    )
