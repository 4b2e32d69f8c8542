"""What a run has learnt: accuracy on test problems, before, during and after."""

from collections.abc import Callable, Sequence

import msgspec

from rlve.foundation.intervals import beyond_chance, chance_of, change_interval, wilson
from rlve.reports.pages import Rows, join_words
from rlve.text import quantity
from rlve.train.history import Accuracy, ValidationRecord

NAMED_AT_MOST = 4  # environments; of more, only those with the largest changes are named


def sentence(records: Sequence[ValidationRecord]) -> str:
    """What got better and what got worse, or that accuracy was not measured."""
    if not records:
        return "Accuracy on test problems was not measured."
    first, last = records[0], records[-1]
    told = changes(first, last, lambda accuracy: accuracy.mean(last.trained))
    text = f"On {quantity(last.trained_problems, 'test problem')} accuracy {told}."
    if last.step > first.step:
        text += _certainty(first, last)
    text += _without_seen(first, last)
    if last.step == first.step:
        return text
    text += _by_environment(first, last, first.trained)
    if last.held_out:
        was, now = first.measured[-1].mean(last.held_out), last.measured[-1].mean(last.held_out)
        text += (
            f" On {quantity(len(last.held_out), 'environment')} that it was not trained on, "
            f"accuracy went from {was:.1%} to {now:.1%} at temperature "
            f"{last.measured[-1].temperature:g}."
        )
    return text


def changes(
    first: ValidationRecord, last: ValidationRecord, share: Callable[[Accuracy], float]
) -> str:
    """What accuracy is or how it has changed, at each temperature."""
    if last.step == first.step:
        return "is " + join_words(
            f"{share(now):.1%} at temperature {now.temperature:g}" for now in last.measured
        )
    return "went " + join_words(
        f"from {share(was):.1%} to {share(now):.1%} at temperature {now.temperature:g}"
        for was, now in zip(first.measured, last.measured, strict=True)
    )


def _certainty(first: ValidationRecord, last: ValidationRecord) -> str:
    """The 95% intervals of the changes over problems, and whether they may be chance."""
    told: list[str] = []
    for was, now in zip(first.measured, last.measured, strict=True):
        turned = problems_turned(was, now, first.trained)
        low, high = (100 * each for each in change_interval(*turned, last.trained_problems))
        chance = " (may be chance)" if low <= 0 <= high else ""
        told.append(f"{low:+.1f} to {high:+.1f}{chance}")
    return f" 95% intervals of the change: {join_words(told)} points."


def _without_seen(first: ValidationRecord, last: ValidationRecord) -> str:
    """How many of the problems have come up in training, and accuracy on the others."""
    seen = last.seen
    if seen is msgspec.UNSET or not last.seen_problems:
        return ""
    text = f" {last.seen_problems:,} of them also came up in training"
    others = last.trained_problems - last.seen_problems
    if not others:
        return f"{text}."

    def share(accuracy: Accuracy) -> float:
        solved = (
            mark
            for name, levels in seen.items()
            for level, known in levels.items()
            for mark, trained_on in zip(accuracy.solved[name][level], known, strict=True)
            if trained_on == "0"
        )
        return sum(map(int, solved)) / others

    return f"{text}; on the other {others:,} it {changes(first, last, share)}."


def _by_environment(first: ValidationRecord, last: ValidationRecord, names: Sequence[str]) -> str:
    """The environments whose accuracy rose, and fell, beyond chance, at the first temperature."""
    was, now = first.measured[0], last.measured[0]
    change = {name: now.mean([name]) - was.mean([name]) for name in names}
    chances = {name: chance_of(problems_turned(was, now, [name])) for name in names}
    clear = beyond_chance(chances)
    better = sorted((n for n in clear if change[n] > 0), key=lambda n: -change[n])
    worse = sorted((n for n in clear if change[n] < 0), key=lambda n: change[n])

    def name_some(which: Sequence[str]) -> str:
        named = [f"{name} ({100 * change[name]:+.1f})" for name in which[:NAMED_AT_MOST]]
        rest = len(which) - len(named)
        return join_words([*named, *([f"{rest} more"] if rest else [])])

    if not better and not worse:
        return f" No environment changed beyond chance at temperature {now.temperature:g}."
    parts = [f"better in {name_some(better)}"] if better else []
    parts.append(f"worse in {name_some(worse) if worse else 'none'}")
    return f" At temperature {now.temperature:g} it got {', and '.join(parts)}, beyond chance."


def problems_turned(was: Accuracy, now: Accuracy, names: Sequence[str]) -> tuple[int, int]:
    """How many problems of these environments were solved only after the run, and only before."""
    pairs = [
        pair
        for name in names
        for level, marks in was.solved[name].items()
        for pair in zip(marks, now.solved[name][level], strict=True)
    ]
    return pairs.count(("0", "1")), pairs.count(("1", "0"))


def by_level(records: Sequence[ValidationRecord]) -> Rows:
    """A table: before and after, by environment and level, at each temperature.

    Where a level has as many problems in all environments, its heading says how many.
    """
    first, last = records[0], records[-1]
    levels = sorted({level for levels in first.measured[0].by_level.values() for level in levels})
    marks = last.measured[-1].solved.values()
    numbers = {d: {len(found[d]) for found in marks if d in found} for d in levels}
    each = {d: found.pop() if len(found) == 1 else 0 for d, found in numbers.items()}
    rows: list[tuple[str, ...]] = []
    for was, now in zip(first.measured, last.measured, strict=True):
        for name in now.by_level:
            kind = f"{name} (held out)" if name in last.held_out else name
            cells = [_cell(was, now, name, d, said=each[d] > 0) for d in levels]
            rows.append((kind, f"{now.temperature:g}", *cells, _change(was, now, name)))
    told = (f"d = {d}, n = {each[d]}" if each[d] else f"d = {d}" for d in levels)
    return Rows(("environment", "T", *told, "change"), rows)


def _cell(was: Accuracy, now: Accuracy, name: str, level: int, *, said: bool) -> str:
    if level not in now.by_level[name]:
        return ""
    problems = len(now.solved[name][level]) if now.solved else 0
    told = with_interval(now.by_level[name][level], problems)
    return f"{100 * was.by_level[name][level]:.0f} → {told.partition(',')[0] if said else told}"


def _change(was: Accuracy, now: Accuracy, name: str) -> str:
    """In points, with its interval if it is known which problems were solved."""
    change = f"{100 * (now.mean([name]) - was.mean([name])):+.1f}"
    if not was.solved or not now.solved:
        return change
    problems = sum(map(len, now.solved[name].values()))
    low, high = change_interval(*problems_turned(was, now, [name]), problems)
    return f"{change} ({100 * low:+.0f} to {100 * high:+.0f})"


def with_interval(share: float, problems: int) -> str:
    """For example: 62% (47 to 75), n = 40; the share alone if that number is not known."""
    if not problems:
        return f"{share:.0%}"
    _, low, high = wilson(share, problems)
    return f"{share:.0%} ({100 * low:.0f} to {100 * high:.0f}), n = {problems:,}"
