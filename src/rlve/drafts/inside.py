"""What runs in the sandbox: a draft's code, and what is asked of it.

A request is JSON on standard input, what was observed is JSON on standard output, a line for each
thing, so that a draft that never returns loses only what comes after. Before each step it is named
on standard error: the last one named is what hangs. A draft shares its process with this module and
could write lines of its own; rlve.drafts.reach sees to it that it cannot do so by accident.
"""

import io
import json
import os
import resource
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

import msgspec

from rlve.contract import AnyEnvironment, whole
from rlve.drafts.reach import complaints, endless, wrong_answers
from rlve.errors import UserError, raised
from rlve.registry import environment, is_dialogue
from rlve.rules import baselines
from rlve.rules.mutations import mutants
from rlve.rules.records import full_fingerprint
from rlve.rules.subject import GENERATE, REFERENCE, VERIFY, Complaint, Raised, Subject, marked
from rlve.rules.table import RULES, run
from rlve.rules.untrusted import JUDGING, MAKING
from rlve.targets import load

DEADLINE = 2.0  # seconds of processor time for one step
ALTERED = 6  # changed references of a problem that are judged
HIGH, SEEDS = 5, 60  # of the highest levels, so many problems are made to see their references
BEYOND = (30, 50, 100)  # difficulties above those that are examined
FOREIGN = 2  # references of other problems that are judged
LIMITS = {GENERATE: MAKING, REFERENCE: MAKING, VERIFY: JUDGING}  # seconds
# Events that Python reports (sys.audit) when code reaches beyond its own process.
REACHING = tuple(
    "socket. subprocess. os.system os.exec os.fork os.posix_spawn os.remove os.rename os.mkdir "
    "os.rmdir os.chmod os.link os.symlink os.kill os.putenv urllib. http. ftplib. smtplib. shutil. "
    "webbrowser. sqlite3. tempfile. glob. pty. ctypes.".split()
)


class Record(msgspec.Struct, kw_only=True):
    """A problem of a draft, as far as gates need it."""

    difficulty: int
    seed: int
    prompt: str = ""
    reference: str | None = None
    fingerprint: str = ""
    altered: list[tuple[str, bool]] = []  # near misses of the reference, and whether correct
    failure: str = ""  # why there is no such problem


class About(msgspec.Struct):
    """What a draft says about itself, and what it used."""

    levels: list[int]
    single: bool  # whether it says that one answer is right
    slow: list[str] = []
    slowest: dict[str, float] = {}  # seconds of the slowest step of each kind
    memory: int = 0  # bytes
    reached: list[str] = []  # what it tried to reach
    beyond: list[str] = []  # how it fails at difficulties above those
    refused: list[str] = []  # references that are not accepted, out of many at the highest levels
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


def look(request: dict[str, Any]) -> Iterator[Look]:
    """What the texts reach for; nothing of them is run."""
    sources = request["draft"], request["solver"]
    found = complaints(sources[0]), complaints(sources[1], solver=True)
    wrong: list[tuple[int, int, str]] = []
    for source, texts in zip(sources, found, strict=True):
        try:
            wrong += wrong_answers(source)
        except SyntaxError:  # a complaint says so
            pass
        except ValueError as error:
            texts.append(str(error))
    yield Look(*found, wrong, endless(sources[0]))


