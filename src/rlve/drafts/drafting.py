"""Drafting: from an idea, through small separate questions, to an environment that is admitted.

    idea -> specification -> environment -> gates -> solver, from prompts alone -> all gates
                                 ^----------- what is wrong goes back ------------'

A question is a file, and so is its reply. Whoever replies, a server, an assistant or a person, sees
one question and nothing else; so nobody who writes a solver has seen the environment. What has a
reply is not asked again, and what was examined is not examined again.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import NamedTuple, TypeAlias

import msgspec

from rlve import __version__
from rlve.drafts.admission import Certificate, admit
from rlve.drafts.evidence import Evidence
from rlve.drafts.gates import GATES, SHOWN
from rlve.drafts.reach import complaints
from rlve.errors import UserError
from rlve.evaluate.backends import ModelOutput
from rlve.foundation.files import append_line, pretty, read_record, write_whole

FIRST = ("closed", "runs", "rules", "variety", "guessing", "novelty")  # they need no solver
PROMPTS = ((0, 0), (0, 1), *((d, 0) for d in (1, 2, 4, 7, 12, 20)))  # for the author of a solver
COSTS = "costs.jsonl"  # a Cost on each line
LONGEST = 8_000  # characters of such a prompt
_BLOCK = re.compile(r"```(?:python|py)?[^\S\n]*\n(.*?)```", re.DOTALL)
_CLASS = re.compile(r"^class (\w+)\(.*Environment\b", re.MULTILINE)


def reply_of(question: Path) -> Path:
    """The file of the reply to a question, beside it."""
    return question.with_name(question.name.replace(".question.", ".reply."))


class Cost(msgspec.Struct):
    """What a reply cost."""

    question: str
    tokens: int | None
    seconds: float | None
    finish: str = ""  # why it ended


class Outcome(NamedTuple):
    """How far an idea came."""

    idea: str
    folder: Path
    certificates: list[Certificate]  # of the environments written so far, as far as each came
    waiting: Path | None  # the question that has no reply yet


Ask: TypeAlias = Callable[[Sequence[Path]], Iterable[tuple[Path, ModelOutput]]]
Tell: TypeAlias = Callable[[str], None]


class _Unanswered(Exception):
    """A question, the argument, has no reply yet."""


def draft(
    ideas: Sequence[str],
    folder: Path,
    *,
    example: str,
    repairs: int,
    ask: Ask | None,
    tell: Tell = lambda step: None,
) -> list[Outcome]:
    """Take every idea as far as it goes; without `ask`, until somebody has to reply.

    The example is the file of an environment, for those who write one. Each step is told of.
    """
    places = {folder / f"{number:03}": idea for number, idea in enumerate(ideas, 1)}
    for place, idea in places.items():
        place.mkdir(parents=True, exist_ok=True)
        known = place / "idea.txt"
        if known.exists() and known.read_text(encoding="utf-8") != idea:
            raise UserError(f"{place} is about another idea; append new ideas, or use a new folder")
        write_whole(known, idea.encode())
    while True:
        outcomes = [_follow(idea, place, example, repairs, tell) for place, idea in places.items()]
        waiting = [outcome.waiting for outcome in outcomes if outcome.waiting is not None]
        for question, output in ask(waiting) if waiting and ask is not None else ():
            cost = Cost(str(question), output.tokens, output.seconds, output.finish)
            append_line(folder / COSTS, cost)
            write_whole(reply_of(question), output.text.encode())
            tell(f"{question.parent.name}: {reply_of(question).name} is there")
        if not any(reply_of(question).exists() for question in waiting):
            return outcomes


def _follow(idea: str, place: Path, example: str, repairs: int, tell: Tell) -> Outcome:
    """Follow an idea from its start through the replies that are there."""

    def reply(name: str, **texts: str) -> str:
        question = place / f"{name}.question.md"
        if not reply_of(question).exists():
            write_whole(question, _filled(name.split(".")[-1], **texts).encode())
            raise _Unanswered(question)
        return reply_of(question).read_text(encoding="utf-8")

    certificates: list[Certificate] = []
    faults = ""
    try:
        specification = reply("specification", IDEA=idea)
        for attempt in range(repairs + 1):
            texts = {"SPECIFICATION": specification, "EXAMPLE": example, "FAULTS": faults}
            code = _code(reply(f"{attempt}.environment", **texts))
            written, solver = (place / f"{attempt}.{kind}.py" for kind in ("environment", "solver"))
            write_whole(written, code.encode())
            found = _CLASS.search(code)
            name = found[1] if found else "Environment"
            certificate = _examined(written, name, None, tell)
            certificates.append(certificate)
            if all(finding.held for finding in certificate.findings):
                prompts, wrong = _prompts(code, name), ""
                for retry in range(repairs + 1):  # what it may not use is no fault of the draft
                    text = reply(f"{attempt}.{retry}.solver", PROMPTS=prompts, FAULTS=wrong)
                    write_whole(solver, _code(text).encode())
                    if not (reached := complaints(_code(text), solver=True)):
                        break
                    wrong = _faults(_code(text), reached)
                certificates[-1] = certificate = _examined(written, name, solver, tell)
            if certificate.admitted:
                stem = place.parent / "admitted" / f"{name}_{place.name}"  # names can be the same
                stem.parent.mkdir(exist_ok=True)
                write_whole(stem.with_suffix(".py"), code.encode())
                write_whole(stem.with_name(f"{stem.name}_solver.py"), solver.read_bytes())
                write_whole(stem.with_suffix(".json"), pretty(certificate))
                break
            said = [f"{f.gate}: {what}" for f in certificate.findings for what in f.faults[:SHOWN]]
            faults = _faults(code, said)
    except _Unanswered as stop:
        return Outcome(idea, place, certificates, stop.args[0])
    return Outcome(idea, place, certificates, None)


def _examined(written: Path, name: str, solver: Path | None, tell: Tell) -> Certificate:
    """What the gates find; a certificate that is there counts if it is of the same files."""
    gates, kind = (FIRST, "first") if solver is None else (tuple(GATES), "certificate")
    record = written.with_name(written.name.replace("environment.py", f"{kind}.json"))
    if record.exists():
        known = read_record(record, Certificate, missing=f"{record} is gone")
        texts = written.read_bytes(), b"" if solver is None else solver.read_bytes()
        now = [sha256(text).hexdigest() for text in texts]
        if [known.draft, known.solver, known.rlve] == [*now, __version__]:
            return known
    certificate = admit(written, name, solver, gates=gates)
    write_whole(record, pretty(certificate))
    failed = [finding.gate for finding in certificate.findings if not finding.held]
    tell(f"{record.parent.name}: {record.name}, {', '.join(failed) or 'nothing'} failed")
    return certificate


def _prompts(code: str, name: str) -> str:
    made = {record.key: record.prompt for record in Evidence(code, name, "").records}
    shown = [key for key in PROMPTS if 0 < len(made.get(key, "")) <= LONGEST]
    return "\n\n".join(f"--- difficulty {d}, seed {s} ---\n{made[d, s]}" for d, s in shown)


def _faults(code: str, sentences: Sequence[str]) -> str:
    listed = "\n".join(f"- {text}" for text in sentences)
    before = f"This was written before:\n\n```python\n{code.strip()}\n```"
    return f"\n{before}\n\nA program found this wrong:\n\n{listed}\n"


def _filled(kind: str, **texts: str) -> str:
    text = files("rlve.drafts").joinpath("questions", f"{kind}.md").read_text(encoding="utf-8")
    return Template(text).substitute(texts)  # a text that is put in is not looked at again


def _code(reply: str) -> str:
    """The last block of code, or the whole reply if it has none."""
    blocks: list[str] = _BLOCK.findall(reply)
    return blocks[-1] if blocks else reply
