"""What an experiment found: every way of training against the first, and notes."""

from collections.abc import Iterator, Sequence
from statistics import fmean

from rlve.intervals import Interval, include_runs, over_problems
from rlve.registry import environment
from rlve.reports.pages import Rows, duration, join_words, render
from rlve.studies.comparison import (
    Summary,
    advantage,
    list_test_problems,
    rates_of,
    skipped_cells,
    unseen_problems,
)
from rlve.studies.experiments import brief, environments_of
from rlve.studies.records import Results
from rlve.studies.settings import ADAPTIVE, adapts, label, range_of
from rlve.text import quantity

HEADINGS = (
    "trained on",
    "setting",
    "against",
    "trained",
    "held out",
    "problems not seen in training",
    "start",
    "end",
    "difference",
)
EXPLANATION = (
    "Differences are in points, with 95% intervals over problems or environments, and over seeds "
    "if there are several; where an interval includes 0, the difference may be chance. Some test "
    "problems also came up in training: the last columns are without those that came up in any of "
    "the runs compared."
)


def table(results: Results, summaries: Sequence[Summary]) -> Rows:
    """Every way of training against the first it is compared with."""
    rows: list[tuple[str, ...]] = []
    for ways in _comparisons(results, summaries):
        first = ways[0]
        name = label(first.setting) if len(results.plan.settings) > 1 else _on(first)
        for way in ways:
            told = ("", "", "")
            if way is not first:
                told = (
                    name,
                    points(advantage(results, way.cells, first.cells, way.step, "trained")),
                    points(advantage(results, way.cells, first.cells, way.step, "held out")),
                )
            alike = [each for each in ways if each.trained_on == way.trained_on]
            new = _on_new_problems(results, way, alike)
            rows.append((brief(way.trained_on), label(way.setting), *told, *new))
    return Rows(HEADINGS, rows)


def _on_new_problems(results: Results, way: Summary, ways: Sequence[Summary]) -> Iterator[str]:
    """The outcome on test problems that came up in the training of none of these ways."""
    cells = [cell for each in ways for cell in each.cells]
    asked = len(list_test_problems(results, cells[0]))
    new = unseen_problems(results, cells, way.step)
    if not 0 < len(new) < asked:
        yield from "----"
        return
    start, end, first = (
        rates_of(results, each.cells, step, new)
        for each, step in ((way, 0), (way, way.step), (ways[0], way.step))
    )
    yield f"{len(new):,} of {asked:,}"
    yield f"{fmean(start):.1%}"
    yield f"{fmean(end):.1%}"
    if way is ways[0]:
        yield ""
        return
    change = over_problems([[a - b for a, b in zip(end, first, strict=True)]])
    runs = (
        [fmean(rates_of(results, [cell], way.step, new)) for cell in each.cells]
        for each in (way, ways[0])
    )
    yield points(change and include_runs(change, *runs))


def sentences(results: Results, summaries: Sequence[Summary]) -> list[str]:
    """The best way of training in each comparison, and how far it is ahead of the next."""
    found: list[str] = []
    for ways in _comparisons(results, summaries):
        which = "trained" if len({way.trained_on for way in ways}) == 1 else "held out"
        ends = {
            way.setting if which == "trained" else way.trained_on: (way, outcome)
            for way in ways
            if (outcome := way.trained if which == "trained" else way.held_out) is not None
        }
        order = sorted(ends.values(), key=lambda each: -fmean(each[1].end))
        if len(order) < 2:
            continue
        (best, _), (next_best, _) = order[:2]
        lead = advantage(results, best.cells, next_best.cells, best.step, which)
        where = brief(best.trained_on) if which == "trained" else "Held-out environments"
        told = ", ".join(
            f"{label(way.setting) if which == 'trained' else _on(way)} {fmean(outcome.end):.1%}"
            for way, outcome in order
        )
        chance = "" if lead is None or lead.clear else ", which may be chance"
        ahead = "" if lead is None else f" The first is ahead by {points(lead)} points{chance}."
        found.append(f"{where}, after {quantity(best.step, 'step')}: {told}.{ahead}")
    return [*found, *_heights(results, summaries)]


