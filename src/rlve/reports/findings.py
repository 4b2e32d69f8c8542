"""What an experiment found, in sentences made from its numbers."""

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean

from rlve.intervals import Interval, over_problems
from rlve.registry import environment
from rlve.reports.pages import count, duration, listed
from rlve.studies.comparison import (
    Outcome,
    Summary,
    advantage,
    list_test_problems,
    rates_of,
    skipped_cells,
    unseen_problems,
)
from rlve.studies.experiments import Cell, brief, environments_of
from rlve.studies.records import Results, Which
from rlve.studies.settings import ADAPTIVE, adapts, label, range_of


def findings(results: Results, summaries: Sequence[Summary]) -> list[str]:
    """A sentence or two for each question."""
    write = _WRITERS.get(results.plan.study, _adaptivity)
    return [
        *write(results, summaries),
        *_without_seen(results, summaries),
        *_spread_of_high(results, summaries),
    ]


def _without_seen(results: Results, summaries: Sequence[Summary]) -> list[str]:
    """The outcome on test problems that did not come up in training, if others did."""
    found: list[str] = []
    for name, of in _by_trained_on(summaries).items():
        step, cells = of[0].step, [cell for each in of for cell in each.cells]
        asked, new = (
            len(list_test_problems(results, cells[0])),
            unseen_problems(results, cells, step),
        )
        if not 0 < len(new) < asked:
            continue
        before = {each.setting: rates_of(results, each.cells, 0, new) for each in of}
        after = {each.setting: rates_of(results, each.cells, step, new) for each in of}
        text = (
            f"{brief(name)}: {asked - len(new):,} of the {asked:,} test problems also came up in "
            f"the training of {'the run' if len(cells) == 1 else 'one of these runs'}. On the "
            f"other {len(new):,}, "
            + "; ".join(
                f"{label(setting)} went from {fmean(before[setting]):.1%} to {fmean(solved):.1%}"
                for setting, solved in after.items()
            )
        )
        mine = after.pop(ADAPTIVE, None)
        if mine is not None and after:
            best = max(after, key=lambda setting: fmean(after[setting]))
            lead = over_problems([[a - b for a, b in zip(mine, after[best], strict=True)]])
            if lead is not None:
                text += f"; adaptive against {label(best)}: {points(lead)}{_verdict(lead)}"
        found.append(f"{text}.")
    return found


def _spread_of_high(results: Results, summaries: Sequence[Summary]) -> list[str]:
    """How far the environments of a collection have come, if difficulty adapts."""
    parts: list[str] = []
    for summary in summaries:
        highs = [
            high for cell in summary.cells for high in results.highest(cell, summary.step).values()
        ]
        if summary.environments > 1 and highs:
            still = sum(high == 0 for high in highs) / len(highs)
            parts.append(
                f"{_way(results, summary)} from {min(highs)} to {max(highs)}, {fmean(highs):.1f} "
                f"on average, with {still:.0%} of its environments still at 0"
            )
    return [f"The highest difficulty h after these steps: {'; '.join(parts)}."] if parts else []


def _way(results: Results, summary: Summary) -> str:
    """What distinguishes one adaptive way of training from the others."""
    if sum(map(adapts, results.plan.settings)) == 1:
        return brief(summary.trained_on)
    way = label(summary.setting)
    return way if len(results.trained_on()) == 1 else f"{brief(summary.trained_on)}, {way},"


def _of_each(parts: Mapping[str, list[str]]) -> list[str]:
    """Sentences by what they are about: its name begins a paragraph, if there are several."""
    if len(parts) == 1:
        return next(iter(parts.values()))
    texts = ((name, " ".join(sentences)) for name, sentences in parts.items())
    return [f"{name}, {text[0].lower()}{text[1:]}" for name, text in texts]


def _environment_scaling(results: Results, summaries: Sequence[Summary]) -> list[str]:
    ways = dict.fromkeys(each.setting for each in summaries)
    return _of_each(
        {
            f"With {label(setting)}": _scaling(
                results, [each for each in summaries if each.setting == setting]
            )
            for setting in ways
        }
    )


def _scaling(results: Results, summaries: Sequence[Summary]) -> list[str]:
    """The sentences on one setting."""
    first, last = min(each.step for each in summaries), max(each.step for each in summaries)
    after = (
        f"After {count(last, 'step')}" if first == last else f"After {first:,} to {last:,} steps"
    )
    elsewhere = [
        f"{each.trained_on} ({count(each.environments, 'environment')}) {moved(each.held_out)}"
        for each in summaries
        if each.held_out is not None
    ]
    trained = "; ".join(f"{each.trained_on} {moved(each.trained)}" for each in summaries)
    if not elsewhere:
        return [f"{after}, on what each was trained on: {trained}."]
    others = count(results.plan.test.held_out, "environment")
    found = [
        f"{after}, on {others} that no run was trained on: {'; '.join(elsewhere)}.",
        f"On what each was trained on: {trained}.",
    ]
    fewest = min(summaries, key=lambda each: each.environments)
    most = max(summaries, key=lambda each: each.environments)
    lead = _lead(results, most, fewest, "held out") if most is not fewest else None
    if lead is not None:
        both = count(min(most.step, fewest.step), "step")
        when = "" if most.step == fewest.step else f", after {both}"
        found.append(
            f"{most.trained_on} against {fewest.trained_on} on held-out environments{when}: "
            f"{points(lead)}{_verdict(lead)}."
        )
    return found


