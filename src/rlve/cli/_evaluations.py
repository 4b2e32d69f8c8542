"""How commands show an evaluation: its progress, and in the end its results."""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from time import monotonic

from rlve.evaluate.results import EvaluationResults
from rlve.evaluate.runner import EvaluationProgress, Watch
from rlve.reports.evaluation import SCORE_HEADINGS, headline, score_row
from rlve.reports.pages import duration
from rlve.reports.terminal import counted, print_table, print_text, progress_bar

EVERY = 60.0  # seconds between lines of progress where there is no terminal for a bar


@contextmanager
def watching() -> Generator[Watch]:
    """Shows progress on stderr: a bar on a terminal, elsewhere a line now and then."""
    at_first: EvaluationProgress | None = None
    began = said = monotonic()
    with progress_bar("outputs  {task.description}") as bar:

        def watch(progress: EvaluationProgress) -> None:
            nonlocal at_first, began, said
            if at_first is None:  # what was there before says nothing about the speed
                at_first, began = progress, monotonic()
                bar.add_task("", total=progress.planned, completed=progress.judged)
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
    """The table of an evaluation on stdout."""
    rows = [(name, *score_row(score)) for name, score in results.environments.items()]
    print_table(("environment", *SCORE_HEADINGS), rows, total=("all", *score_row(results.overall)))
    if len(results.levels) > 1:
        print()
        print_table(
            ("difficulty", *SCORE_HEADINGS),
            [(str(level), *score_row(score)) for level, score in results.levels.items()],
        )
    print()
    overall = results.overall
    print_text(headline(results))
    if len(overall.pass_at) > 1:
        print_text(", ".join(f"Pass@{k} {value:.1%}" for k, value in overall.pass_at.items()))
    if overall.lost_to_form:
        print_text(
            f"lost to form: {overall.lost_to_form:.1%} of the outputs are right, but written in "
            "another form than was asked for"
        )
    if overall.failed:
        one, many = "verdict was given up, and counts", "verdicts were given up, and count"
        print_text(f"{counted(overall.failed, one, many)} as wrong")
    if overall.unanswered:
        one, many = "output never came, and counts", "outputs never came, and count"
        print_text(f"{counted(overall.unanswered, one, many)} as wrong")
    for note in results.notes:
        print_text(note)


def say(text: str) -> None:
    """A line on stderr, above a progress bar if there is one."""
    print_text(text, file=sys.stderr)