def _comparisons(results: Results, summaries: Sequence[Summary]) -> list[list[Summary]]:
    """The ways that are compared with one another, Algorithm 1 first."""
    several = len(results.plan.settings) > 1
    groups: dict[str, list[Summary]] = {}
    for each in summaries:
        groups.setdefault(each.trained_on if several else "", []).append(each)
    return [
        sorted(ways, key=lambda way: several and way.setting != ADAPTIVE)
        for ways in groups.values()
    ]


def _on(way: Summary) -> str:
    return f"{brief(way.trained_on)} ({quantity(way.environments, 'environment')})"


def _heights(results: Results, summaries: Sequence[Summary]) -> Iterator[str]:
    """How far the environments of a collection have come, if difficulty adapts."""
    for way in summaries:
        highs = [h for cell in way.cells for h in results.highest(cell, way.step).values()]
        if way.environments > 1 and highs:
            found = (
                f"from {min(highs)} to {max(highs)}, {fmean(highs):.1f} on average, and 0 in "
                f"{highs.count(0) / len(highs):.0%} of the environments"
                if max(highs)
                else "still 0 in all environments"
            )
            yield f"{brief(way.trained_on)}, {label(way.setting)}: h is {found}."


def points(interval: Interval | None) -> str:
    """For example: +1.3 (+0.4 to +2.2)."""
    if interval is None:
        return "-"
    mean, low, high = (100 * value for value in interval)
    return f"{mean:+.1f} ({low:+.1f} to {high:+.1f})"


def notes(results: Results) -> list[str]:
    """What a reader of the table needs to know about this run of the experiment."""
    plan, behind = results.plan, skipped_cells(results)
    last = {cell: measured[-1] for cell, measured in results.measured.items()}
    text = render(
        "experiment_notes.txt",
        plan=plan,
        missing=sum(cell not in results.measured for cell in plan.cells()),
        behind={c: max((row.step for row in results.steps[c]), default=0) for c in behind},
        short=sum(last[cell].step < plan.steps for cell in last if cell not in behind),
        cut=dict.fromkeys(_cut_ranges(results)),
        trained_on=[
            (
                name,
                {label(each): _below(name, each) for each in results.settings(name)},
                len(environments_of(name)),
                last[results.cells(name)[0]],
                sum(e.failures for cell in results.cells(name) for e in results.measured[cell]),
            )
            for name in results.trained_on()
        ],
    )
    return text.splitlines()


def _cut_ranges(results: Results) -> Iterator[tuple[str, str, int, int, bool]]:
    """The ranges that were not drawn from as far as they go, and whether environments end there."""
    for origin in results.origins.values():
        if origin.drawn_from and origin.drawn_from[1] < range_of(origin.setting)[1]:
            ends = environment(origin.trained_on).max_difficulty == origin.drawn_from[1]
            yield origin.trained_on, label(origin.setting), *origin.drawn_from, ends


def _below(trained_on: str, setting: str) -> int:
    """How many of several environments end below a static range's highest difficulty."""
    names = environments_of(trained_on)
    if adapts(setting) or len(names) == 1:
        return 0
    ends = [environment(name).max_difficulty for name in names]
    return sum(end is not None and end < range_of(setting)[1] for end in ends)


def cost(results: Results) -> str:
    """How much was sampled, and how long it took."""
    steps = [rows[-1] for rows in results.steps.values() if rows]
    tokens = sum(row.tokens for rows in results.steps.values() for row in rows)
    rollouts = sum(row.rollouts for rows in results.steps.values() for row in rows)
    seconds = sorted(row.seconds for row in steps)
    devices = (
        join_words(sorted({origin.device for origin in results.origins.values()})) or "unknown"
    )
    made = sum(row.step for row in steps)
    text = (
        f"{quantity(len(steps), 'run')}, {made:,} steps in all, {rollouts:,} rollouts and "
        f"{tokens:,} sampled tokens, on {devices}."
    )
    if not seconds:
        return text
    at_once = max(origin.at_once for origin in results.origins.values())
    took = " to ".join(dict.fromkeys((duration(seconds[0]), duration(seconds[-1]))))
    return (
        f"{text} A run took {took}, start-up not counted; a command ran up to {at_once} at a time."
    )
