"""The page that shows an evaluation: one HTML file with its pictures inside."""

# Matplotlib leaves its **kwargs untyped, which makes every call to it partially unknown.
# pyright: reportUnknownMemberType=false

import math
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from rlve.errors import UserError
from rlve.evaluate.backends import Key
from rlve.evaluate.results import (
    REPORT,
    Evaluation,
    Headline,
    Results,
    Score,
    read_evaluation,
)
from rlve.evaluate.suite import Question
from rlve.files import write_whole
from rlve.reports.figures import INK, LOOK, NAMES_AT_MOST, PALETTE, new_figure, png
from rlve.reports.pages import count, document, picture, shortened, table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SHOWN_AT_MOST = 8  # outputs on the page
BINS = 41

SCORE_HEADINGS = (
    "questions",
    "outputs",
    "accuracy",
    "95% interval",
    "mean reward",
    "truncated",
    "ill-formed",
)


def score_row(score: Score) -> tuple[str, ...]:
    """What tables say about some questions, under SCORE_HEADINGS."""
    return (
        f"{score.questions:,}",
        f"{score.outputs:,}",
        f"{score.accuracy:.1%}",
        interval_text(score.accuracy_interval),
        f"{score.mean_reward:.3f}",
        f"{score.truncated:.1%}",
        f"{score.ill_formed:.1%}",
    )


def interval_text(interval: tuple[float, float]) -> str:
    """Such as 12.1% to 14.0%."""
    return f"{interval[0]:.1%} to {interval[1]:.1%}"


def headline_text(headline: Headline) -> str:
    """Such as Avg@64 12.9% (11.5% to 14.2%)."""
    return f"{headline.name} {headline.value:.1%} ({interval_text(headline.interval)})"


def write_report(folder: Path, results: Results) -> Path:
    """Draw the report of a finished evaluation into its folder."""
    place = folder / REPORT
    write_whole(place, page(read_evaluation(folder), results).encode("utf-8", "replace"))
    return place


def page(evaluation: Evaluation, results: Results) -> str:
    """The page as text; whatever a model or a file wrote is escaped."""
    overall = results.overall
    title = f"{results.model} on {results.suite}"
    body = [
        f'<p class="place">{escape(str(evaluation.folder))}</p>',
        f"<h1>{escape(title)}</h1>",
        f'<p class="headline">{escape(headline_text(results.headline))} over '
        f"{count(overall.questions, 'question')}, {count(results.samples, 'sample')} of each. "
        f"The mean reward is {overall.mean_reward:.3f}.</p>",
        _numbers(results),
        *(f"<p>{escape(note)}</p>" for note in results.notes),
        _by_k(overall),
    ]
    if len(results.environments) > 1:
        body += [
            "<h2>By environment</h2>",
            picture(png(accuracies(results.environments)), "accuracy by environment"),
            _details("Numbers", _scores("environment", results.environments)),
        ]
    if len(results.levels) > 1:
        body += [
            "<h2>By difficulty</h2>",
            picture(png(levels(results.levels)), "accuracy by difficulty"),
            _details("Numbers", _scores("difficulty", results.levels)),
        ]
    body += [
        "<h2>Rewards, lengths, endings</h2>",
        picture(png(distributions(evaluation)), "rewards, lengths and endings of outputs"),
        "<p>A truncated output reached the response limit or the end of the model's context. In an "
        "ill-formed one no answer could be read. Bars and lines show 95% bootstrap intervals over "
        "questions.</p>",
        "<h2>Some outputs</h2>",
        '<div class="samples">',
        *(_sample(evaluation, question, key) for question, key in chosen(evaluation)),
        "</div>",
        "<h2>Plan</h2>",
        _details("All that determines this evaluation", f"<pre>{_plan(evaluation)}</pre>"),
    ]
    return document(title, body)


def accuracies(scores: Mapping[str, Score]) -> "Figure":
    """The accuracy in each environment, the highest at the top, with its interval."""
    import matplotlib as mpl

    ordered = sorted(scores.items(), key=lambda item: (item[1].accuracy, item[0]))
    named = len(ordered) <= NAMES_AT_MOST
    height = 1.0 + (0.2 * len(ordered) if named else 0.02 * len(ordered))
    with mpl.rc_context(LOOK):
        figure = new_figure(9, height, [])
        axes = figure.subplots()
        rows = list(range(len(ordered)))
        _with_intervals(axes, rows, [score for _, score in ordered], across=True)
        axes.set_ylim(-0.7, len(ordered) - 0.3)
        axes.set(title="Accuracy", xlim=(-0.02, 1.02))
        axes.grid(visible=named, axis="y")
        if named:
            axes.set_yticks(rows, [_plain(name) for name, _ in ordered])
            axes.tick_params(axis="y", labelsize=8, length=0)
        else:
            axes.set_yticks([])
            axes.set_ylabel(f"{len(ordered)} environments, the best at the top")
        _percent(axes, "x")
    return figure


