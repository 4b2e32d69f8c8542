"""Rules about what an environment declares: its class, its levels, its prompts."""

import inspect
import re
import typing
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, cast

import msgspec

from rlve.contract import AnyEnvironment, Environment, Level, Problem
from rlve.errors import UserError
from rlve.rules.subject import (
    GENERATE,
    Case,
    Complaint,
    Raised,
    Subject,
    per_problem,
    placeholders,
    short,
)

MAX_PROMPT = 32_000
OUTPUT_FORMAT = "Output format:"
BARE: tuple[type, ...] = (list, dict, tuple, set)
FAR_BEYOND = 3  # levels above max_difficulty to try


def declared(subject: Subject) -> Iterator[Complaint]:
    """The class is documented, frozen and typed, and defines all that the contract requires."""
    cls = subject.environment
    if not (cls.__dict__.get("__doc__") or "").strip():
        yield Complaint(message="the class has no docstring: state the task in one sentence")
    own = cls.__mro__[: cls.__mro__.index(Environment)]
    for name in ("template", "level", "sample", "parse", "score"):
        if not any(name in base.__dict__ for base in own):
            yield Complaint(message=f"the class does not define {name}")
    if not cast(Any, cls).__struct_config__.frozen:
        yield Complaint(message="problems can be changed: declare the class frozen")
    yield from _untyped_fields(cls)
    highest = cast(object, cls.max_difficulty)
    if highest is not None and (not isinstance(highest, int) or highest < 0):
        yield Complaint(message=f"max_difficulty is {highest!r}: give an integer >= 0 or None")
    reason = cast(object, cls.guessable)
    if reason is not None and (not isinstance(reason, str) or not reason.strip()):
        yield Complaint(message=f"guessable is {reason!r}: give the reason in a sentence, or None")
    essence = cast(object, cls.unique_up_to)
    if essence is not None and not callable(essence):
        yield Complaint(message=f"unique_up_to is {essence!r}: give a function of answers, or None")
    if not subject.levels:
        yield Complaint(
            message=f"none of the requested levels exist: max_difficulty is {highest!r}"
        )


def _untyped_fields(cls: AnyEnvironment) -> Iterator[Complaint]:
    try:
        hints = typing.get_type_hints(cls)
    except NameError as error:
        yield Complaint(message=f"the type of a field cannot be resolved: {error}")
        return
    for field in msgspec.structs.fields(cls):
        if vague := _vague(hints[field.name]):
            yield Complaint(message=f"the field {field.name} is typed {vague}: say what it holds")


def _vague(hint: object) -> str | None:
    """The part of a type that says nothing about its values."""
    if hint is Any or hint is object:
        return "Any" if hint is Any else "object"
    if isinstance(hint, type) and hint in BARE:
        return hint.__name__
    return next(filter(None, map(_vague, typing.get_args(hint))), None)


def levels(subject: Subject) -> Iterator[Complaint]:
    """level(d) returns arguments that sample accepts, and its settings grow with d."""
    valid: dict[int, list[Level]] = {}
    for d in subject.levels:
        first, again = (
            subject.timed("level()", d, None, lambda d=d: subject.environment.level(d))[0]
            for _ in range(2)
        )
        if isinstance(first, Raised):
            yield Complaint(
                message="level() raised an exception", difficulty=d, evidence=first.text
            )
            continue
        if first != again:
            yield Complaint(message="level() gave two lists for the same difficulty", difficulty=d)
        complaints = list(_settings(subject.environment, first))
        yield from (Complaint(message=text, difficulty=d) for text in complaints)
        if not complaints:
            valid[d] = first
    yield from _growth(valid)


def _settings(environment: AnyEnvironment, level: object) -> Iterator[str]:
    if not isinstance(level, list) or not level:
        yield f"level() must return a list of at least one dict, not {_shown(cast(object, level))}"
        return
    signature = inspect.signature(environment.sample)
    for settings in cast(list[object], level):
        if not isinstance(settings, dict):
            yield f"level() must return a list of dicts; one entry is {_shown(settings)}"
            continue
        try:
            signature.bind(None, **cast(dict[str, object], settings))
        except TypeError as error:
            yield f"sample() does not accept the settings {_shown(cast(object, settings))}: {error}"


def _shown(value: object) -> str:
    return repr(value)[:60]