def records(request: dict[str, Any]) -> Iterator[Record | About]:
    """Problems, with verdicts on their references and on what is nearly these; then an About."""
    reached = _listen()
    cls = _load(request)
    subject = Subject(cls, watch=_watch)
    seeds = -(-request["problems"] // len(subject.levels))
    keys_given = request.get("keys")
    keys = keys_given or [(d, seed) for d in subject.levels for seed in range(seeds)]
    about = About(list(subject.levels), cls.unique_up_to is whole)
    recent: list[tuple[int, str]] = []  # references of the problems before
    for d, seed in keys:
        record = Record(difficulty=d, seed=seed)
        try:
            record.failure = _observe(subject, record, recent)
        except Exception as error:  # noqa: BLE001  a draft can raise anything
            record.failure = raised(error)
        except TooSlow:
            record.failure = f"{_announced} was stopped after {DEADLINE:g} s"
            about.slow.append(record.failure)
        yield record
        if len(about.slow) + sum(s > LIMITS[key[0]] for key, s in subject.seconds.items()) > 1:
            break
    about.settings = [msgspec.json.encode(cls.level(d)).decode() for d in subject.levels]
    if not keys_given and not about.slow:
        about.refused = list(_refused(cls, subject.levels[-HIGH:]))
    highest = cls.max_difficulty
    for d in BEYOND if not keys_given and not about.slow else ():
        if (highest is None or d <= highest) and (why := _beyond(cls, d)):
            about.beyond.append(f"difficulty {d}: {why}; say in max_difficulty where it ends")
    for (what, d, seed), seconds in subject.seconds.items():
        about.slowest[what] = max(seconds, about.slowest.get(what, 0.0))
        if seconds > LIMITS[what]:
            about.slow.append(f"{what} at difficulty {d}, seed {seed}, takes {seconds:.1f} s")
    about.memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    about.reached = list(dict.fromkeys(reached))
    yield about


def _refused(cls: AnyEnvironment, levels: Sequence[int]) -> Iterator[str]:
    """References that their own problem refuses, which can be rare."""
    for d, seed in [(d, SEEDS + seed) for d in levels for seed in range(SEEDS)]:
        _watch(REFERENCE, d, seed)
        with suppress(Exception, TooSlow):  # `runs` and `rules` look for these
            problem = cls.generate(difficulty=d, seed=seed)
            reference = problem.reference()
            if reference is not None and not problem.verify(marked(reference)).correct:
                yield f"difficulty {d}, seed {seed}: the reference itself is refused"


def _beyond(cls: AnyEnvironment, difficulty: int) -> str:
    """Why there is no problem at a difficulty that nobody has excluded, if there is none."""
    _watch(GENERATE, difficulty, 0)
    try:
        cls.generate(difficulty=difficulty, seed=0).prompt()
    except Exception as error:  # noqa: BLE001  a draft can raise anything
        return raised(error)
    except TooSlow:
        return f"generate() was stopped after {DEADLINE:g} s"
    return ""


def _observe(subject: Subject, record: Record, recent: list[tuple[int, str]]) -> str:
    """Fill in a record; returns why that is impossible, if it is."""
    d, seed = key = record.difficulty, record.seed
    case = subject.case(d, seed)
    if case is None:
        return subject.failures[key]
    record.prompt, record.fingerprint = str(case.problem.prompt()), full_fingerprint(case.problem)
    reference = record.reference = subject.reference(case)
    near = mutants(reference or "")
    chosen = Random(f"{d}/{seed}").sample(near, min(ALTERED, len(near)))
    foreign = [text for level, text in recent[-FOREIGN:] if level == d]
    for answer in dict.fromkeys([reference, *chosen, *foreign]):
        if answer is None:
            return "it has no reference"

        def verify(output: str = marked(answer)) -> bool:
            return case.problem.verify(output).correct

        correct, seconds = subject.timed(VERIFY, d, seed, verify)
        if seconds > JUDGING:  # the first time can include an import
            seconds = min(seconds, subject.timed(VERIFY, d, seed, verify)[1])
        subject.seconds[VERIFY, d, seed] = max(seconds, subject.seconds.get((VERIFY, d, seed), 0))
        if isinstance(correct, Raised) or seconds > JUDGING:
            return correct.text if isinstance(correct, Raised) else "it is judged too slowly"
        record.altered.append((answer, correct))
    recent.append((d, reference or ""))
    return ""


def rules(request: dict[str, Any]) -> Iterator[tuple[str, list[Complaint]]]:
    """What each rule of `rlve check` finds."""
    elsewhere: dict[tuple[int, int], str | Raised] = {
        (d, seed): print_ for d, seed, print_ in request["elsewhere"]
    }
    subject = Subject(_load(request), watch=_watch, elsewhere=elsewhere)
    for rule in RULES:
        _announce(f"the rule {rule}")
        try:
            yield rule, run(rule, subject)
        except TooSlow:
            yield rule, [Complaint(message=f"{_announced} was stopped after {DEADLINE:g} s")]


def guesses(request: dict[str, Any]) -> Iterator[tuple[int, str, int, int]]:
    """At each level the thoughtless strategy that does best, its wins, and the problems tried."""
    cls = _load(request)
    for d in baselines.levels(cls):
        best = baselines.measure(cls, d, watch=_announce)
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
    _announce("loading the file")
    cls = load(f"draft.py:{request['name']}")
    if is_dialogue(cls):
        raise UserError("dialogues cannot be admitted: a solver sees one prompt")
    return cls


_announced = ""


def _announce(what: str) -> None:
    """Name a step, and give it its time."""
    global _announced  # there is one step at a time
    if what != _announced:
        sys.stderr.write(f"{what}\n")
        sys.stderr.flush()
        _announced = what
    signal.setitimer(signal.ITIMER_VIRTUAL, DEADLINE)


def _watch(what: str, difficulty: int | None, seed: int | None, given: str = "") -> None:
    _announce(f"{what} at difficulty {difficulty}, seed {seed}")


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
        elif event.startswith(REACHING):
            found.append(f"it reaches for {event}")

    sys.addaudithook(hear)
    return found
