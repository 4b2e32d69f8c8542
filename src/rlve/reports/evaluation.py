"""The page that shows an evaluation: one HTML file with its pictures inside."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from rlve.datasets.outputs import SampleKey, SampleVerdict
from rlve.datasets.rows import ProblemRow
from rlve.evaluate.questions import show_prompts
from rlve.evaluate.results import (
    EvaluationResults,
    Headline,
    Score,
    StoredEvaluation,
    check_finished,
    read_evaluation,
    read_results,
)
from rlve.pool import Pool
from rlve.reports.figures import evaluation as pictures
from rlve.reports.figures import png
from rlve.reports.pages import render, verdict_words, write_page

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOWN_AT_MOST = 8  # outputs on the page

SCORE_HEADINGS = (
    "questions",
    "outputs",
    "accuracy",
    "95% interval",
    "read forgivingly",
    "mean reward",
    "truncated",
    "ill-formed",
)


def score_row(score: Score) -> tuple[str, ...]:
    """The row of a table for some questions, under SCORE_HEADINGS."""
    return (
        f"{score.questions:,}",
        f"{score.outputs:,}",
        f"{score.accuracy:.1%}",
        interval_text(score.accuracy_interval),
        f"{score.forgiving_accuracy:.1%}",
        f"{score.mean_reward:.3f}",
        f"{score.truncated:.1%}",
        f"{score.ill_formed:.1%}",
    )


def interval_text(interval: tuple[float, float]) -> str:
    """For example: 12.1% to 14.0%."""
    return f"{interval[0]:.1%} to {interval[1]:.1%}"


def headline_text(headline: Headline) -> str:
    """For example: Avg@64 12.9% (11.5% to 14.2%)."""
    return f"{headline.name} {headline.value:.1%} ({interval_text(headline.interval)})"


def tell(folder: Path) -> str:
    """What the evaluation in a folder found."""
    return headline(read_results(folder))


def headline(results: EvaluationResults) -> str:
    """The number that the paper reports for such a suite."""
    return f"{results.model} on {results.suite}: {headline_text(results.headline)}"


def write_report(folder: Path) -> Path:
    """Write the report of a finished evaluation into its folder."""
    results, evaluation = read_results(folder), read_evaluation(folder)
    check_finished(evaluation)  # its results may be those of files that are gone
    return write_page(folder, page(evaluation, results))


def page(evaluation: StoredEvaluation, results: EvaluationResults) -> str:
    """The page as text; whatever a model or a file wrote is escaped."""
    overall = results.overall
    by_k = {f"Avg@{k}": value for k, value in overall.avg_at.items()}
    by_k |= {f"Pass@{k}": value for k, value in overall.pass_at.items()}
    return render(
        "evaluation.html",
        evaluation=evaluation,
        results=results,
        title=f"{results.model} on {results.suite}",
        headline=headline_text(results.headline),
        shown=_numbers(results),
        by_k=by_k if len(overall.pass_at) > 1 else {},
        headings=list(SCORE_HEADINGS),
        environments=_scores(results.environments, pictures.accuracies),
        levels=_scores(results.levels, pictures.levels),
        distributions=png(pictures.distributions(evaluation)),
        samples=[*_samples(evaluation)],
    )


def choose_outputs(evaluation: StoredEvaluation) -> list[tuple[ProblemRow, SampleKey]]:
    """A few outputs to show: from as many environments as possible, right and wrong in turn."""
    groups: dict[str, list[ProblemRow]] = {}
    for question in evaluation.questions:
        groups.setdefault(question.environment, []).append(question)
    names = list(groups)[:: max(1, len(groups) // SHOWN_AT_MOST)]
    picked: dict[SampleKey, ProblemRow] = {}
    for turn in range(SHOWN_AT_MOST):
        for index, name in enumerate(names):
            if len(picked) == SHOWN_AT_MOST:
                break
            questions = groups[name]
            key = _pick(evaluation, questions, (turn + index) % 2 == 0, turn, picked)
            if key is not None:
                picked[key] = next(question for question in questions if question.id == key.id)
    return [(question, key) for key, question in picked.items()]


def _pick(
    evaluation: StoredEvaluation,
    questions: Sequence[ProblemRow],
    wanted: bool,
    turn: int,
    picked: Mapping[SampleKey, ProblemRow],
) -> SampleKey | None:
    """A new sample that is correct or not, as wanted; failing that, any new sample."""
    start = turn * len(questions) // SHOWN_AT_MOST
    keys = [
        SampleKey(question.id, sample)
        for question in (*questions[start:], *questions[:start])
        for sample in range(evaluation.plan.samples)
        if SampleKey(question.id, sample) not in picked
    ]
    fitting = (key for key in keys if evaluation.verdicts[key].correct == wanted)
    return next(fitting, keys[0] if keys else None)


def _numbers(results: EvaluationResults) -> dict[str, str]:
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


S = TypeVar("S", str, int)


def _scores(
    scores: Mapping[S, Score], draw: "Callable[[Mapping[S, Score]], Figure]"
) -> dict[str, Any] | None:
    """A picture of several scores, and their table; None if there are not several."""
    if len(scores) < 2:
        return None
    rows = [(str(name), *score_row(score)) for name, score in scores.items()]
    return {"picture": png(draw(scores)), "rows": rows}


def _samples(evaluation: StoredEvaluation) -> Iterator[dict[str, Any]]:
    shown = choose_outputs(evaluation)
    with Pool(1) as pool:
        asked = [question for question, _ in shown]
        prompts = show_prompts(pool, asked, evaluation.plan.known_form())
    for question, key in shown:
        output, verdict = evaluation.outputs[key], evaluation.verdicts[key]
        yield {
            "question": question,
            "number": key.sample,
            "prompt": prompts[question.id],
            "output": output.output,
            "verdict": verdict,
            "words": _words(verdict, truncated=output.finish == "length"),
        }


def _words(verdict: SampleVerdict, *, truncated: bool) -> str:
    words, comma, reward = verdict_words(verdict).partition(", ")
    if verdict.other_form:
        words = "right, but not in the form asked for"
    if verdict.failed:
        words = "could not be judged"
    return f"{words}{', truncated' if truncated else ''}{comma}{reward}"
