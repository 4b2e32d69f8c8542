"""An evaluation in words and tables."""

from pathlib import Path

from rlve.evaluate.results import EvaluationResults, Headline, Score, read_results
from rlve.foundation.intervals import over_what


def score_headings(over: str) -> tuple[str, ...]:
    """The headings of score_row(), with what the intervals are over."""
    named = ("questions", "outputs", "accuracy", f"95% interval {over}")
    return (*named, "read forgivingly", "mean reward", "truncated", "ill-formed")


def score_row(score: Score, over: str = "") -> tuple[str, ...]:
    """The row of a table for some questions; `over` says if its interval is over something else."""
    return (
        f"{score.questions:,}",
        f"{score.outputs:,}",
        f"{score.accuracy:.1%}",
        f"{interval_text(score.accuracy_interval)} {over}".rstrip(),
        f"{score.forgiving_accuracy:.1%}",
        f"{score.mean_reward:.3f}",
        f"{score.truncated:.1%}",
        f"{score.ill_formed:.1%}",
    )


def interval_text(interval: tuple[float, float]) -> str:
    """For example: 12.1% to 14.0%."""
    return f"{interval[0]:.1%} to {interval[1]:.1%}"


def headline_text(headline: Headline, over: str) -> str:
    """For example: Avg@64 12.9% (11.5% to 14.2% over environments)."""
    return f"{headline.name} {headline.value:.1%} ({interval_text(headline.interval)} {over})"


def tell(folder: Path) -> str:
    """What the evaluation in a folder found."""
    return headline(read_results(folder))


def headline(results: EvaluationResults) -> str:
    """The number that the paper reports for such a suite."""
    over = over_what([*results.environments])
    return f"{results.model} on {results.suite}: {headline_text(results.headline, over)}"


def numbers(results: EvaluationResults) -> dict[str, str]:
    """What the page of an evaluation shows first."""
    overall = results.overall
    shown = {
        "questions": f"{overall.questions:,}",
        "outputs": f"{overall.outputs:,}",
        "accuracy": f"{overall.accuracy:.1%}",
        "mean reward": f"{overall.mean_reward:.3f}",
        "truncated": f"{overall.truncated:.1%}",
        "ill-formed": f"{overall.ill_formed:.1%}",
        "lost to form": f"{overall.lost_to_form:.1%}",
    }
    if overall.mean_tokens is not None:
        shown["tokens in an output"] = f"{overall.mean_tokens:,.0f}"
    if overall.failed:
        shown["could not be judged"] = f"{overall.failed:,}"
    if overall.unanswered:
        shown["never arrived"] = f"{overall.unanswered:,}"
    return shown
