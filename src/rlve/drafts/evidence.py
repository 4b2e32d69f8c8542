"""What is observed about a draft and its solver, each thing once and only if a gate asks.

Everything here runs in sandboxes, a new one each time: the draft in one that can read this package,
the solver in one that shows it no more than Python.
"""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, TypeVar

import msgspec

import rlve
from rlve.drafts.inside import About, Look, Record
from rlve.rules.subject import LEVELS, Complaint
from rlve.sandbox import Limits, Sandbox

T = TypeVar("T")

PROBLEMS = 252  # problems that are made at first: 12 at each of 21 levels
ENOUGH = 200  # different problems that the solver must answer
MORE = 400  # problems that are made in addition if it answers fewer
MEMORY, OUTPUT = 2**30, 64 * 2**20  # bytes
SECONDS = {"look": 10, "guesses": 60, "solve": 60, "accepts": 60}  # of processor time, for a run
OTHERS = 40  # for any other
PER_QUESTION = 2.0  # seconds for one of them; then it counts as not answered
EASY, COPIES = 6, 40  # the highest difficulty, and the number of problems, tried for copies

_ROOT = Path(rlve.__file__).parent
_BEGIN = """
import importlib.util, json, sys
place = {root!r}
spec = importlib.util.spec_from_file_location(
    "rlve", place + "/__init__.py", submodule_search_locations=[place])
sys.modules["rlve"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(sys.modules["rlve"])
from rlve.drafts.inside import serve
serve(json.load(sys.stdin))
"""
_SOLVE = """
import io, json, signal, sys
request, output = json.load(sys.stdin), sys.stdout
sys.stdout = io.StringIO()
class TooSlow(BaseException):
    pass
def interrupt(number, frame):
    raise TooSlow
signal.signal(signal.SIGVTALRM, interrupt)
names = {"__name__": "solver"}
exec(compile(request["solver"], "solver.py", "exec"), names)
name = request["function"]
function, slow = names[name] if name == "solve" else names.get(name), 0
def attempt(*arguments):
    signal.setitimer(signal.ITIMER_VIRTUAL, request["seconds"])
    try:
        value = function(*arguments)
        return (bool(value) if name == "accepts" else None if value is None else str(value)), ""
    except TooSlow:
        return None, "it took too long"
    except Exception as error:
        return None, f"{type(error).__name__}: {error}"
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
for key, questions in request["questions"] if function else ():
    replies = []
    for arguments in questions:
        replies.append(attempt(*arguments) if slow < 5 else (None, "it gave up before"))
        slow = slow + 1 if replies[-1][1] in ("it took too long", "it gave up before") else 0
    print(json.dumps([key, replies]), file=output, flush=True)
"""

Key: TypeAlias = tuple[int, int]
"""Difficulty and seed, which name a problem."""


class Reply(NamedTuple):
    """What a solver's function returns."""

    value: str | bool | None
    why: str  # there is none


