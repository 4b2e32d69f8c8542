"""What is observed about a draft and its solver, each thing once and only if a gate asks.

Everything here runs in sandboxes: the draft in one that can read this package, and in a second one
with another hash seed; the solver in one of its own, which shows it no more than Python.
"""

import json
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from functools import cached_property
from pathlib import Path
from typing import Any, Self, TypeVar

import msgspec

import rlve
from rlve.drafts.inside import About, Look, Record
from rlve.rules.subject import Complaint
from rlve.sandbox import Limits, Sandbox

T = TypeVar("T")

PROBLEMS = 252  # problems that are made at first: 12 at each of 21 levels
ENOUGH = 200  # different problems that the solver must answer
MORE = 400  # problems that are made in addition if it answers fewer
MEMORY = 2**30  # bytes of address space
OUTPUT = 64 * 2**20
SECONDS = {"look": 10, "records": 30, "rules": 40, "guesses": 30, "judge": 30, "copies": 20}
SECONDS["solver"] = 60  # of processor time, for all questions
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
def attempt(function, *arguments):
    signal.setitimer(signal.ITIMER_VIRTUAL, request["seconds"])
    try:
        return function(*arguments), ""
    except TooSlow:
        return None, "it took too long"
    except Exception as error:
        return None, f"{type(error).__name__}: {error}"
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
names = {"__name__": "solver"}
exec(compile(request["solver"], "solver.py", "exec"), names)
given_up = 0
for key, prompt, candidates in request["questions"]:
    answer, why = attempt(names["solve"], prompt) if given_up < 5 else (None, "it gave up before")
    given_up = given_up + 1 if why == "it took too long" else 0 if given_up < 5 else given_up
    judged = None
    if answer is not None and "accepts" in names:
        tried = [attempt(names["accepts"], prompt, text) for text in candidates]
        judged = [None if failed else bool(value) for value, failed in tried]
    answer = answer if answer is None else str(answer)
    print(json.dumps([key, answer, why, judged]), file=output, flush=True)