def _adaptivity(results: Results, summaries: Sequence[Summary]) -> list[str]:
    found: list[str] = []
    for name in results.trained_on():
        of = {each.setting: each for each in summaries if each.trained_on == name}
        others = [each for each in of.values() if each.setting != ADAPTIVE]
        if ADAPTIVE not in of or not others:
            continue
        mine, best = of[ADAPTIVE], max(others, key=lambda each: fmean(each.trained.end))
        cheap = max(others, key=lambda each: fmean(each.trained.at_equal_tokens))
        text = (
            f"{name}, after {count(best.step, 'step')}: {fmean(mine.trained.end):.1%} with "
            f"adaptive difficulty, {fmean(best.trained.end):.1%} with the best other choice, "
            f"{label(best.setting)}; {fmean(mine.trained.start):.1%} at the start. At equal "
            f"tokens: {fmean(mine.trained.at_equal_tokens):.1%}, and "
            f"{fmean(cheap.trained.at_equal_tokens):.1%} with {label(cheap.setting)}."
        )
        lead = _lead(results, mine, best, "trained")
        if lead is not None:
            text += f" Adaptive against {label(best.setting)}: {points(lead)}{_verdict(lead)}."
        if mine.held_out is not None:
            text += f" On held-out environments: adaptive {moved(mine.held_out)}; " + "; ".join(
                f"{label(each.setting)} {moved(each.held_out)}"
                for each in others
                if each.held_out is not None
            )
            text += "."
        found.append(text)
    return found


def _rlve_vs_rlvr(results: Results, summaries: Sequence[Summary]) -> list[str]:
    return _of_each(
        {name: _against_rlvr(results, of) for name, of in _by_trained_on(summaries).items()}
    )


def _against_rlvr(results: Results, summaries: Sequence[Summary]) -> list[str]:
    """The sentences on one thing trained on."""
    found: list[str] = []
    for which, where in (
        ("trained", "test problems of the environments trained on"),
        ("held out", "environments that no run was trained on"),
    ):
        told = [
            (_name(each.setting), outcome)
            for each in summaries
            if (outcome := each.trained if which == "trained" else each.held_out) is not None
        ]
        if told:
            after = count(summaries[0].step, "step")
            found.append(
                f"After {after}, on {where}: "
                + "; ".join(f"{name} {moved(outcome)}" for name, outcome in told)
                + "."
            )
    mine = next((each for each in summaries if each.setting == ADAPTIVE), None)
    for other in summaries:
        if mine is None or other is mine:
            continue
        for which in ("trained", "held out"):
            lead = _lead(results, mine, other, which)
            if lead is not None:
                found.append(
                    f"Adaptive against {_name(other.setting)}, {which}: "
                    f"{points(lead)}{_verdict(lead)}."
                )
    return found


def _curricula(results: Results, summaries: Sequence[Summary]) -> list[str]:
    return _of_each(
        {name: _against_algorithm_1(results, of) for name, of in _by_trained_on(summaries).items()}
    )


def _against_algorithm_1(results: Results, summaries: Sequence[Summary]) -> list[str]:
    """The sentences on one thing trained on."""
    after = count(summaries[0].step, "step")
    found = [
        f"After {after}, on test problems of difficulty 0 to {results.plan.test.levels - 1}: "
        + "; ".join(f"{label(each.setting)} {moved(each.trained)}" for each in summaries)
        + ".",
        "At equal tokens: "
        + ", ".join(
            f"{label(each.setting)} {fmean(each.trained.at_equal_tokens):.1%}" for each in summaries
        )
        + ".",
    ]
    mine = next((each for each in summaries if each.setting == ADAPTIVE), None)
    for other in summaries:
        if mine is None or other is mine:
            continue
        lead = _lead(results, other, mine, "trained")
        if lead is not None:
            found.append(
                f"{label(other.setting)} against Algorithm 1 alone: {points(lead)}{_verdict(lead)}."
            )
    return found


def _by_trained_on(summaries: Sequence[Summary]) -> dict[str, list[Summary]]:
    groups: dict[str, list[Summary]] = {}
    for each in summaries:
        groups.setdefault(each.trained_on, []).append(each)
    return groups


_WRITERS: dict[str, Callable[[Results, Sequence[Summary]], list[str]]] = {
    "environment-scaling": _environment_scaling,
    "adaptivity": _adaptivity,
    "rlve-vs-rlvr": _rlve_vs_rlvr,
    "curricula": _curricula,
}