@dataclass
class Evidence:
    """What is observed."""

    draft: str
    name: str
    solver: str
    cuts: dict[str, str] = field(default_factory=dict[str, str])  # runs that did not end well
    memory: int = 0  # bytes, in the largest run so far

    def cut(self, job: str) -> str:
        """Why a run wrote less than it should."""
        return self.cuts.get(job, "its process ended early")

    @cached_property
    def look(self) -> Look:
        """What the texts reach for."""
        found = _decoded(self._ask("look", solver=self.solver), Look)
        return found[0] if found else Look([f"it cannot be read: {self.cut('look')}"], [], [])

    @cached_property
    def problems(self) -> tuple[list[Record], About | None]:
        """Problems of all levels; no About if the run was cut short."""
        return self._problems([])

    @property
    def about(self) -> About:
        """What the draft says about itself, and what it used."""
        return self.problems[1] or About([], single=True)

    @property
    def records(self) -> list[Record]:
        """The whole problems of the levels that are examined."""
        return [record for record in _whole(self.problems[0]) if record.difficulty in LEVELS]

    @cached_property
    def rules(self) -> dict[str, list[Complaint]]:
        """What the rules of `rlve check` find."""
        made = [(*r.key, r.fingerprint) for r in self.problems[0] if r.fingerprint]
        return dict(_decoded(self._ask("rules", elsewhere=made), tuple[str, list[Complaint]]))

    @cached_property
    def guesses(self) -> list[tuple[int, str, int, int]]:
        """What thoughtless strategies win, by level."""
        return _decoded(self._ask("guesses"), tuple[int, str, int, int])

    @cached_property
    def solved(self) -> list[tuple[Record, Reply]]:
        """The solver's answers; if they are few, to more problems of the levels it can answer."""
        found = self._solve(_whole(self.problems[0]))
        answered = [r for r, reply in found if r.difficulty in LEVELS and reply.value is not None]
        levels = sorted({record.difficulty for record in answered})
        if levels and len({record.prompt for record in answered}) < ENOUGH:
            first = 1 + max(record.seed for record in answered)
            seeds = range(first, first + -(-MORE // len(levels)))
            more, _ = self._problems([(d, seed) for d in levels for seed in seeds])
            self.problems[0].extend(record for record in more if record.failure)
            found += self._solve(_whole(more))
        return found

    @cached_property
    def answers(self) -> list[tuple[Record, str, bool]]:
        """The answers the solver gives, and whether the draft accepts them."""
        given = [(r, str(reply.value)) for r, reply in self.solved if reply.value is not None]
        verdicts = self.judge([(*record.key, text) for record, text in given])
        return [(record, text, ok) for (record, text), ok in zip(given, verdicts, strict=False)]

    @cached_property
    def judged(self) -> dict[Key, list[Reply]]:
        """How accepts() judges altered references; asked apart, as solve() must not see them."""
        asked = {r.key: [[r.prompt, text] for text, _ in r.altered] for r, _, _ in self.answers}
        return self._replies("accepts", asked)

    def judge(self, answers: list[tuple[int, int, str]]) -> list[bool]:
        """Whether the draft accepts each answer; fewer verdicts if it fails at one."""
        return _decoded(self._ask("judge", answers=answers), bool) if answers else []

    def copies(self, nearest: list[str]) -> list[tuple[str, int, int]]:
        """How many problems environments of the gym solve, given the same records."""
        keys = [r.key for r in self.records if r.difficulty <= EASY][:COPIES]
        return _decoded(self._ask("copies", nearest=nearest, keys=keys), tuple[str, int, int])

    def _problems(self, keys: list[Key]) -> tuple[list[Record], About | None]:
        lines = self._ask("records", problems=PROBLEMS, keys=keys)
        return _decoded(lines, Record), next(iter(_decoded(lines, About)), None)

    def _solve(self, records: list[Record]) -> list[tuple[Record, Reply]]:
        replies = self._replies("solve", {record.key: [[record.prompt]] for record in records})
        return [(record, replies[record.key][0]) for record in records if replies.get(record.key)]

    def _replies(self, function: str, questions: dict[Key, Any]) -> dict[Key, list[Reply]]:
        """What a function of the solver returns, asked several things about each problem."""
        request: dict[str, Any] = {"solver": self.solver, "function": function}
        request |= {"seconds": PER_QUESTION, "questions": list(questions.items())}
        lines = self._run(function, _SOLVE, request, [])
        return dict(_decoded(lines, tuple[Key, list[Reply]]))

    def _ask(self, job: str, **request: Any) -> list[bytes]:
        request |= {"job": job, "draft": self.draft, "name": self.name}
        return self._run(job, _BEGIN.format(root=str(_ROOT)), request, [_ROOT])

    def _run(self, job: str, program: str, request: Any, readable: Sequence[Path]) -> list[bytes]:
        """The lines that a run writes; if it does not end well, `cuts` says why."""
        limits = Limits(seconds=SECONDS.get(job, OTHERS), memory=MEMORY, output=OUTPUT)
        # The rules compare their problems with those made under another hash seed.
        with Sandbox(readable=readable, hash_seed=int(job == "records")) as sandbox:
            outcome = sandbox.run(program, json.dumps(request), limits)
        last = (outcome.errors.strip().splitlines() or ["its start"])[-1]
        if outcome.ended == "time":
            self.cuts[job] = f"it used more than {limits.seconds} s; the last step was {last}"
        elif outcome.ended != "well":
            self.cuts[job] = last if outcome.ended == "error" else f"{outcome.ended}: {last}"
        lines = outcome.output.encode().splitlines()
        self.memory = max([self.memory, *_decoded(lines[-1:], int)])
        return lines


def _whole(records: list[Record]) -> list[Record]:
    return [r for r in records if not r.failure and r.reference is not None]


def _decoded(lines: list[bytes], kind: type[T]) -> list[T]:
    """The lines of this kind; a draft may have written others."""
    found: list[T] = []
    for line in lines:
        with suppress(msgspec.DecodeError, UnicodeDecodeError):
            found.append(msgspec.json.decode(line, type=kind))
    return found


def same(one: str, other: str) -> bool | None:
    """Whether two answers are the same; None if only their form differs."""
    if one.strip() == other.strip():
        return True
    ours, theirs = one.split(), other.split()
    return None if len(ours) == len(theirs) and all(map(_equal, ours, theirs)) else False


def _equal(one: str, other: str) -> bool:
    with suppress(InvalidOperation):
        return one.casefold() == other.casefold() or Decimal(one) == Decimal(other)
    return False
