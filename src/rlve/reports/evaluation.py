"""The page that shows an evaluation: one HTML file with its pictures inside."""

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path

from rlve.datasets.outputs import SampleKey
from rlve.datasets.rows import ProblemRow
from rlve.errors import UserError
from rlve.evaluate.judge import judges
from rlve.evaluate.results import (
    EvaluationResults,
    Headline,
    Score,
    StoredEvaluation,
    check_finished,
    read_evaluation,
    read_results,
)
from rlve.files import pretty, write_whole
from rlve.formats import readable
from rlve.pool import Pool
from rlve.reports.figures import evaluation as pictures
from rlve.reports.figures import png
from rlve.reports.pages import (
    count,
    details,
    document,
    numbers,
    picture,
    shorten,
    show_output,
    table,
)
from rlve.run_folders import REPORT

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
    report = folder / REPORT
    write_whole(report, page(evaluation, results).encode("utf-8", "replace"))
    return report


def page(evaluation: StoredEvaluation, results: EvaluationResults) -> str:
    """The page as text; whatever a model or a file wrote is escaped."""
    overall = results.overall
    title = f"{results.model} on {results.suite}"
    body = [
        f'<p class="place">{escape(str(evaluation.folder))}</p>',
        f"<h1>{escape(title)}</h1>",
        f'<p class="headline">{escape(headline_text(results.headline))} over '
        f"{count(overall.questions, 'question')}, {count(results.samples, 'sample')} each. "
        f"The mean reward is {overall.mean_reward:.3f}.</p>",
        _numbers(results),
        *(f"<p>{escape(note)}</p>" for note in results.notes),
        _by_k(overall),
    ]
    if len(results.environments) > 1:
        body += [
            "<h2>By environment</h2>",
            picture(png(pictures.accuracies(results.environments)), "accuracy by environment"),
            details("Numbers", _scores("environment", results.environments)),
        ]
    if len(results.levels) > 1:
        body += [
            "<h2>By difficulty</h2>",
            picture(png(pictures.levels(results.levels)), "accuracy by difficulty"),
            details("Numbers", _scores("difficulty", results.levels)),
        ]
    body += [
        "<h2>Rewards, lengths, endings</h2>",
        picture(png(pictures.distributions(evaluation)), "rewards, lengths and endings of outputs"),
        "<p>A truncated output reached the response limit or the end of the model's context. An "
        "ill-formed one has no readable answer. Bars and lines show 95% bootstrap intervals over "
        "questions.</p>",
        "<h2>Some outputs</h2>",
        '<div class="samples">',
        *_samples(evaluation),
        "</div>",
        "<h2>Plan</h2>",
        details("All settings of this evaluation", f"<pre>{_plan(evaluation)}</pre>"),
    ]
    return document(title, body)


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


def _numbers(results: EvaluationResults) -> str:
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
    return numbers(shown)


def _by_k(score: Score) -> str:
    if len(score.pass_at) < 2:
        return ""
    names = [*(f"Avg@{k}" for k in score.avg_at), *(f"Pass@{k}" for k in score.pass_at)]
    values = [*score.avg_at.values(), *score.pass_at.values()]
    return table(names, [[f"{value:.1%}" for value in values]])


def _scores(what: str, scores: Mapping[str, Score] | Mapping[int, Score]) -> str:
    rows = [(str(name), *score_row(score)) for name, score in scores.items()]
    return table((what, *SCORE_HEADINGS), rows)


def _plan(evaluation: StoredEvaluation) -> str:
    return escape(pretty(evaluation.plan).decode().rstrip())


def _samples(evaluation: StoredEvaluation) -> Iterator[str]:
    shown = choose_outputs(evaluation)
    prompts = _prompts(evaluation, [question for question, _ in shown])
    for question, key in shown:
        yield _sample(evaluation, question, key, prompts[question.id])


def _sample(evaluation: StoredEvaluation, question: ProblemRow, key: SampleKey, prompt: str) -> str:
    output, verdict = evaluation.outputs[key], evaluation.verdicts[key]
    words = "correct" if verdict.correct else "wrong" if verdict.well_formed else "ill-formed"
    if verdict.other_form:
        words = "right, but not in the form asked for"
    if verdict.failed:
        words = "could not be judged"
    if output.finish == "length":
        words += ", truncated"
    level = "" if question.difficulty is None else f"difficulty {question.difficulty}, "
    parts = [
        f"<h3>{escape(question.environment)} <span>{level}sample {key.sample}</span></h3>",
        f"<pre>{escape(shorten(prompt))}</pre>",
    ]
    if question.answer is not None:
        answer = escape(shorten(question.answer))
        parts.append(f'<div class="what">a correct answer</div><pre>{answer}</pre>')
    words += f", reward {verdict.reward:.2g}"
    parts.append(show_output("output", output.output, words, right=verdict.correct))
    return f'<article class="sample">{"".join(parts)}</article>'


def _prompts(evaluation: StoredEvaluation, questions: list[ProblemRow]) -> dict[str, str]:
    """The prompts that the model was given, by the ids of the questions."""
    prompts = {row.id: readable(row.prompt) for row in questions if row.prompt is not None}
    others = [row for row in questions if row.prompt is None]
    if not others:
        return prompts
    try:
        with Pool(1) as pool:
            made = judges(pool, others, evaluation.plan.form(), prompted=True)
    except UserError as error:  # for example, the user's own code is not loaded
        return prompts | {row.id: f"(the prompt cannot be shown: {error})" for row in others}
    return prompts | {key: readable(judge.prompt or "") for key, judge in made.items()}
