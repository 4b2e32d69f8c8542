"""Rules about untrusted output: nothing a model writes may break or slow the verifier."""

from collections.abc import Iterator
from typing import NamedTuple

from rlve.contract import Verdict
from rlve.rules.answers import faults, unchanged
from rlve.rules.hostile_outputs import Output, answers, masses
from rlve.rules.subject import GENERATE, REFERENCE, VERIFY, Case, Complaint, Raised, Subject, short

TRIED_LEVELS = 3  # levels at which to try all hostile outputs, from the lowest to the highest

# Limits in seconds of processor time.
MAKING = 1.0  # to make a problem or its reference
JUDGING = 0.5  # to judge any output


class Judgement(NamedTuple):
    """The result of judging one output."""

    output: Output
    verdict: Verdict | Raised
    seconds: float

    def __str__(self) -> str:
        return self.output.label or short(self.output.text)


def judgements(subject: Subject, case: Case) -> list[Judgement]:
    """The verdicts on all hostile outputs."""

    def judge(output: Output) -> Judgement:
        def verify() -> Verdict:
            return case.problem.verify(output.text)

        shown = output.label or short(output.text)
        verdict, seconds = subject.timed(VERIFY, case.difficulty, case.seed, verify, shown)
        if seconds > JUDGING:  # the first time can include an import
            seconds = subject.timed(VERIFY, case.difficulty, case.seed, verify, shown)[1]
        return Judgement(output, verdict, seconds)

    # The masses never reach the environment's own code, so one level is enough.
    tried = answers() + (masses() if case.difficulty == subject.levels[0] else ())
    return subject.once("judgements", case, lambda: [judge(output) for output in tried])


def hostile(subject: Subject) -> Iterator[Complaint]:
    """No output makes the verifier raise or leave its bounds, and no nonsense is correct."""
    for case in subject.cases(subject.spread(TRIED_LEVELS), seeds=1):
        reference = (subject.reference(case) or "").casefold().split()
        for judgement in judgements(subject, case):
            output, verdict, _ = judgement
            if isinstance(verdict, Raised):
                yield case.complain(
                    "verify() raised an exception: parse() may only raise Unparseable",
                    f"{judgement}: {verdict.text}",
                )
                continue
            for fault, seen in faults(case.problem, verdict):
                yield case.complain(fault, f"{judgement}: {seen}")
            if not verdict.correct or output.can_be_right:
                continue
            if output.answer.casefold().split() != reference:
                yield case.complain("nonsense is correct", f"{judgement} got {verdict.reward}")
        yield from unchanged(case)


def quick(subject: Subject) -> Iterator[Complaint]:
    """Making a problem and judging any output take bounded time."""
    for case in subject.cases():
        subject.reference(case)
        for what in (GENERATE, REFERENCE):
            seconds = subject.seconds[what, case.difficulty, case.seed]
            if seconds > MAKING:
                yield _slow(case, what, MAKING, f"{seconds:.2f} s")
    for case in subject.cases(subject.spread(TRIED_LEVELS), seeds=1):
        for judgement in judgements(subject, case):
            if judgement.seconds > JUDGING:
                yield _slow(case, VERIFY, JUDGING, f"{judgement}: {judgement.seconds:.2f} s")


def _slow(case: Case, what: str, limit: float, seen: str) -> Complaint:
    return case.complain(
        f"{what} takes more than {limit:g} s: bound the work, or use a better algorithm", seen
    )
