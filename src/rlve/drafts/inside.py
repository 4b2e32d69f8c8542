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
import re
import resource
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

import msgspec

from rlve.answers import MAX_CHARS
from rlve.contract import AnyEnvironment, whole
from rlve.drafts.reach import complaints, endless, wrong_answers
from rlve.errors import UserError, raised
from rlve.registry import environment, is_dialogue
from rlve.rules import baselines
from rlve.rules.mutations import mutants
from rlve.rules.records import full_fingerprint
from rlve.rules.subject import LEVELS, VERIFY, Complaint, Raised, Subject, marked
from rlve.rules.table import RULES, run
from rlve.rules.untrusted import JUDGING, MAKING
from rlve.targets import load

DEADLINE = 2.0  # seconds of processor time for one step
MOST = 4  # failures after which no more are looked for
ALTERED = 6  # changed references of a problem that are judged
HIGH, RARE = 5, range(1000, 1060)  # levels whose references are judged for so many more seeds
BEYOND, FEW = (21, 25, 30, 50, 100), 2  # higher ones, and how many problems they are given
FOREIGN = 2  # references of other problems that are judged
FAR = (10**6, -(10**6), 10**12, -(10**12))  # what a number of a reference is changed by
GUESSED = (0, 3, 6, 9, 15, 20)  # levels at which strategies are measured
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
    altered: list[tuple[str, bool]] = []  # it, near and far misses, sorted, and whether correct
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
    slowest: dict[str, float] = {}  # seconds of the slowest step of each kind
    reached: list[str] = []  # what it tried to reach
    settings: list[str] = []  # of each level


class Look(msgspec.Struct):
    """What the texts of a draft and its solver reach for, and the wrong answers they list."""

    draft: list[str]
    solver: list[str]
    wrong: list[tuple[int, int, str]]
    endless: list[str] = []  # loops of the draft


class TooSlow(BaseException):
    """A step took too long; a draft's `except Exception` does not catch it."""


def serve(request: dict[str, Any]) -> None:
    """Do what is asked, and write what is seen."""
    output = os.fdopen(os.dup(1), "w", encoding="utf-8")
    sys.stdout = io.StringIO()
    signal.signal(signal.SIGVTALRM, _interrupt)
    jobs = {job.__name__: job for job in (look, records, rules, guesses, judge, copies)}
    for value in jobs[request["job"]](request):
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        print(json.dumps(msgspec.to_builtins(value)), file=output, flush=True)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024, file=output, flush=True)


def look(request: dict[str, Any]) -> Iterator[Look]:
    """What the texts reach for; nothing of them is run."""
    sources = request["draft"], request["solver"]
    found = complaints(sources[0]), complaints(sources[1], solver=True)
    wrong: list[tuple[int, int, str]] = []
    for source, texts in zip(sources, found, strict=True):
        try:
            wrong += wrong_answers(source)
        except ValueError as error:
            texts.append(str(error))
    yield Look(*found, wrong, endless(sources[0]))


