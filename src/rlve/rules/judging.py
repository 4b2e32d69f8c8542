"""Rules about answers: the reference is right, and what differs from it mostly is not."""

import re
from collections.abc import Iterator
from typing import Any, cast

import msgspec

from rlve.answers import MAX_CHARS
from rlve.contract import Problem, Verdict
from rlve.errors import Unparseable
from rlve.rules.mutations import mutants
from rlve.rules.subject import (
    VERIFY,
    Case,
    Complaint,
    Raised,
    Subject,
    marked,
    per_problem,
    short,
)

MAX_DIGITS = 4_000
ACCEPTING = 0.75  # a verifier that finds this share of changed references correct checks nothing
ENOUGH = 20  # changed references that say something about that share

_LONG_NUMBER = re.compile(rf"[0-9]{{{MAX_DIGITS + 1},}}")


@per_problem
def reference(subject: Subject, case: Case) -> Iterator[Complaint]:
    """The reference is correct, also for the problem that was read back from its parameters."""
    text = subject.reference(case)
    if text is None:
        given: object = case.problem.reference()
        if given is not None:
            yield case.complain(f"reference() must be a str or None, not a {type(given).__name__}")
            return
        yield msgspec.structs.replace(
            case.complain("reference() is None, so little can be said about the verifier"),
            excused=True,
        )
        return
    if case.problem.reference() != text:
        yield case.complain("reference() gives another text when it is called again")
    if len(text) > MAX_CHARS:
        yield case.complain(
            f"the reference has more than {MAX_CHARS:,} characters", f"{len(text):,}"
        )
    if number := _LONG_NUMBER.search(text):
        yield case.complain(
            f"the reference has a number of more than {MAX_DIGITS:,} digits: set max_difficulty",
            f"{len(number[0]):,} digits",
        )
    if not 0 < case.problem.passing <= 1:
        yield case.complain(f"passing must be above 0 and at most 1, not {case.problem.passing}")
    copy = subject.environment.from_parameters(case.problem.parameters())
    for problem, name in ((case.problem, "the reference"), (copy, "the reference, read back,")):
        for output in (marked(text), f"\\boxed{{{text}}}"):
            verdict = problem.verify(f"Let us think.\n{output}\n")
            if not verdict.correct:
                yield case.complain(f"{name} is not correct", f"{short(text)} got {verdict}")
            yield from (case.complain(fault, short(text)) for fault in faults(problem, verdict))


def faults(problem: Problem, verdict: Verdict) -> Iterator[str]:
    """What is wrong with a verdict whatever the answer was."""
    if not -1 <= verdict.reward <= 1:
        yield f"a reward must be within -1 and 1, not {verdict.reward!r}"
    if verdict.correct != (verdict.reward >= problem.passing):
        yield f"correct must be the same as a reward of at least passing = {problem.passing}"
    if not verdict.well_formed and verdict.reward > 0:
        yield f"what is not well-formed must get no reward above 0, not {verdict.reward!r}"


def unchanged(case: Case) -> Iterator[Complaint]:
    """A complaint if a problem is no longer what it was when it was generated."""
    if case.problem.parameters() != case.record:
        yield case.complain("judging an answer changed the problem: work on a copy")


def wrong_answers(subject: Subject) -> Iterator[Complaint]:
    """Changed references, and those of other problems, score less unless they really are right.

    Where several answers are right a changed one can be, and a verifier is only suspicious if it
    accepts most of them. Where the verdict depends on one stored value, which the reference is,
    no other value is right.
    """
    golds = stored_golds(subject)
    accepted: list[bool] = []  # whether the changed references, of all problems, are correct
    for case in subject.cases(seeds=1):
        reference = subject.reference(case)
        best = None if reference is None else subject.verify(case, reference)
        if reference is None or not isinstance(best, Verdict) or not best.correct:
            continue  # the rule about references complains
        single = is_decided_by(golds, subject, case, reference)
        changed = mutants(reference)
        for number, answer in enumerate([*changed, *_foreign(subject, case)]):
            verdict = subject.verify(case, answer)
            if isinstance(verdict, Raised):
                yield case.complain("verify() raised", f"{short(answer)}: {verdict.text}")
                continue
            shown = (
                f"{short(answer)} got {verdict.reward}; "
                f"the reference {short(reference)} got {best.reward}"
            )
            yield from (case.complain(text, shown) for text in faults(case.problem, verdict))
            if verdict.reward > best.reward:
                yield case.complain("the reference is not the best answer", shown)
            if _parsed(case.problem, answer) == _parsed(case.problem, reference):
                continue
            if single and verdict.correct and _words(answer) != _words(reference):
                yield case.complain(
                    "a wrong answer is correct: one stored value is right, and this is another",
                    shown,
                )
            if number < len(changed):
                accepted.append(verdict.correct)
        yield from unchanged(case)
    if len(accepted) >= ENOUGH and sum(accepted) > ACCEPTING * len(accepted):
        yield Complaint(
            message="most changed references are correct: the verifier hardly looks at them",
            evidence=f"{sum(accepted)} of {len(accepted)}",
        )


def _foreign(subject: Subject, case: Case) -> Iterator[str]:
    """References of other problems of this level and of the levels next to it."""
    place = subject.levels.index(case.difficulty)
    beside = subject.levels[max(0, place - 1) : place + 2]
    for other in [*subject.cases([case.difficulty]), *subject.cases(beside, seeds=1)]:
        text = subject.reference(other)
        if other is not case and text is not None:
            yield text


def stored_golds(subject: Subject) -> list[str]:
    """The fields that hold what the reference says, in all problems looked at."""
    names: set[str] | None = None
    seen: set[str] = set()
    for case in subject.cases(seeds=1):
        text = subject.reference(case)
        answer = None if text is None else _parsed(case.problem, text)
        if text is None or answer is None:
            return []
        holding = {
            name
            for name, value in case.problem.parameters().items()
            if value in (text, answer) or str(value) == text
        }
        names = holding if names is None else names & holding
        seen.add(text)
    return sorted(names or ()) if len(seen) > 1 else []


def is_decided_by(golds: list[str], subject: Subject, case: Case, reference: str) -> bool:
    """Whether the reference stops being correct when one of these fields holds another value.

    A field that the prompt shows is an input, and does not count.
    """
    record, prompt = case.problem.parameters(), case.problem.prompt()

    def is_decided(name: str, value: object) -> bool:
        other = subject.environment.from_parameters({**record, name: value})
        return other.prompt() == prompt and not other.verify(marked(reference)).correct

    # A record that fits no more may make the environment raise, which then says nothing.
    return any(
        subject.attempt(VERIFY, case, lambda name=name, value=value: is_decided(name, value))
        is True
        for name in golds
        for value in _others(record[name])
    )


def _others(value: Any) -> list[Any]:
    """Other values of the same type, above and below."""
    match value:
        case bool() | float() | None:
            return []
        case int():
            return [value + 1_000_003, value - 1_000_003]
        case str():
            return [mutant for mutant in mutants(value) if _words(mutant) != _words(value)][:2]
        case [first, *rest]:
            return [[other, *rest] for other in _others(first)]
        case _:
            return []


def _parsed(problem: Problem, text: str) -> Any:
    """The answer in a text, tuples as lists; None where there is none."""
    try:
        return _listed(problem.parse(text.strip()))
    except Unparseable:
        return None


def _listed(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_listed(item) for item in cast(list[Any], value)]
    return value


def _words(text: str) -> frozenset[str]:
    """What an answer consists of, where neither order nor case may matter to the environment."""
    return frozenset(text.casefold().split())
