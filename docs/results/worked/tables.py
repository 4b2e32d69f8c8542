"""Prints the numbers of this page from metrics.jsonl and validation.jsonl, in the same folder."""

import json
from pathlib import Path
from statistics import fmean

from rlve.collections import HELD_OUT
from rlve.intervals import over_runs

steps, tests = {}, {}
for line in Path("metrics.jsonl").read_text().splitlines():
    row = json.loads(line)
    steps.setdefault(row["run"], []).append(row)
for line in Path("validation.jsonl").read_text().splitlines():
    row = json.loads(line)
    tests.setdefault(row["run"], {})[row["step"]] = row


def runs(way):
    """The runs of a way, unless they ended before they were measured again."""
    return [run for run in sorted(tests) if run.startswith(f"{way}/") and max(tests[run])]


def last(*ways):
    """The last step at which all runs of these ways were measured."""
    return max(set.intersection(*(set(tests[run]) for way in ways for run in runs(way))))


def marks(found):
    return {
        (name, int(level), i): float(mark)
        for name, levels in found.items()
        for level, marked in levels.items()
        for i, mark in enumerate(marked)
    }


def solved(run, step):
    return marks(tests[run][step]["measured"][0]["solved"])


def seen(*ways):
    """The problems that came up in a run of these ways."""
    found = [marks(tests[run][last(*ways)]["seen"]) for way in ways for run in runs(way)]
    return {key for each in found for key, mark in each.items() if mark}


def show(text, first, second, keep):
    """The means of two lists of runs on what to keep, and the difference."""
    keys = [key for key in first[0] if keep(key)]
    if not keys:
        print(f"{text}: no problems")
        return
    ways = [[[run[key] for key in keys] for run in way] for way in (first, second)]
    shares = [", ".join(f"{100 * fmean(run):.1f}" for run in way) for way in ways]
    change = over_runs(*ways, [name for name, _, _ in keys])
    print(f"{text} ({len(keys)}): {shares[0]} | {shares[1]} |", end=" ")
    print("{:+.1f} ({:+.1f} to {:+.1f})".format(*(100 * value for value in change)))


def levels(way, step):
    """Accuracy by environment and level, the mean of the runs."""
    each = [tests[run][step]["measured"][0]["by_level"] for run in runs(way)]
    for name in each[0]:
        if name not in HELD_OUT:
            shares = [fmean(run[name][level] for run in each) for level in each[0][name]]
            print("  ", way, name, *(f"{100 * share:.0f}" for share in shares))


def course(way, step):
    """The first and the last ten steps up to this one, by run."""
    for run in runs(way):
        done = [row for row in steps[run] if row["step"] <= step]
        print(f"   {run}:", end="")
        for key in ("entropy", "effective_prompt_ratio", "response_tokens", "hinted_accuracy"):
            ends = [[row[key] for row in part if key in row] for part in (done[:10], done[-10:])]
            print(f" {key}", *(f"{fmean(end):.3f}" if end else "-" for end in ends), end=";")
        h = done[-1]["h"]
        hinted = sum(row.get("hinted_groups", 0) for row in done)
        print(f" h {fmean(h.values()):.2f}, above 0 in {sum(map(bool, h.values()))} of {len(h)}", h)
        print("   hinted groups", hinted, "at the end", done[-1].get("hints"))


def taught():
    """(a): answers only, and worked solutions."""
    at = last("worked", "answers")
    print(f"(a) after {at} steps: worked | answers | difference")
    for run in runs("worked") + runs("answers"):
        tokens = sum(row["answer_tokens"] for row in steps[run] if row["step"] <= at)
        test = tests[run][at]["measured"][0]
        print(f"   {run}: {tokens} tokens taught, {test['ill_formed']} ill-formed,", end=" ")
        print(f"{test['truncated']} truncated")
    worked, answers = ([solved(run, at) for run in runs(way)] for way in ("worked", "answers"))
    untaught = [solved(runs("worked")[0], 0)]  # all begin with the same model
    known = seen("worked", "answers")
    for text, keep in {
        "C16": lambda key: key[0] not in HELD_OUT,
        "C16, d = 0, 1": lambda key: key[0] not in HELD_OUT and key[1] < 2,
        "C16, d = 2 to 4": lambda key: key[0] not in HELD_OUT and key[1] > 1,
        "C16, not seen": lambda key: key[0] not in HELD_OUT and key not in known,
        "HELD_OUT": lambda key: key[0] in HELD_OUT,
    }.items():
        show(text, worked, answers, keep)
        show(f"{text}, worked | untaught", worked, untaught, keep)
    levels("answers", at)
    levels("worked", at)


def trained(part, ways, easy):
    """(b) and (c): two ways of training from rewards."""
    at = last(*ways)
    known = seen(*ways)
    before, after = ([[solved(run, s) for run in runs(way)] for way in ways] for s in (0, at))
    gains = [
        [
            {key: mark - solved(run, 0)[key] for key, mark in solved(run, at).items()}
            for run in runs(way)
        ]
        for way in ways
    ]
    print(f"({part}) after {at} steps: {' | '.join(ways)} | difference")
    for text, keep in {
        "all": lambda key: True,
        f"d < {easy}": lambda key: key[1] < easy,
        f"d >= {easy}": lambda key: key[1] >= easy,
        "not seen": lambda key: key not in known,
    }.items():
        show(f"before, {text}", *before, keep)
        show(f"after, {text}", *after, keep)
        show(f"gain, {text}", *gains, keep)
        for i, way in enumerate(ways):
            show(f"{way}: after | before, {text}", after[i], before[i], keep)
    for way in ways:
        levels(way, at)
        course(way, at)


if __name__ == "__main__":
    taught()
    trained("b", ("rl-light", "rl-thorough"), 2)
    trained("c", ("hints", "no-hints"), 1)