"""


class Solution(msgspec.Struct, array_like=True):
    """What a solver answers to a question, and how it judges candidates."""

    key: tuple[int, int]
    answer: str | None
    why: str  # it has no answer
    judged: list[bool | None] | None  # None where accepts() fails, or is not there


@dataclass
class Evidence:
    """What is observed; close it, or use it in a with statement."""

    draft: str
    name: str
    solver: str
    cuts: dict[str, str] = field(default_factory=dict[str, str])  # runs that did not end well
    _sandboxes: dict[int | None, Sandbox] = field(default_factory=dict[int | None, Sandbox])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        for sandbox in self._sandboxes.values():
            sandbox.close()

    def cut(self, job: str) -> str:
        """Why a run wrote less than it should."""
        return self.cuts.get(job, "its process ended early")

    # What was observed.

    @cached_property
    def look(self) -> Look:
        """What the texts reach for."""
        found = _decoded(self._ask("look"), Look)
        return found[0] if found else Look([f"it cannot be read: {self.cut('look')}"], [], [])

    @cached_property
    def problems(self) -> tuple[list[Record], About | None]:
        """Problems of all levels; no About if the run was cut short."""
        return self._problems([])

    @property
    def records(self) -> list[Record]:
        """The problems that could be made and have a reference."""
        return _whole(self.problems[0])

    @cached_property
    def rules(self) -> dict[str, list[Complaint]]:
        """What the rules of `rlve check` find."""
        made = [(r.difficulty, r.seed, r.fingerprint) for r in self.problems[0] if r.fingerprint]
        return dict(_decoded(self._ask("rules", elsewhere=made), tuple[str, list[Complaint]]))

    @cached_property
    def guesses(self) -> list[tuple[int, str, int, int]]:
        """What thoughtless strategies win, by level."""
        return _decoded(self._ask("guesses"), tuple[int, str, int, int])

    @cached_property
    def solved(self) -> list[tuple[Record, Solution]]:
        """The solver's answers; if they are few, to more problems of the levels it can answer."""
        found = self._solve(self.records)
        answered = [record for record, solution in found if solution.answer is not None]
        levels = sorted({record.difficulty for record in answered})
        if levels and len({record.prompt for record in answered}) < ENOUGH:
            first = 1 + max(record.seed for record in answered)
            seeds = range(first, first + -(-MORE // len(levels)))
            more, _ = self._problems([(d, seed) for d in levels for seed in seeds])
            found += self._solve(_whole(more))
        return found

    @cached_property
    def answers_correct(self) -> list[tuple[Record, Solution, bool]]:
        """Whether the draft accepts the solver's answers, where it gives one."""
        given = [(r, s, s.answer) for r, s in self.solved if s.answer is not None]
        verdicts = self.judge([(r.difficulty, r.seed, text) for r, _, text in given])
        return [(r, s, ok) for (r, s, _), ok in zip(given, verdicts, strict=False)]

    def judge(self, answers: list[tuple[int, int, str]]) -> list[bool]:
        """Whether the draft accepts each answer; fewer verdicts if it fails at one."""
        return _decoded(self._ask("judge", answers=answers), bool) if answers else []

    def copies(self, nearest: list[str]) -> list[tuple[str, int, int]]:
        """How many problems environments of the gym solve, given the same records."""
        keys = [(r.difficulty, r.seed) for r in self.records if r.difficulty <= EASY][:COPIES]
        return _decoded(self._ask("copies", nearest=nearest, keys=keys), tuple[str, int, int])

    # How it is observed.

    def _problems(self, keys: list[tuple[int, int]]) -> tuple[list[Record], About | None]:
        lines = self._ask("records", problems=PROBLEMS, keys=keys)
        return _decoded(lines, Record), next(iter(_decoded(lines, About)), None)

    def _solve(self, records: list[Record]) -> list[tuple[Record, Solution]]:
        by_key = {(r.difficulty, r.seed): r for r in records}
        questions = [(key, r.prompt, [text for text, _ in r.altered]) for key, r in by_key.items()]
        request = {"solver": self.solver, "questions": questions, "seconds": PER_QUESTION}
        lines = self._run("solver", self._sandbox(None), _SOLVE, request)
        return [(by_key[s.key], s) for s in _decoded(lines, Solution) if s.key in by_key]

    def _ask(self, job: str, **request: Any) -> list[bytes]:
        request |= {"job": job, "draft": self.draft, "name": self.name}
        if job == "look":
            request["solver"] = self.solver
        # The rules compare their problems with those made under another hash seed.
        sandbox = self._sandbox(1 if job == "records" else 0)
        return self._run(job, sandbox, _BEGIN.format(root=str(_ROOT)), request)

    def _run(
        self, job: str, sandbox: Sandbox, program: str, request: dict[str, Any]
    ) -> list[bytes]:
        """The lines that a run writes; if it does not end well, `cuts` says why."""
        limits = Limits(seconds=SECONDS[job], memory=MEMORY, output=OUTPUT)
        outcome = sandbox.run(program, json.dumps(request), limits)
        last = (outcome.errors.strip().splitlines() or ["its start"])[-1]
        if outcome.ended == "time":
            self.cuts[job] = f"it used more than {SECONDS[job]} s; the last step was {last}"
        elif outcome.ended != "well":
            self.cuts[job] = last if outcome.ended == "error" else f"{outcome.ended}: {last}"
        return outcome.output.encode().splitlines()

    def _sandbox(self, hash_seed: int | None) -> Sandbox:
        """One for drafts with this hash seed; None for the solver's."""
        if hash_seed not in self._sandboxes:
            readable = [] if hash_seed is None else [_ROOT]
            self._sandboxes[hash_seed] = Sandbox(readable=readable, hash_seed=hash_seed or 0)
        return self._sandboxes[hash_seed]


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
