"""What is observed about a draft and its solver, each thing once and only if a gate asks.

Everything here runs in sandboxes, a new one each time: the draft in one that can read this package,
the solver in one that shows it no more than Python.
"""

import json
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import msgspec

import rlve
from rlve.drafts.inside import About, Record
from rlve.rules.subject import LEVELS, Complaint, marked
from rlve.sandbox import Limits, Sandbox

T = TypeVar("T")

MEMORY, OUTPUT = 2**30, 64 * 2**20  # bytes
SECONDS = 60  # of processor time, for a run
PER_QUESTION = 2.0  # seconds for one of them; then it counts as not answered

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
function = names[name] if name == "solve" else names.get(name)
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
if name == "WRONG":
    print(json.dumps(function or []), file=output)
for key, questions in request["questions"] if function else ():
    print(json.dumps([key, [attempt(*each) for each in questions]]), file=output, flush=True)
"""

Key: TypeAlias = tuple[int, int]
"""Difficulty and seed, which name a problem."""

Reply: TypeAlias = tuple[str | bool | None, str]
"""What a solver's function returns; if that is None, why."""


@dataclass
class Evidence:
    """What is observed."""

    draft: str
    name: str
    solver: str
    cuts: dict[str, str] = field(default_factory=lambda: defaultdict(lambda: "its process ended"))
    """Why a run wrote less than it should."""
    memory: int = 0  # bytes, in the largest run so far

    @cached_property
    def problems(self) -> tuple[list[Record], About | None]:
        """Problems of all levels; no About if the run was cut short."""
        lines = self._ask("records")
        return _decoded(lines, Record), next(iter(_decoded(lines, About)), None)

    @property
    def about(self) -> About:
        """What the draft says about itself, and what it used."""
        return self.problems[1] or About([], single=True)

    @property
    def records(self) -> list[Record]:
        """The whole problems of the levels that are examined."""
        return [record for record in self._whole if record.difficulty in LEVELS]

    @property
    def _whole(self) -> list[Record]:
        made, _ = self.problems
        return [record for record in made if not record.failure and record.reference is not None]

    @cached_property
    def rules(self) -> dict[str, list[Complaint]]:
        """What the rules of `rlve check` find."""
        made = [(*r.key, r.fingerprint) for r in self.problems[0] if r.fingerprint]
        return dict(_decoded(self._ask("rules", elsewhere=made), tuple[str, list[Complaint]]))

    @cached_property
    def solved(self) -> list[tuple[Record, Reply]]:
        """The solver's answers."""
        lines = self._question("solve", {r.key: [[r.prompt]] for r in self._whole})
        replies = dict(_decoded(lines, tuple[Key, list[Reply]]))
        return [(record, replies[record.key][0]) for record in self._whole if record.key in replies]

    @cached_property
    def answers(self) -> list[tuple[Record, str, bool]]:
        """The answers the solver gives, and whether the draft accepts them."""
        given = [(record, str(value)) for record, (value, _) in self.solved if value is not None]
        verdicts = self.judge([(*record.key, marked(text)) for record, text in given])
        return [(record, text, ok) for (record, text), ok in zip(given, verdicts, strict=False)]

    @cached_property
    def judged(self) -> dict[Key, list[Reply]]:
        """How accepts() judges altered references; asked apart, as solve() must not see them."""
        asked = {r.key: [[r.prompt, text] for text, _ in r.altered] for r, _, _ in self.answers}
        return dict(_decoded(self._question("accepts", asked), tuple[Key, list[Reply]]))

    @cached_property
    def wrong(self) -> list[tuple[int, int, str]] | None:
        """The solver's list of answers that must be refused; None if it cannot be read."""
        lines = self._question("WRONG", {})
        return next(iter(_decoded(lines, list[tuple[int, int, str]])), None)

    def judge(self, outputs: list[tuple[int, int, str]]) -> list[bool]:
        """Whether the draft accepts each output; fewer verdicts if it fails at one."""
        return _decoded(self._ask("judge", outputs=outputs), bool) if outputs else []

    def solved_by(self, other: str) -> tuple[int, int]:
        """How many problems an environment of the gym solves from their records, of how many."""
        return next(iter(_decoded(self._ask("copies", other=other), tuple[int, int])), (0, 0))

    def _question(self, function: str, questions: dict[Key, Any]) -> list[bytes]:
        """What a function of the solver returns, asked several things about each problem."""
        request: dict[str, Any] = {"solver": self.solver, "function": function}
        request |= {"seconds": PER_QUESTION, "questions": list(questions.items())}
        return self._run(function, _SOLVE, request, [])

    def _ask(self, job: str, **request: Any) -> list[bytes]:
        request |= {"job": job, "draft": self.draft, "name": self.name}
        return self._run(job, _BEGIN.format(root=str(_ROOT)), request, [_ROOT])

    def _run(self, job: str, program: str, request: Any, readable: Sequence[Path]) -> list[bytes]:
        """The lines that a run writes; if it does not end well, `cuts` says why."""
        limits = Limits(seconds=SECONDS, memory=MEMORY, output=OUTPUT)
        # The rules compare their problems with those made under another hash seed.
        with Sandbox(readable=readable, hash_seed=int(job == "records")) as sandbox:
            outcome = sandbox.run(program, json.dumps(request), limits)
        last = (outcome.errors.strip().splitlines() or ["its start"])[-1]
        if outcome.ended != "well":
            stopped = f"it was stopped ({outcome.ended}); the last step was {last}"
            self.cuts[job] = last if outcome.ended == "error" else stopped
        lines = outcome.output.encode().splitlines()
        self.memory = max([self.memory, *_decoded(lines[-1:], int)])
        return lines


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
