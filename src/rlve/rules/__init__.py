"""What every environment must keep, as rules that any environment can be run through.

    from rlve.rules import check
    for rule, complaint in check(MyEnvironment):
        print(f"{rule}: {complaint}")

A rule is a function that looks at a `Subject`, an environment with the problems it makes at some
levels, and yields all its complaints, not only the first. The tests run the rules on all
environments; `rlve check` runs them on any, in processes of their own (rlve.rules.isolation), so
that even one that never returns is reported.
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

__all__ = ["RULES", "Complaint", "Rule", "Subject", "check", "select"]

Rule: TypeAlias = Callable[[Subject], Iterator[Complaint]]

# In the order in which they run: what an environment says, what it makes, how it judges.
RULES: dict[str, Rule] = {
    "declared": declared,
    "levels": levels,
    "generates": generates,
    "reproducible": reproducible,
    "round_trip": round_trip,
    "prompt": prompt,
    "reference": reference,
    "wrong_answers": wrong_answers,
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
    """All complaints about an environment, each with the name of the rule it is about.

    It runs in this process: an environment that loops forever takes it along.
    """
    subject = Subject(environment, levels=levels, seeds=seeds)
    return [(name, complaint) for name in select(rules) for complaint in run(name, subject)]


def select(names: Iterable[str]) -> list[str]:
    """The rules of these names, in the order in which they run."""
    wanted = set(names)
    if unknown := sorted(wanted - set(RULES)):
        raise UserError(f"no rule is named {unknown[0]!r}; there are {', '.join(RULES)}")
    return [name for name in RULES if name in wanted]


def run(name: str, subject: Subject) -> Iterator[Complaint]:
    """What one rule finds; a rule that the environment makes raise reports that too."""
    try:
        yield from RULES[name](subject)
    except Exception as error:  # noqa: BLE001  an environment under check can raise anything
        yield Complaint(
            message="the rule could not go on: the environment raised", evidence=raised(error)
        )