def moved(outcome: Outcome) -> str:
    """For example: rose from 5.6% to 6.9% (+1.3 points, 95% interval +0.4 to +2.2)."""
    start, end = fmean(outcome.start), fmean(outcome.end)
    if outcome.change is None:
        return f"went from {start:.1%} to {end:.1%}"
    verb = "went"
    if outcome.change.clear:
        verb = "rose" if outcome.change.estimate > 0 else "fell"
    suffix = "" if outcome.change.clear else ", no clear change"
    return f"{verb} from {start:.1%} to {end:.1%} ({points(outcome.change)}{suffix})"


def points(interval: Interval) -> str:
    """For example: +1.3 points, 95% interval +0.4 to +2.2."""
    mean, low, high = (100 * value for value in interval)
    return f"{mean:+.1f} points, 95% interval {low:+.1f} to {high:+.1f}"


def _verdict(interval: Interval) -> str:
    return "" if interval.clear else ", which may be chance"


def _name(setting: str) -> str:
    return "fresh adaptive problems" if setting == ADAPTIVE else label(setting)


def _lead(results: Results, first: Summary, second: Summary, which: Which) -> Interval | None:
    """How far the first is ahead, after the last step at which both are summarised or earlier."""
    step = min(first.step, second.step)
    return advantage(results, first.cells, second.cells, step, which)


def notes(results: Results) -> list[str]:
    """What a reader of the table needs to know about this run of the experiment."""
    plan = results.plan
    found: list[str] = []
    missing = [cell for cell in plan.cells() if cell not in results.measured]
    if missing:
        have = "has" if len(missing) == 1 else "have"
        found.append(f"{len(missing)} of {len(plan.cells())} runs {have} no results yet.")
    behind = skipped_cells(results)
    if behind:
        names = ", ".join(f"{cell.name} (at step {_reached(results, cell):,})" for cell in behind)
        found.append(
            f"Not compared, because others are further: {names}. A run that has only been measured "
            "at the start is left out; and, once every way of training has a finished run, one "
            "that has not finished."
        )
    short = [
        cell
        for cell, each in results.measured.items()
        if each[-1].step < plan.steps and cell not in behind
    ]
    if short:
        found.append(
            f"{count(len(short), 'run')} had not reached step {plan.steps:,}; comparisons are made "
            "after the last step that all their runs have reached."
        )
    cut = {
        (origin.trained_on, origin.setting): origin.drawn_from
        for origin in results.origins.values()
        if origin.drawn_from is not None
        and origin.drawn_from[1] < int(origin.setting.split("-")[2])
    }
    for (name, setting), (low, high) in cut.items():
        why = (
            "the environment ends there"
            if environment(name).max_difficulty == high
            else f"the prompts above difficulty {high} are several times longer than the limit of "
            f"{plan.training.data.max_prompt_tokens:,} tokens"
        )
        found.append(
            f"{name}, {label(setting)}: only [{low}, {high}] was drawn from, because {why}; "
            "problems in it that were too long were replaced."
        )
    for name in results.trained_on():
        names = environments_of(name)
        for setting in results.settings(name):
            if adapts(setting) or len(names) == 1:
                continue
            high = range_of(setting)[1]
            ends = [environment(each).max_difficulty for each in names]
            lower = [end for end in ends if end is not None and end < high]
            if lower:
                found.append(
                    f"{name}, {label(setting)}: {count(len(lower), 'environment')} of {len(names)} "
                    "end below that, and were drawn up to their highest difficulty."
                )
        last = [results.measured[cell][-1] for cell in results.cells(name)]
        if last[0].too_long:
            found.append(
                f"{name}: {last[0].too_long:,} of the {last[0].problems:,} problems that accuracy "
                f"is measured on are longer than {plan.training.data.max_prompt_tokens:,} tokens, "
                "and count as not solved."
            )
        failed = sum(e.failures for cell in results.cells(name) for e in results.measured[cell])
        if failed:
            found.append(
                f"{name}: {failed:,} outputs for these problems could not be judged, and count as "
                "not solved."
            )
    return found


def _reached(results: Results, cell: Cell) -> int:
    """The last step of a run."""
    return max((row.step for row in results.steps[cell]), default=0)


def cost(results: Results) -> str:
    """How much was sampled, and how long it took."""
    steps = [rows[-1] for rows in results.steps.values() if rows]
    tokens = sum(row.tokens for rows in results.steps.values() for row in rows)
    rollouts = sum(row.rollouts for rows in results.steps.values() for row in rows)
    seconds = sorted(row.seconds for row in steps)
    devices = listed(sorted({origin.device for origin in results.origins.values()})) or "unknown"
    made = sum(row.step for row in steps)
    text = (
        f"{count(len(steps), 'run')}, {made:,} steps in all, {rollouts:,} rollouts and {tokens:,} "
        f"sampled tokens, on {devices}."
    )
    if not seconds:
        return text
    at_once = max(origin.at_once for origin in results.origins.values())
    took = " to ".join(dict.fromkeys((duration(seconds[0]), duration(seconds[-1]))))
    return (
        f"{text} A run took {took}, start-up not counted; a command ran up to {at_once} at a time."
    )
