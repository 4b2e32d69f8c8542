"""The page that shows a run of teaching: one HTML file with its pictures inside.

write_report(Path("runs/taught"))       even during the run
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from rlve.metrics import TEACHING
from rlve.reports import accuracy
from rlve.reports.figures import png
from rlve.reports.figures.training import overview_of, time
from rlve.reports.pages import Rows, join_words, render, write_page
from rlve.reports.training import beginning, check_begun, model_name, opening
from rlve.text import quantity
from rlve.train.teaching.history import (
    PHASES,
    TeachingHistory,
    read_teaching_history,
)

SAMPLED_AT_MOST = 6


def write_report(folder: Path) -> Path:
    """Write the report of a run of teaching into its folder."""
    return write_page(folder, page(check_begun(read_teaching_history(folder))))


def tell(folder: Path) -> str:
    """What the run in a folder did, and what was learnt."""
    return headline(read_teaching_history(folder))


def page(history: TeachingHistory) -> str:
    """The page as text."""
    tokens = sum(step.tokens for step in history.steps)
    counts = {
        "references": sum(step.examples for step in history.steps),
        "answer tokens": sum(step.answer_tokens for step in history.steps),
        "tokens read": tokens,
    }
    reasons = Counter[str]()
    for found in history.steps[-1].left_out.values():
        reasons.update(found)
    return render(
        "teaching.html",
        **opening(history, counts, tokens),
        title=f"Teaching {model_name(history.config)}",
        headline=headline(history),
        overview=png(overview_of(TEACHING, history.steps)),
        time=png(time(history.steps, PHASES)),
        left_out=_left_out(history, [reason for reason, _ in reasons.most_common()]),
        left_out_totals=join_words(f"{n:,} ({reason})" for reason, n in reasons.most_common()),
        samples=history.samples[-SAMPLED_AT_MOST:],
    )


def headline(history: TeachingHistory) -> str:
    """What was taught and what was learnt, in a few sentences."""
    taught = quantity(sum(step.examples for step in history.steps), "reference")
    text = f"{beginning(history)} was taught {taught}{_worked_share(history)}."
    if history.validations:
        text += f" {well_formed(history)} {accuracy.sentence(history.validations)}"
    return text


def _worked_share(history: TeachingHistory) -> str:
    """How many of them were worked solutions, if that was wanted."""
    known = [step for step in history.steps if step.worked is not None]
    if not known:
        return ""
    share = sum(step.worked or 0 for step in known) / sum(step.examples for step in known)
    return f", {share:.0%} of them worked out line by line"


def well_formed(history: TeachingHistory) -> str:
    """How many outputs had a readable answer, at the start and at the end."""
    first, last = history.validations[0], history.validations[-1]
    told = accuracy.changes(first, last, lambda measured: 1 - measured.ill_formed)
    if first.step == last.step:
        return f"Well-formed outputs: {told.removeprefix('is ')}."
    return f"Well-formed outputs {told}."


def _left_out(history: TeachingHistory, reasons: Sequence[str]) -> Rows:
    """The problems that could not be taught, by environment and reason."""
    left_out = history.steps[-1].left_out
    rows = [
        (name, *(f"{counts[reason]:,}" if reason in counts else "" for reason in reasons))
        for name, counts in sorted(left_out.items(), key=lambda item: -sum(item[1].values()))
    ]
    return Rows(("environment", *reasons), rows)