def levels(scores: Mapping[int, Score]) -> "Figure":
    """The accuracy at each difficulty, with its interval."""
    import matplotlib as mpl
    from matplotlib.ticker import MaxNLocator

    with mpl.rc_context(LOOK):
        figure = new_figure(7, 3.4, [])
        axes = figure.subplots()
        at = list(scores)
        axes.plot(at, [s.accuracy for s in scores.values()], color=PALETTE[0], linewidth=1.5)
        _with_intervals(axes, at, list(scores.values()), across=False)
        axes.set(title="Accuracy", xlabel="difficulty", ylim=(-0.02, 1.02))
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        _percent(axes, "y")
    return figure


def distributions(evaluation: Evaluation) -> "Figure":
    """How rewards and lengths are spread, and how outputs end."""
    import matplotlib as mpl

    verdicts, outputs = list(evaluation.verdicts.values()), list(evaluation.outputs.values())
    tokens = [output.tokens for output in outputs if output.tokens is not None]
    counted = len(tokens) == len(outputs)
    lengths = tokens if counted else [len(output.output) for output in outputs]
    with mpl.rc_context(LOOK):
        figure = new_figure(11, 3.2, [])
        reward, length, ending = figure.subplots(1, 3, width_ratios=(1.2, 1.2, 1))
        rewards = [verdict.reward for verdict in verdicts]
        _histogram(reward, rewards, (-1.0, 1.0))
        title = f"Rewards, median {_median(rewards):.2g}"
        reward.set(title=title, xlabel="reward", ylabel="share of outputs")
        truncated = {output.key: output.finish == "length" for output in outputs}
        _histogram(length, lengths, (0.0, max(1.0, float(max(lengths)))))
        title = f"Lengths, median {_median(lengths):,}"
        length.set(title=title, xlabel="tokens" if counted else "characters")
        shares = {
            "correct": _share(v.correct for v in verdicts),
            "wrong": _share(v.well_formed and not v.correct for v in verdicts),
            "ill-formed": _share(not v.well_formed and not truncated[v.key] for v in verdicts),
            "ill-formed and truncated": _share(
                not v.well_formed and truncated[v.key] for v in verdicts
            ),
            "truncated, in all": _share(truncated.values()),
        }
        colours = (PALETTE[2], PALETTE[3], PALETTE[1], PALETTE[4], PALETTE[7])
        names = list(reversed(shares))
        values = [shares[name] for name in names]
        ending.barh(names, values, color=list(reversed(colours)), height=0.6)
        for row, value in enumerate(values):
            ending.annotate(
                f"{value:.1%}", (value, row), xytext=(4, 0), textcoords="offset points", va="center"
            )
        ending.set(title="Outputs", xlim=(0, 1.25))
        ending.set_xticks([])
        ending.grid(visible=False)
        for axes in (reward, length):
            _percent(axes, "y")
    return figure


