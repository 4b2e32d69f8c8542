"""`rlve check`."""

import json as jsonlib
import sys
import time
from contextlib import closing
from typing import Annotated

import msgspec
from tyro.conf import arg

from rlve.cli import FAULTY, INTERRUPTED
from rlve.cli._options import Flag, Selection, Workers, metavar
from rlve.errors import UserError
from rlve.foundation.limits import AtLeastOne, check_limit
from rlve.levels import as_difficulties
from rlve.pool import usable_cores
from rlve.registry import dialogues, environments
from rlve.reports.terminal import echo, print_table, progress_bar
from rlve.rules import RULES, Complaint, check_all
from rlve.rules import select as select_rules
from rlve.rules.checks import CheckReport, RuleOutcome
from rlve.targets import check_target
from rlve.text import quantity

MOST_CASES = 3  # examples of a fault to print


def run(
    *,
    selection: Selection = Selection(),  # noqa: B008  frozen
    all: Flag = False,  # noqa: A002  the flag's name
    difficulties: Annotated[str, arg(aliases=["-d"], metavar="LIST")] = "0..20",
    seeds: Annotated[int, arg(metavar="INT")] = 3,
    rules: Annotated[str, metavar("LIST", hint="(default: all)")] = "",
    deadline: Annotated[float, arg(metavar="SECONDS")] = 10.0,
    workers: Workers = None,
    json: Flag = False,
) -> int:
    """Check environments against the rules that all of them must follow, and print what is wrong.

    Environments are checked in processes of their own, so that one that never returns, or kills its
    process, is also reported. Every fault is counted once, and shown with examples. The exit
    code is 1 if there are any. Faults that an environment excuses (see `guessable` in the
    documentation) are shown, but do not count. Ctrl-C shows what has been found so far.

    Args:
        selection: The environments to check.
        all: Check all environments, including those that other packages add.
        difficulties: For example 0..20 or 0,5,10; those above max_difficulty are left out.
        seeds: Problems per level to check; some rules check more.
        rules: Only these rules, for example hostile,guesses.
        deadline: Time allowed for one step of an environment, such as generating a problem.
        workers: Environments to check at the same time.
        json: Print JSON, with every single complaint.
    """
    # They are imported where they are checked, since importing one can hang or crash.
    if all and selection:
        raise UserError("--all checks everything; leave out names, --collection and --family")
    names = [*environments(), *dialogues()] if all else selection.targets()
    targets = [check_target(name) for name in names]
    chosen = select_rules(rule.strip() for rule in rules.split(",")) if rules else list(RULES)
    check_limit("seeds", seeds, AtLeastOne)
    start = time.perf_counter()
    reports: list[CheckReport] = []
    interrupted = False
    with progress_bar("environments") as bar:
        task = bar.add_task("", total=len(targets))
        checked = check_all(
            targets,
            rules=chosen,
            levels=as_difficulties(difficulties),
            seeds=seeds,
            workers=workers or usable_cores(),
            deadline=deadline,
        )
        try:
            with closing(checked):
                for report in checked:
                    reports.append(report)
                    bar.advance(task)
        except KeyboardInterrupt:  # the results so far are worth showing
            interrupted = True
    reports.sort(key=lambda report: targets.index(report.target))
    if json:
        echo(jsonlib.dumps([_record(report) for report in reports], indent=2))
    elif reports:
        _print_table(reports, chosen)
        for report in reports:
            _print_complaints(report)
        _print_summary(reports, time.perf_counter() - start)
    if interrupted:
        left = len(targets) - len(reports)
        echo(f"rlve: interrupted; {left:,} of {len(targets):,} not checked", file=sys.stderr)
        return INTERRUPTED
    return FAULTY if any(report.faults for report in reports) else 0


def _print_table(reports: list[CheckReport], rules: list[str]) -> None:
    """A row per environment, and a column per rule that is broken somewhere."""
    rules = [rule for rule in rules if any(_cell(report, rule) != "ok" for report in reports)]
    rows = [
        (
            report.target,
            *(_cell(report, rule) for rule in rules),
            "ok" if not report.faults else f"{report.faults:,}",
            f"{report.seconds:.1f} s",
        )
        for report in reports
    ]
    print_table(("environment", *rules, "in all", "time"), rows)


def _cell(report: CheckReport, rule: str) -> str:
    """ok, the number of faults, the number of excused ones in parentheses, or - if not run."""
    outcome = report.outcomes.get(rule)
    if outcome is None:
        return "-"
    if outcome.faults:
        return str(len(outcome.faults))
    return f"({len(_by_message(outcome))})" if outcome.complaints else "ok"


def _print_complaints(report: CheckReport) -> None:
    """Print each complaint once, with examples."""
    for rule, outcome in report.outcomes.items():
        for message, cases in _by_message(outcome).items():
            excused = " (excused)" if all(case.excused for case in cases) else ""
            echo(f"\n{report.target}: {rule}{excused}\n  {message}")
            examples = [example for case in cases if (example := _example(case))]
            for example in examples[:MOST_CASES]:
                echo(f"    {example}")
            if len(examples) > MOST_CASES:
                echo(f"    and {len(examples) - MOST_CASES:,} more like it; --json prints all")


def _by_message(outcome: RuleOutcome) -> dict[str, list[Complaint]]:
    groups: dict[str, list[Complaint]] = {}
    for complaint in outcome.complaints:
        groups.setdefault(complaint.message, []).append(complaint)
    return groups


def _example(complaint: Complaint) -> str:
    """Where a complaint arose, and the evidence."""
    where = complaint.where()
    return (
        f"{where}: {complaint.evidence}"
        if where and complaint.evidence
        else where or complaint.evidence
    )


def _print_summary(reports: list[CheckReport], seconds: float) -> None:
    faulty = sum(report.faults > 0 for report in reports)
    result = f"{faulty:,} with complaints" if faulty else "no complaints"
    echo(f"\n{quantity(len(reports), 'environment')} checked in {seconds:.0f} s: {result}")


def _record(report: CheckReport) -> dict[str, object]:
    return {
        "environment": report.target,
        "complaints": report.faults,
        "seconds": round(report.seconds, 3),
        "rules": {
            rule: {
                "seconds": round(outcome.seconds, 3),
                "complaints": msgspec.to_builtins(outcome.complaints),
            }
            for rule, outcome in report.outcomes.items()
        },
    }
