"""What runs in the sandbox: a draft's code, and what is asked of it.

A request is JSON on standard input, what was observed is JSON on standard output, a line for each
thing, so that a draft that never returns loses only what comes after. Before each step it is named
on standard error: the last one named is what hangs. The last line is the memory used, in bytes. A
draft shares its process with this module and could write lines of its own; rlve.drafts.reach sees
to it that it cannot do so by accident.
"""

import io
import json
import os
import resource
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

import msgspec

from rlve.contract import AnyEnvironment, whole
from rlve.errors import UserError, raised
from rlve.registry import environment, is_dialogue
from rlve.rules.mutations import mutants
from rlve.rules.records import full_fingerprint
from rlve.rules.subject import LEVELS, VERIFY, Complaint, Raised, Subject, marked
from rlve.rules.table import RULES, run
from rlve.rules.untrusted import JUDGING, MAKING
from rlve.targets import load

MOST = 5  # failures, after which no more are looked for
PROBLEMS = 420  # that are made: 20 at each of 21 levels
BEYOND, FEW = (21, 25, 30, 50), 2  # higher levels, and how many problems they are given
ALTERED = 6  # changed references of a problem that are judged
EASY, COPIES = 6, 6  # the highest level, and the problems of a level, tried for copies
# Events that Python reports (sys.audit) when code reaches beyond its own process.
REACHING = ("os.", "socket.", "subprocess.", "shutil.", "tempfile.", "glob.", "ctypes.")
SEARCHING = ("os.listdir", "os.scandir")  # as imports do


class Record(msgspec.Struct, kw_only=True):
    """A problem of a draft, as far as gates need it."""

    difficulty: int
    seed: int
    prompt: str = ""
    reference: str | None = None
    fingerprint: str = ""
    altered: list[tuple[str, bool]] = []  # it and near misses, sorted, and whether correct
    failure: str = ""  # why there is no such problem

    @property
    def key(self) -> tuple[int, int]:
        """What names it."""
        return self.difficulty, self.seed

    def where(self) -> str:
        """The same, in words."""
        return f"difficulty {self.difficulty}, seed {self.seed}"


class About(msgspec.Struct):
    """What a draft says about itself, and what it did."""

    levels: list[int]
    single: bool  # whether it says that one answer is right
    reached: list[str] = []  # what it tried to reach


class TooSlow(BaseException):
    """A step took too long; a draft's `except Exception` does not catch it."""


def serve(request: dict[str, Any]) -> None:
    """Do what is asked, and write what is seen."""
    output = os.fdopen(os.dup(1), "w", encoding="utf-8")
    sys.stdout = io.StringIO()
    signal.signal(signal.SIGVTALRM, _interrupt)
    jobs = {job.__name__: job for job in (records, rules, judge, copies)}
    for value in jobs[request["job"]](request):
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        print(json.dumps(msgspec.to_builtins(value)), file=output, flush=True)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024, file=output, flush=True)


def records(request: dict[str, Any]) -> Iterator[Record | About]:
    """Problems, with verdicts on their references and on what is nearly these; then an About."""
    reached = _listen()
    cls = _load(request)
    subject = Subject(cls, levels=(*LEVELS, *BEYOND), watch=_watch)
    levels = [d for d in subject.levels if d in LEVELS]
    most = -(-PROBLEMS // len(levels))
    keys = [(d, s) for d in subject.levels for s in range(most if d in LEVELS else FEW)]
    failures = 0
    for d, seed in keys:
        record = Record(difficulty=d, seed=seed)
        try:
            record.failure = _observe(subject, record)
        except (Exception, TooSlow) as error:  # noqa: BLE001  a draft can raise anything
            record.failure = raised(error)
        yield record
        failures += bool(record.failure)
        if failures == MOST:
            break
    yield About(levels, cls.unique_up_to is whole, list(dict.fromkeys(reached)))


def _observe(subject: Subject, record: Record) -> str:
    """Fill in a record; returns why that is impossible, if it is."""
    d, seed = record.key
    case = subject.case(d, seed)
    if case is None:
        return subject.failures[d, seed]
    record.prompt, record.fingerprint = str(case.problem.prompt()), full_fingerprint(case.problem)
    record.reference = subject.reference(case)
    if record.reference is None:
        return "it has no reference"
    near = mutants(record.reference)
    sample = Random(f"{d}/{seed}").sample(near, min(ALTERED, len(near)))
    others = [subject.reference(other) for other in subject.cases([d], seed)][-1:]
    for answer in sorted({record.reference, *sample, *filter(None, others)}):
        verdict = subject.verify(case, answer)
        if isinstance(verdict, Raised):
            return verdict.text
        record.altered.append((answer, verdict.correct))
    return "" if (record.reference, True) in record.altered else "the reference itself is refused"


def rules(request: dict[str, Any]) -> Iterator[tuple[str, list[Complaint]]]:
    """What each rule of `rlve check` finds."""
    elsewhere = {(d, seed): text for d, seed, text in request["elsewhere"]}
    subject = Subject(_load(request), watch=_watch, elsewhere=elsewhere)
    for rule in RULES:
        _watch(f"the rule {rule}")
        yield rule, run(rule, subject)


def judge(request: dict[str, Any]) -> Iterator[bool]:
    """Whether each output is correct."""
    cls = _load(request)
    for d, seed, output in request["outputs"]:
        _watch("judging", d, seed)
        yield cls.generate(difficulty=d, seed=seed).verify(output).correct


def copies(request: dict[str, Any]) -> Iterator[tuple[int, int]]:
    """How many problems this environment of the gym solves, given the same records."""
    subject = Subject(_load(request), levels=range(EASY + 1), seeds=COPIES, watch=_watch)
    cases, solved = list(subject.cases()), 0
    for case in cases:
        _watch("solving", case.difficulty, case.seed)
        with suppress(Exception):  # most cannot read the record
            answer = environment(request["other"]).from_parameters(case.record).reference()
            solved += answer is not None and case.problem.verify(marked(answer)).correct
    yield solved, len(cases)


def _load(request: dict[str, Any]) -> AnyEnvironment:
    """The draft's class, from a file in the program's own folder."""
    Path("draft.py").write_text(request["draft"], encoding="utf-8")
    _watch("loading the file")
    cls = load(f"draft.py:{request['name']}")
    if is_dialogue(cls):
        raise UserError("dialogues cannot be admitted: a solver sees one prompt")
    return cls


_announced = ""


def _watch(what: str, d: int | None = None, seed: int | None = None, given: str = "") -> None:
    """Name a step, and give it twice the processor time that the rule `quick` allows."""
    global _announced  # there is one step at a time
    _announced = what if d is None else f"{what} at difficulty {d}, seed {seed}"
    sys.stderr.write(f"{_announced}\n")
    sys.stderr.flush()
    signal.setitimer(signal.ITIMER_VIRTUAL, 2 * (JUDGING if what == VERIFY else MAKING))


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise TooSlow(f"{_announced} took too long")


def _listen() -> list[str]:
    """What code tries to reach from now on; Python has no way to stop listening."""
    found: list[str] = []
    readable = tuple(map(str, (Path.cwd(), sys.prefix, sys.base_prefix, "/usr/lib", "/lib")))
    package = str(Path(__file__).parent.parent)

    def hear(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, mode = str(arguments[0]), str(arguments[1] or "r")
            read = path.startswith((*readable, package)) and mode.startswith("r")
            if not read and path != "draft.py":
                found.append(f"it opens the file {path}")
        elif event.startswith(REACHING) and event not in SEARCHING:
            found.append(f"it reaches for {event}")

    sys.addaudithook(hear)
    return found
