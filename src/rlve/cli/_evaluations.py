"""How commands show an evaluation: its progress, then its results."""

from collections.abc import Generator
from contextlib import contextmanager
from time import monotonic

from rlve.evaluate.results import EvaluationResults
from rlve.evaluate.runner import EvaluationProgress, Watch
from rlve.foundation.intervals import QUESTIONS, over_what
from rlve.reports.evaluation import headline, score_headings, score_row
from rlve.reports.pages import duration
from rlve.reports.terminal import echo, print_table, print_text, progress_bar, say
from rlve.text import quantity

EVERY = 60.0  # seconds between lines of progress if there is no terminal to show a bar


@contextmanager
def show_progress() -> Generator[Watch]:
    """Show progress on stderr: a bar on a terminal, elsewhere a line now and then."""
    at_first: EvaluationProgress | None = None
    began = said = monotonic()
    with progress_bar("outputs  {task.description}") as bar:

        def watch(progress: EvaluationProgress) -> None:
            nonlocal at_first, began, said
            if at_first is None:  # outputs stored by earlier runs say nothing about the speed
                at_first, began = progress, monotonic()
                bar.add_task("", total=progress.planned, completed=progress.judged)
                if bar.disable:
                    say(f"{progress.judged:,} of {progress.planned:,} outputs")
            accuracy = progress.accuracy
            so_far = "" if accuracy is None else f"accuracy so far {accuracy:.1%}"
            bar.update(bar.task_ids[0], completed=progress.judged, description=so_far)
            now = monotonic()
            if bar.disable and now - said >= EVERY:
                said = now
                done = progress.judged - at_first.judged
                left = (progress.planned - progress.judged) * (now - began) / done if done else None
                say(
                    f"{progress.judged:,} of {progress.planned:,} outputs, {so_far}"
                    + ("" if left is None else f", {duration(left)} left")
                )

        yield watch


def show_results(results: EvaluationResults) -> None:
    """Print the tables of an evaluation on stdout."""
    rows = [(name, *score_row(score)) for name, score in results.environments.items()]
    over = over_what([*results.environments])
    total = score_row(results.overall, over if over != QUESTIONS else "")
    print_table(("environment", *score_headings(QUESTIONS)), rows, total=("all", *total))
    if len(results.levels) > 1:
        echo()
        print_table(
            ("difficulty", *score_headings(over)),
            [(str(level), *score_row(score)) for level, score in results.levels.items()],
        )
    echo()
    overall = results.overall
    print_text(headline(results))
    if len(overall.pass_at) > 1:
        print_text(", ".join(f"Pass@{k} {value:.1%}" for k, value in overall.pass_at.items()))
    if overall.lost_to_form:
        print_text(
            f"lost to form: {overall.lost_to_form:.1%} of the outputs are right, but not in the "
            "form asked for"
        )
    if overall.failed:
        singular, plural = (
            "output could not be judged and counts",
            "outputs could not be judged and count",
        )
        print_text(f"{quantity(overall.failed, singular, plural)} as wrong")
    if overall.unanswered:
        singular, plural = "output never arrived and counts", "outputs never arrived and count"
        print_text(f"{quantity(overall.unanswered, singular, plural)} as wrong")
    for note in results.notes:
        print_text(note)
