"""Drafting: from an idea, through small separate questions, to an environment that is admitted.

    idea -> specification -> environment -> gates -> solver, from prompts alone -> all gates
                                 ^----------- what is wrong goes back ------------'

A question is a file, and so is its reply. Whoever replies, a server, an assistant or a person, sees
one question and nothing else; so nobody who writes a solver has seen the environment. What has a
reply is not asked again, and what was examined is not examined again.
"""

import re
from collections.abc import Callable, Generator, Iterable, Sequence
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple, TypeAlias

import msgspec

from rlve import __version__
from rlve.drafts.admission import Certificate, admit
from rlve.drafts.evidence import Evidence
from rlve.drafts.gates import GATES, SHOWN
from rlve.errors import UserError
from rlve.evaluate.backends import ModelOutput
from rlve.foundation.files import append_line, pretty, read_record, write_whole

# They need no solver.
FIRST = ("closed", "runs", "bounded", "rules", "wording", "variety", "guessing", "novelty")
PROMPTS = ((0, 0), (0, 1), *((d, 0) for d in (1, 2, 4, 7, 12, 20)))  # for the author of a solver
COSTS = "costs.jsonl"  # a Cost on each line
LONGEST = 8_000  # characters of such a prompt
DISAGREEING = """
If it disagrees with a solver that was written from the prompts alone, either the statement can be
read in two ways, or one of the two is wrong.
"""
_BLOCK = re.compile(r"```(?:python|py)?[^\S\n]*\n(.*?)```", re.DOTALL)
_CLASS = re.compile(r"^class (\w+)\(.*Environment\b", re.MULTILINE)


class Question(NamedTuple):
    """A question; its reply is written to a file beside it."""

    path: Path
    text: str

    @property
    def reply(self) -> Path:
        """The file of the reply."""
        return self.path.with_name(self.path.name.replace(".question.", ".reply."))


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
    attempts: int  # environments written
    first: Certificate | None  # of the first one, as far as it came
    certificate: Certificate | None  # of the last one, once nothing is left to ask
    waiting: Question | None  # that has no reply yet


Ask: TypeAlias = Callable[[Sequence[Question]], Iterable[tuple[Question, ModelOutput]]]
Course: TypeAlias = Generator[Question, str, Certificate]
Tell: TypeAlias = Callable[[str], None]


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
    places = [folder / f"{number:03}" for number in range(1, len(ideas) + 1)]
    for idea, place in zip(ideas, places, strict=True):
        place.mkdir(parents=True, exist_ok=True)
        known = place / "idea.txt"
        if known.exists() and known.read_text(encoding="utf-8") != idea:
            raise UserError(f"{place} is about another idea; append new ideas, or use a new folder")
        write_whole(known, idea.encode())
    while True:
        pairs = zip(ideas, places, strict=True)
        courses = [_course(*pair, example, repairs, tell) for pair in pairs]
        outcomes = list(map(_advance, ideas, places, courses))
        waiting = [outcome.waiting for outcome in outcomes if outcome.waiting is not None]
        for question in waiting:
            write_whole(question.path, question.text.encode())
        for question, output in ask(waiting) if waiting and ask is not None else ():
            cost = Cost(str(question.path), output.tokens, output.seconds, output.finish)
            append_line(folder / COSTS, cost)
            write_whole(question.reply, output.text.encode())
            tell(f"{question.path.parent.name}: {question.reply.name} is there")
        if not any(question.reply.exists() for question in waiting):
            return outcomes


def _advance(idea: str, place: Path, course: Course) -> Outcome:
    """Follow the course of an idea through the replies that are there."""
    certificate: Certificate | None = None
    try:
        question = next(course)
        while question.reply.exists():
            question = course.send(question.reply.read_text(encoding="utf-8"))
    except StopIteration as end:
        question, certificate = None, end.value
    records = [place / f"0.{name}.json" for name in ("certificate", "first")]
    known = [read_record(file, Certificate, missing="") for file in records if file.exists()]
    attempts = len(list(place.glob("*.environment.py")))
    return Outcome(idea, place, attempts, known[0] if known else None, certificate, question)


def _course(idea: str, place: Path, example: str, repairs: int, tell: Tell) -> Course:
    def question(name: str, **texts: str) -> Question:
        return Question(place / f"{name}.question.md", _filled(name.split(".")[-1], **texts))

    specification = yield question("specification", IDEA=idea)
    nobody, faults, attempt = place / "no_solver.py", "", 0
    write_whole(nobody, b"")
    while True:
        texts = {"SPECIFICATION": specification, "EXAMPLE": example, "FAULTS": faults}
        code = _code((yield question(f"{attempt}.environment", **texts)))
        written, solver = (place / f"{attempt}.{kind}.py" for kind in ("environment", "solver"))
        write_whole(written, code.encode())
        found = _CLASS.search(code)
        name = found[1] if found else "Environment"
        record = place / f"{attempt}.first.json"
        certificate = _examined(record, written, name, nobody, FIRST, tell)
        if all(finding.held for finding in certificate.findings):
            prompts, answer, wrong = _prompts(code, name), "", ""
            for retry in range(repairs + 1):  # what a solver may not use is no fault of the draft
                again = f".{retry}" if retry else ""
                texts = {"PROMPTS": prompts, "FAULTS": wrong}
                answer = _code((yield question(f"{attempt}{again}.solver", **texts)))
                found = Evidence("", "", answer).look.solver
                if not found:
                    break
                wrong = _faults(answer, found)
            write_whole(solver, answer.encode())
            record = place / f"{attempt}.certificate.json"
            certificate = _examined(record, written, name, solver, tuple(GATES), tell)
        kept = place.parent / "admitted"
        for stale in kept.glob(f"*_{place.name}*"):  # admitted by other gates, or from other code
            stale.unlink()
        if certificate.admitted:
            kept.mkdir(exist_ok=True)
            stem = f"{name}_{place.name}"  # two ideas can lead to the same name
            write_whole(kept / f"{stem}.py", code.encode())
            write_whole(kept / f"{stem}_solver.py", solver.read_bytes())
            write_whole(kept / f"{stem}.json", pretty(certificate))
        if certificate.admitted or attempt == repairs:
            return certificate
        found = [f"{f.gate}: {what}" for f in certificate.findings for what in f.faults[:SHOWN]]
        faults = _faults(code, found) + DISAGREEING
        attempt += 1


def _examined(
    record: Path, written: Path, name: str, solver: Path, gates: Sequence[str], tell: Tell
) -> Certificate:
    """What the gates find; a certificate that is there counts if files and gates are the same."""
    if record.exists():
        known = read_record(record, Certificate, missing=f"{record} is gone")
        asked = {finding.gate for finding in known.findings}
        now = [sha256(path.read_bytes()).hexdigest() for path in (written, solver)]
        stopped = known.findings[-1].gate == "runs"  # then no more are asked
        same = [known.draft, known.solver, known.rlve] == [*now, __version__]
        if same and (stopped or asked == set(gates)):
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
    parts = re.split(r"\$([A-Z]+)", text)  # a text that is put in is not looked at again
    return "".join(texts[part] if i % 2 else part for i, part in enumerate(parts))


def _code(reply: str) -> str:
    """The last block of code, or the whole reply if it has none."""
    blocks: list[str] = _BLOCK.findall(reply)
    return blocks[-1] if blocks else reply
