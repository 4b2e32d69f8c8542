"""Rules about answers: the reference is right, and different answers are not."""

import re
from collections.abc import Iterator
from typing import Any, cast

import msgspec

from rlve.answers import MAX_CHARS
from rlve.answers.reasons import parse_or_none
from rlve.contract import AnyEnvironment, Problem, Verdict
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
ACCEPTING = 0.75  # a verifier that accepts more than this share of near misses checks nothing
ENOUGH = 20  # near misses needed to judge that share
STORED = ("reference", "gold")  # prefixes of fields that answers are compared with
FAR = 1_003  # units

_LONG_NUMBER = re.compile(rf"[0-9]{{{MAX_DIGITS + 1},}}")


@per_problem
def reference(subject: Subject, case: Case) -> Iterator[Complaint]:
    """The reference is correct, also after the problem is rebuilt from its parameters."""
    text = subject.reference(case)
    if text is None:
        given: object = case.problem.reference()
        if given is not None:
            yield case.complain(f"reference() must be a str or None, not a {type(given).__name__}")
            return
        yield msgspec.structs.replace(
            case.complain("reference() is None, so little can be checked about the verifier"),
            excused=True,
        )
        return
    if case.problem.reference() != text:
        yield case.complain("reference() gives a different text when called again")
    if len(text) > MAX_CHARS:
        yield case.complain(
            f"the reference has more than {MAX_CHARS:,} characters", f"{len(text):,}"
        )
    if number := _LONG_NUMBER.search(text):
        yield case.complain(
            f"the reference has a number with more than {MAX_DIGITS:,} digits: set max_difficulty",
            f"{len(number[0]):,} digits",
        )
    if not 0 < case.problem.passing <= 1:
        yield case.complain(f"passing must be above 0 and at most 1, not {case.problem.passing}")
    copy = subject.environment.from_parameters(case.problem.parameters())
    for problem, name in ((case.problem, "the reference"), (copy, "the rebuilt reference")):
        for output in (marked(text), f"\\boxed{{{text}}}"):
            verdict = problem.verify(f"Let us think.\n{output}\n")
            if not verdict.correct:
                yield case.complain(f"{name} is not correct", f"{short(text)} got {verdict}")
            for fault, seen in faults(problem, verdict):
                yield case.complain(fault, f"{short(text)}: {seen}")


def faults(problem: Problem, verdict: Verdict) -> Iterator[tuple[str, str]]:
    """What is wrong with a verdict, whatever the answer, and the evidence."""
    if not -1 <= verdict.reward <= 1:
        yield "a reward must be between -1 and 1", f"it is {verdict.reward!r}"
    if verdict.correct != (verdict.reward >= problem.passing):
        yield (
            "correct must mean a reward of at least passing",
            f"passing is {problem.passing!r}, and it got {verdict}",
        )
    if not verdict.well_formed and verdict.reward > 0:
        yield (
            "an answer that is not well-formed must not get a reward above 0",
            f"it got {verdict.reward!r}",
        )


def unchanged(case: Case) -> Iterator[Complaint]:
    """A complaint if a problem has changed since it was generated."""
    if case.problem.parameters() != case.record:
        yield case.complain("judging an answer changed the problem: work on a copy")


def wrong_answers(subject: Subject) -> Iterator[Complaint]:
    """Near misses of the reference, and the references of other problems, are wrong.

    An environment with several right answers says in `unique_up_to` what they have in common. If
    that is None, only the verifier knows them, and accepting most near misses is suspicious.
    """
    accepted: list[bool] = []  # for each near miss of any problem, whether it is correct
    for case in subject.cases(seeds=1):
        reference = subject.reference(case)
        best = None if reference is None else subject.verify(case, reference)
        if reference is None or not isinstance(best, Verdict) or not best.correct:
            continue  # the `reference` rule complains
        near = mutants(reference)
        for number, answer in enumerate([*near, *_foreign(subject, case)]):
            verdict = subject.verify(case, answer)
            if isinstance(verdict, Raised):
                yield case.complain(
                    "verify() raised an exception", f"{short(answer)}: {verdict.text}"
                )
                continue
            shown = (
                f"{short(answer)} got {verdict.reward}; "
                f"the reference {short(reference)} got {best.reward}"
            )
            for fault, seen in faults(case.problem, verdict):
                yield case.complain(fault, f"{short(answer)}: {seen}")
            if verdict.reward > best.reward:
                yield case.complain("the reference is not the best answer", shown)
            right, given = (parse_or_none(case.problem, text) for text in (reference, answer))
            if _listed(given) == _listed(right):
                continue
            if verdict.correct and differ(subject.environment, given, right):
                yield case.complain(
                    "an answer other than the reference is correct: compare exactly or, if "
                    "several answers are right, say in `unique_up_to` what they have in common",
                    shown,
                )
            if number < len(near):
                accepted.append(verdict.correct)
        yield from _blunt(subject, case, reference)
        yield from unchanged(case)
    if len(accepted) >= ENOUGH and sum(accepted) > ACCEPTING * len(accepted):
        yield Complaint(
            message="most near misses of the reference are correct: the verifier checks too little",
            evidence=f"{sum(accepted)} of {len(accepted)}",
        )


def differ(environment: AnyEnvironment, given: Any, right: Any) -> bool:
    """Whether two answers cannot both be right, as far as the environment says."""
    essence = environment.unique_up_to
    return essence is not None and essence(given) != essence(right)


def _blunt(subject: Subject, case: Case, reference: str) -> Iterator[Complaint]:
    """A complaint if a stored answer decides the verdict, but not to the last unit.

    Take the best value that an answer must reach: if a much better one would make the reference
    wrong, one that is better by 1 must do so as well.
    """
    record, prompt = case.problem.parameters(), case.problem.prompt()

    def is_wrong(name: str, value: int) -> bool:
        other = subject.environment.from_parameters({**record, name: value})
        return other.prompt() == prompt and not other.verify(marked(reference)).correct

    for name, value in record.items():
        if not name.startswith(STORED) or type(value) is not int:
            continue
        for step in (1, -1):
            # An inconsistent record may make the environment raise, which proves nothing.
            far, near = (
                subject.attempt(VERIFY, case, lambda value=other, name=name: is_wrong(name, value))
                for other in (value + step * FAR, value + step)
            )
            if far is True and near is False:
                yield case.complain(
                    "a stored answer that is off by one gives the same verdict: compare exactly",
                    f"the reference {short(reference)} is correct for {name} = {value} and for "
                    f"{value + step}, but not for {value + step * FAR}",
                )


def _foreign(subject: Subject, case: Case) -> Iterator[str]:
    """References of other problems at this level and the levels next to it."""
    index = subject.levels.index(case.difficulty)
    nearby = subject.levels[max(0, index - 1) : index + 2]
    for other in [*subject.cases([case.difficulty]), *subject.cases(nearby, seeds=1)]:
        text = subject.reference(other)
        if other is not case and text is not None:
            yield text


def _listed(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_listed(item) for item in cast(list[Any], value)]
    return value