def chosen(evaluation: Evaluation) -> list[tuple[Question, Key]]:
    """A few outputs to look at: from as many environments as possible, right and wrong in turn."""
    groups: dict[str, list[Question]] = {}
    for question in evaluation.questions:
        groups.setdefault(question.environment, []).append(question)
    names = list(groups)[:: max(1, len(groups) // SHOWN_AT_MOST)]
    found: dict[Key, Question] = {}
    for turn in range(SHOWN_AT_MOST):
        for place, name in enumerate(names):
            if len(found) == SHOWN_AT_MOST:
                break
            questions = groups[name]
            key = _pick(evaluation, questions, (turn + place) % 2 == 0, turn, found)
            if key is not None:
                found[key] = next(question for question in questions if question.id == key.id)
    return [(question, key) for key, question in found.items()]


def _pick(
    evaluation: Evaluation,
    questions: Sequence[Question],
    wanted: bool,
    turn: int,
    found: Mapping[Key, Question],
) -> Key | None:
    """A sample that is correct, or is not, as wanted; or else any; none that was found before."""
    start = turn * len(questions) // SHOWN_AT_MOST
    keys = [
        Key(question.id, sample)
        for question in (*questions[start:], *questions[:start])
        for sample in range(evaluation.plan.samples)
        if Key(question.id, sample) not in found
    ]
    fitting = (key for key in keys if evaluation.verdicts[key].correct == wanted)
    return next(fitting, keys[0] if keys else None)


def _numbers(results: Results) -> str:
    overall = results.overall
    shown = {
        "questions": f"{overall.questions:,}",
        "outputs": f"{overall.outputs:,}",
        "accuracy": f"{overall.accuracy:.1%}",
        "mean reward": f"{overall.mean_reward:.3f}",
        "truncated": f"{overall.truncated:.1%}",
        "ill-formed": f"{overall.ill_formed:.1%}",
    }
    if overall.mean_tokens is not None:
        shown["tokens in an output"] = f"{overall.mean_tokens:,.0f}"
    if overall.failed:
        shown["verdicts given up"] = f"{overall.failed:,}"
    cells = "".join(f"<div><dd>{value}</dd><dt>{name}</dt></div>" for name, value in shown.items())
    return f'<dl class="numbers">{cells}</dl>'


def _by_k(score: Score) -> str:
    if len(score.pass_at) < 2:
        return ""
    names = [*(f"Avg@{k}" for k in score.avg_at), *(f"Pass@{k}" for k in score.pass_at)]
    values = [*score.avg_at.values(), *score.pass_at.values()]
    return table(names, [[f"{value:.1%}" for value in values]])


def _scores(what: str, scores: Mapping[str, Score] | Mapping[int, Score]) -> str:
    rows = [(str(name), *score_row(score)) for name, score in scores.items()]
    return table((what, *SCORE_HEADINGS), rows)


def _details(summary: str, content: str) -> str:
    return f"<details><summary>{summary}</summary>{content}</details>"


def _plan(evaluation: Evaluation) -> str:
    return escape(msgspec.json.format(msgspec.json.encode(evaluation.plan)).decode())


def _sample(evaluation: Evaluation, question: Question, key: Key) -> str:
    output, verdict = evaluation.outputs[key], evaluation.verdicts[key]
    kind = "right" if verdict.correct else "wrong"
    words = "correct" if verdict.correct else "wrong" if verdict.well_formed else "not readable"
    if verdict.failed:
        words = "the verdict was given up"
    if output.finish == "length":
        words += ", truncated"
    level = "" if question.difficulty is None else f"difficulty {question.difficulty}, "
    parts = [
        f"<h3>{escape(question.environment)} <span>{level}sample {key.sample}</span></h3>",
        f"<pre>{escape(shortened(_prompt(evaluation, question)))}</pre>",
    ]
    if question.answer is not None:
        answer = escape(shortened(question.answer))
        parts.append(f'<div class="what">a correct answer</div><pre>{answer}</pre>')
    parts.append(
        f'<div class="what">output <span class="badge {kind}">{words}, reward '
        f'{verdict.reward:.2g}</span></div><pre class="{kind}">'
        f"{escape(shortened(output.output)) or '(nothing)'}</pre>"
    )
    return f'<article class="sample">{"".join(parts)}</article>'


def _prompt(evaluation: Evaluation, question: Question) -> str:
    try:
        prompt, _ = question.asked(evaluation.plan.form())
    except UserError as error:  # a format of the user's own that is not here any more
        return f"(the prompt cannot be shown: {error})"
    if isinstance(prompt, str):
        return prompt
    if len(prompt) == 1:
        return prompt[0]["content"]
    return "\n\n".join(f"{message['role']}: {message['content']}" for message in prompt)


def _with_intervals(
    axes: "Axes", at: Sequence[int], scores: Sequence[Score], *, across: bool
) -> None:
    values = [score.accuracy for score in scores]
    below = [max(0.0, score.accuracy - score.accuracy_interval[0]) for score in scores]
    above = [max(0.0, score.accuracy_interval[1] - score.accuracy) for score in scores]
    x, y = (values, at) if across else (at, values)
    axes.errorbar(
        x,
        y,
        xerr=(below, above) if across else None,
        yerr=None if across else (below, above),
        fmt="o",
        markersize=4,
        color=PALETTE[0],
        ecolor=PALETTE[5],
        elinewidth=1.6,
    )


def _histogram(axes: "Axes", values: Sequence[float], ends: tuple[float, float]) -> None:
    weights = [1 / len(values)] * len(values)
    axes.hist(values, bins=BINS, range=ends, weights=weights, color=PALETTE[0])
    axes.axvline(_median(values), color=INK, linewidth=0.9, linestyle=":")


def _median(values: Sequence[float]) -> float:
    return sorted(values)[len(values) // 2]


def _share(flags: Iterable[bool]) -> float:
    values = list(flags)
    return math.fsum(values) / len(values)


def _percent(axes: "Axes", which: str) -> None:
    from matplotlib.ticker import PercentFormatter

    axis = axes.xaxis if which == "x" else axes.yaxis
    axis.set_major_formatter(PercentFormatter(xmax=1, decimals=None))


def _plain(name: str) -> str:
    """A name may hold what matplotlib would take for mathematics."""
    return name.replace("$", r"\$")