def records(request: dict[str, Any]) -> Iterator[Record | About]:
    """Problems, with verdicts on their references and on what is nearly these; then an About."""
    reached = _listen()
    cls = _load(request)
    subject = Subject(cls, levels=(*LEVELS, *BEYOND), watch=_watch)
    levels = [d for d in subject.levels if d in LEVELS]
    seeds = range(-(-request["problems"] // len(levels)))
    keys: list[tuple[int, int]] = request["keys"] or [
        *((d, seed) for d in subject.levels for seed in (seeds if d in LEVELS else range(FEW))),
        *((d, seed) for d in levels[-HIGH:] for seed in RARE),
    ]
    about = About(levels, cls.unique_up_to is whole)
    recent: dict[int, list[str]] = {}  # references of the problems before, by level
    failures = 0
    for d, seed in keys:
        record = Record(difficulty=d, seed=seed)
        try:
            record.failure = _observe(subject, record, recent)
        except Exception as error:  # noqa: BLE001  a draft can raise anything
            record.failure = raised(error)
        except TooSlow:
            record.failure = f"{_announced} was stopped after {DEADLINE:g} s"
        if record.failure or seed not in RARE:
            yield record
        failures += bool(record.failure)
        if failures > MOST:
            break
    for (what, _, _), seconds in subject.seconds.items():
        about.slowest[what] = max(seconds, about.slowest.get(what, 0.0))
    about.settings = [msgspec.json.encode(cls.level(d)).decode() for d in levels]
    about.reached = list(dict.fromkeys(reached))
    yield about


def _observe(subject: Subject, record: Record, recent: dict[int, list[str]]) -> str:
    """Fill in a record; returns why that is impossible, if it is."""
    d, seed = record.key
    case = subject.case(d, seed)
    if case is None:
        return subject.failures[d, seed]
    record.prompt, record.fingerprint = str(case.problem.prompt()), full_fingerprint(case.problem)
    if d not in LEVELS and len(record.prompt) > MAX_CHARS:
        return ""  # nobody is asked such a problem
    record.reference = subject.reference(case)
    if record.reference is None:
        return "it has no reference"
    for (what, *where), seconds in subject.seconds.items():
        if where == [d, seed] and seconds > MAKING:
            return f"{what} takes {seconds:.1f} s"
    random = Random(f"{d}/{seed}")
    near = mutants(record.reference)
    altered = {record.reference, *random.sample(near, min(ALTERED, len(near)))}
    altered |= {*_far(record.reference, random), *recent.get(d, [])[-FOREIGN:]}
    recent.setdefault(d, []).append(record.reference)
    for answer in sorted(altered) if seed not in RARE else [record.reference]:
        verify = partial(case.problem.verify, marked(answer))
        verdict, seconds = subject.timed(VERIFY, d, seed, verify)
        if seconds > JUDGING:  # the first time can include an import
            verdict, seconds = subject.timed(VERIFY, d, seed, verify)
        subject.seconds[VERIFY, d, seed] = max(seconds, subject.seconds.get((VERIFY, d, seed), 0))
        if isinstance(verdict, Raised):
            return verdict.text
        if seconds > JUDGING:
            return f"verify() takes {seconds:.1f} s"
        record.altered.append((answer, verdict.correct))
    return "" if (record.reference, True) in record.altered else "the reference itself is refused"


def _far(reference: str, random: Random) -> Iterator[str]:
    """The reference with one of its numbers much smaller, or much larger."""
    numbers = list(re.finditer(r"(?<![\w.])-?[0-9]{1,300}(?![\w.])", reference))
    for step in random.sample(FAR, 2) if numbers else ():
        number = random.choice(numbers)
        yield f"{reference[: number.start()]}{int(number[0]) + step}{reference[number.end() :]}"


def rules(request: dict[str, Any]) -> Iterator[tuple[str, list[Complaint]]]:
    """What each rule of `rlve check` finds."""
    elsewhere = {(d, seed): text for d, seed, text in request["elsewhere"]}
    subject = Subject(_load(request), watch=_watch, elsewhere=elsewhere)
    for rule in RULES:
        _watch(f"the rule {rule}")
        try:
            yield rule, run(rule, subject)
        except TooSlow:
            yield rule, [Complaint(message=f"{_announced} was stopped after {DEADLINE:g} s")]


def guesses(request: dict[str, Any]) -> Iterator[tuple[int, str, int, int]]:
    """At each level the thoughtless strategy that does best, its wins, and the problems tried."""
    cls = _load(request)
    highest = LEVELS[-1] if cls.max_difficulty is None else min(cls.max_difficulty, LEVELS[-1])
    for d in sorted({highest, *(d for d in GUESSED if d < highest)}):
        best = baselines.measure(cls, d, watch=_watch)
        yield d, best.strategy, best.wins, best.tried


def judge(request: dict[str, Any]) -> Iterator[bool]:
    """Whether each answer is correct."""
    cls = _load(request)
    for d, seed, answer in request["answers"]:
        _watch("judging", d, seed)
        yield cls.generate(difficulty=d, seed=seed).verify(marked(answer)).correct


def copies(request: dict[str, Any]) -> Iterator[tuple[str, int, int]]:
    """How many problems each of these environments of the gym solves, given the same record."""
    cls = _load(request)
    for name in request["nearest"]:
        other, solved = environment(name), 0
        for d, seed in request["keys"]:
            _watch(name, d, seed)
            with suppress(Exception):  # most cannot read the record
                problem = cls.generate(difficulty=d, seed=seed)
                answer = other.from_parameters(problem.parameters()).reference()
                solved += answer is not None and problem.verify(marked(answer)).correct
        yield name, solved, len(request["keys"])


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
    """Name a step, and give it its time."""
    global _announced  # there is one step at a time
    step = what if d is None else f"{what} at difficulty {d}, seed {seed}"
    if step != _announced:
        sys.stderr.write(f"{step}\n")
        sys.stderr.flush()
        _announced = step
    signal.setitimer(signal.ITIMER_VIRTUAL, DEADLINE)


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise TooSlow


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
