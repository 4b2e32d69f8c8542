"""The rules every environment must keep, which any environment can be checked against.

    from rlve.rules import check
    for rule, complaint in check(MyEnvironment):
        print(f"{rule}: {complaint}")

A rule is a function that examines a `Subject`, an environment with the problems it makes at some
levels, and yields all its complaints, not only the first. The tests run the rules on all
environments. `rlve check` runs them on any environment, in separate processes
(rlve.rules.isolation), so that even code that never returns is reported.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from rlve.contract import AnyEnvironment
from rlve.errors import UserError, raised
from rlve.rules.declarations import declared, generates, levels, prompt
from rlve.rules.guessing import guesses
from rlve.rules.judging import reference, wrong_answers
from rlve.rules.records import reproducible, round_trip
from rlve.rules.subject import LEVELS, SEEDS, Complaint, Subject
from rlve.rules.untrusted import hostile, quick
from rlve.rules.worked import worked

__all__ = ["RULES", "Complaint", "Rule", "Subject", "check", "select"]

Rule: TypeAlias = Callable[[Subject], Iterator[Complaint]]

# In the order they run: what an environment declares, what it makes, how it judges.
RULES: dict[str, Rule] = {
    "declared": declared,
    "levels": levels,
    "generates": generates,
    "reproducible": reproducible,
    "round_trip": round_trip,
    "prompt": prompt,
    "reference": reference,
    "wrong_answers": wrong_answers,
    "worked": worked,
    "hostile": hostile,
    "guesses": guesses,
    "quick": quick,
}


def check(
    environment: AnyEnvironment,
    *,
    rules: Iterable[str] = tuple(RULES),
    levels: Iterable[int] = LEVELS,
    seeds: int = SEEDS,
) -> list[tuple[str, Complaint]]:
    """All complaints about an environment, each with the name of the rule it breaks.

    It runs in this process: an environment that loops forever makes it hang.
    """
    subject = Subject(environment, levels=levels, seeds=seeds)
    return [(name, complaint) for name in select(rules) for complaint in run(name, subject)]


def select(names: Iterable[str]) -> list[str]:
    """The rules with these names, in the order they run."""
    wanted = set(names)
    if unknown := sorted(wanted - set(RULES)):
        raise UserError(f"no rule is named {unknown[0]!r}; the rules are {', '.join(RULES)}")
    return [name for name in RULES if name in wanted]


def run(name: str, subject: Subject) -> Iterator[Complaint]:
    """What one rule finds, including any exception that the environment raises."""
    try:
        yield from RULES[name](subject)
    except Exception as error:  # noqa: BLE001  an environment under check can raise anything
        yield Complaint(
            message="the rule stopped: the environment raised an exception", evidence=raised(error)
        )