def _growth(valid: dict[int, list[Level]]) -> Iterator[Complaint]:
    """Compare the largest value of each setting: choices within a level may come and go."""
    tops = {d: _tops(level) for d, level in valid.items()}
    order = sorted(tops)
    for below, above in pairwise(order):
        shared = tops[below].keys() & tops[above].keys()
        shrunk = sorted(key for key in shared if tops[above][key] < tops[below][key])
        grown = [key for key in tops[above] if tops[above][key] > tops[below].get(key, 0)]
        if shrunk and not grown:
            key = shrunk[0]
            yield Complaint(
                message=f"the setting {key} is smaller than at difficulty {below}, and none is "
                "larger: a level must not be easier than the one before it",
                difficulty=above,
                evidence=f"{tops[below][key]} -> {tops[above][key]}",
            )
    if len(order) > 1 and order[-1] - order[0] >= 5 and valid[order[0]] == valid[order[-1]]:
        yield Complaint(
            message=f"the level is the same at difficulties {order[0]} and {order[-1]}: make it "
            "grow, or set max_difficulty where it stops growing"
        )


def _tops(level: list[Level]) -> dict[str, float]:
    tops: dict[str, float] = {}
    for settings in level:
        for key, value in settings.items():
            if isinstance(value, int | float):
                tops[key] = max(value, tops.get(key, value))
    return tops


def generates(subject: Subject) -> Iterator[Complaint]:
    """Every level can be generated, and a level that does not exist is clearly refused."""
    for _ in subject.cases():
        pass
    yield from subject.failed()
    highest = cast(object, subject.environment.max_difficulty)
    refused: list[object] = [-1, 0.5]
    if isinstance(highest, int):
        refused += range(highest + 1, highest + 1 + FAR_BEYOND)
    for difficulty in refused:
        yield from _refusal(subject, cast(int, difficulty), highest)


def _refusal(subject: Subject, difficulty: int, highest: object) -> Iterator[Complaint]:
    def generate() -> Problem | UserError:
        try:
            return subject.environment.generate(difficulty=difficulty, seed=0)
        except UserError as error:
            return error

    result, _ = subject.timed(GENERATE, None, None, generate)
    if isinstance(result, UserError):
        return
    wanted = "an integer >= 0" if not highest or difficulty < 1 else f"at most {highest}"
    yield Complaint(
        message="generate() must raise a UserError for a difficulty that does not exist",
        evidence=f"{difficulty!r}, which should be {wanted}: "
        + (result.text if isinstance(result, Raised) else "it returned a problem"),
    )


# How a Python object looks when nobody has decided how to write it.
REPR = re.compile(
    r"<[^<>\n]{1,80} at 0x[0-9a-fA-F]+>|<(?:class|function|built-in|module|bound method) [^<>\n]*>"
    r"|\b(?:dict_(?:keys|values|items)|Fraction|Decimal|deque|Counter|defaultdict|frozenset"
    r"|np\.\w+|array)\([\[{'\d]"
)


@per_problem
def prompt(subject: Subject, case: Case) -> Iterator[Complaint]:
    """The prompt states the output format, is filled in, hides the answer, and is not too long."""
    text = case.problem.prompt()
    if case.problem.prompt() != text:
        yield case.complain("prompt() gives a different text when called again")
    if not any(line.strip().startswith(OUTPUT_FORMAT) for line in text.splitlines()):
        yield case.complain(f"the prompt has no line that starts with {OUTPUT_FORMAT!r}")
    if len(text) > MAX_PROMPT:
        yield case.complain(
            f"the prompt has more than {MAX_PROMPT:,} characters: set max_difficulty to the last "
            "level that always fits",
            f"{len(text):,} characters",
        )
    names = {field.name for field in msgspec.structs.fields(case.problem)}
    shown = placeholders(case.problem.template)
    for name in sorted(names | shown):
        if "{" + name + "}" in text:
            yield case.complain(f"the prompt contains {{{name}}}, which was not filled in")
    for name in sorted(shown & {"reference_answer", "gold_answer"}):
        yield case.complain(f"the template shows {{{name}}}: the prompt gives the answer away")
    if match := REPR.search(text):
        yield case.complain("the prompt shows the repr of a Python object", short(match[0]))
    for odd in [c for c in text if not c.isprintable() and c not in "\n\t"][:1]:
        yield case.complain("the prompt contains an unprintable character", repr(odd))
