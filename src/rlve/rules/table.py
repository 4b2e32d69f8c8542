"""The table of rules, and how one is run."""

import io
from collections.abc import Callable, Iterable, Iterator
from contextlib import redirect_stdout
from typing import TypeAlias

from rlve.errors import UserError, raised
from rlve.registry import is_dialogue
from rlve.rules.answers import reference, wrong_answers
from rlve.rules.declarations import declared, generates, levels, prompt
from rlve.rules.dialogues import players, replies
from rlve.rules.guesses import guesses
from rlve.rules.parts import parts
from rlve.rules.records import reproducible, round_trip
from rlve.rules.subject import Complaint, Subject, short
from rlve.rules.untrusted import hostile, quick
from rlve.rules.worked import worked

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
    "parts": parts,
    "worked": worked,
    "hostile": hostile,
    "guesses": guesses,
    "quick": quick,
    "replies": replies,
    "players": players,
}

# They are about answers in one message; `replies` and `players` stand for them in a dialogue.
OF_ANSWERS = ("reference", "wrong_answers", "parts", "worked", "guesses")


def select(names: Iterable[str]) -> list[str]:
    """The rules with these names, in the order they run."""
    wanted = set(names)
    if unknown := sorted(wanted - set(RULES)):
        raise UserError(f"no rule is named {unknown[0]!r}; the rules are {', '.join(RULES)}")
    return [name for name in RULES if name in wanted]


def run(name: str, subject: Subject) -> list[Complaint]:
    """What one rule finds, including what the environment raises or prints."""
    found: list[Complaint] = []
    if name in OF_ANSWERS and is_dialogue(subject.environment):
        return found
    with redirect_stdout(io.StringIO()) as printed:
        try:
            for complaint in RULES[name](subject):
                found.append(complaint)  # one by one, to keep those before an exception
        except Exception as error:  # noqa: BLE001  an environment under check can raise anything
            message = "the rule stopped: the environment raised an exception"
            found.append(Complaint(message=message, evidence=raised(error)))
    if text := printed.getvalue().strip():
        message = "the environment prints: what it has to say belongs in the prompt or an exception"
        found.append(Complaint(message=message, evidence=short(text.splitlines()[0])))
    return found
