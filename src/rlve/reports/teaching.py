"""A run of teaching in words and tables."""

from collections import Counter
from pathlib import Path

from rlve.reports import accuracy
from rlve.reports.pages import Rows
from rlve.reports.training import beginning
from rlve.text import quantity
from rlve.train.teaching.history import TeachingHistory, read_teaching_history


def tell(folder: Path) -> str:
    """What the run in a folder did, and what was learnt."""
    return headline(read_teaching_history(folder))


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


def left_out(history: TeachingHistory) -> Rows:
    """The problems that could not be taught, by environment and reason, the commonest first."""
    found = history.steps[-1].left_out
    totals = Counter[str]()
    for counts in found.values():
        totals.update(counts)
    reasons = [reason for reason, _ in totals.most_common()]
    rows = [
        (name, *(f"{counts[reason]:,}" if reason in counts else "" for reason in reasons))
        for name, counts in sorted(found.items(), key=lambda item: -sum(item[1].values()))
    ]
    total = "all", *(f"{totals[reason]:,}" for reason in reasons)
    return Rows(("environment", *reasons), [*rows, total] if len(rows) > 1 else rows)
