"""The gates: what is asked of a draft before it is admitted.

A gate is a function of the evidence. It returns a finding: what is wrong, as sentences that say
what was seen, and figures that say how well it holds.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Any, TypeAlias

import msgspec

from rlve.answers import extract
from rlve.drafts.evidence import ENOUGH, Evidence, same
from rlve.drafts.inside import Record
from rlve.drafts.novelty import ALIKE, nearest, own_name
from rlve.errors import Unparseable
from rlve.formats import Prompt, prompt_format
from rlve.registry import environments
from rlve.rules.guesses import OPEN, at_least, is_the_task
from rlve.rules.strategies import Earnings
from rlve.rules.subject import short
from rlve.rules.table import RULES

ANSWERS = 10  # different answers, at the least
COMMONEST = 0.3  # the share of the commonest answer, at the most
DISTINCT = (
    0.5  # the share of different prompts at a level, at the least, and of one answer, at most
)
SAME = 5  # levels that may have the settings of the level before
FEW = 3  # different prompts that are enough at the lowest levels, which have few problems
LOWEST = 2
SOLVED_LEVELS = 4  # levels that the solver must be able to answer
SILENT = 0.2  # the share of the problems of a low level that the solver may leave
MEMORY = 512 * 2**20  # bytes
COPIED = 0.5  # the share of problems that a copy's original solves
SHOWN = 3  # examples of a fault
ASKED = (0, 3, 6, 10)  # levels at which a model is asked
EACH = 12  # problems of such a level
FLOOR = 0.1  # a model's accuracy at d = 0, at the least


class Finding(msgspec.Struct):
    """What a gate found."""

    gate: str
    held: bool
    faults: list[str]
    figures: dict[str, Any]


Found: TypeAlias = tuple[list[str], dict[str, Any]]
"""What is wrong, and figures."""
Gate: TypeAlias = Callable[[Evidence], Found]
Model: TypeAlias = Callable[[Sequence[Prompt]], Sequence[str]]
"""The outputs of a model, one for each prompt."""


def closed(evidence: Evidence) -> Found:
    """Neither program reaches for files, the network, a clock or global randomness."""
    look, (_, about) = evidence.look, evidence.problems
    faults = [f"the environment, {text}" for text in look.draft]
    faults += [f"the solver, {text}" for text in look.solver]
    faults += [f"when it ran, {text}" for text in (about.reached if about else [])]
    return faults, {}


def runs(evidence: Evidence) -> Found:
    """It loads, every step ends in time, for hostile answers as well, and memory stays small."""
    about = evidence.problems[1]
    if about is None:
        return [evidence.cut("records")], {}
    faults = [*about.slow, *about.beyond, *about.refused]
    if about.memory > MEMORY:
        faults.append(f"it uses {about.memory >> 20} MiB; {MEMORY >> 20} are allowed")
    if not evidence.records:
        why = {record.failure for record in evidence.problems[0]}
        faults.append(f"it makes no problem with a reference: {', '.join(sorted(why)) or 'none'}")
    if not faults:  # otherwise the rules would only take long
        faults += [str(complaint) for complaint in evidence.rules.get("quick", [])]
        if len(evidence.rules) < len(RULES):
            faults.append(f"not all rules were run: {evidence.cut('rules')}")
    figures = {f"slowest {what}, s": round(s, 3) for what, s in about.slowest.items()}
    return faults, {**figures, "memory, MiB": about.memory >> 20}


def bounded(evidence: Evidence) -> Found:
    """Every loop has a cap: `for`, or a condition that changes."""
    return evidence.look.endless, {}


def wording(evidence: Evidence) -> Found:
    """Numbers agree with their nouns, no word is doubled, and no list says more than it has."""
    prompts = [record.prompt for record in evidence.records]
    plurals = {word for prompt in prompts for word in _SEVERAL.findall(prompt)}
    faults: dict[str, str] = {}
    for prompt in prompts:
        found = [match for match in _ONE.finditer(prompt) if match[1] in plurals]
        for match in (*found, *_ODD.finditer(prompt)):
            around = prompt[max(0, match.start() - 20) : match.end() + 20]
            faults.setdefault(match[0], f"odd wording: {short(' '.join(around.split()))}")
    return list(faults.values()), {}


_SEVERAL = re.compile(r"\b(?:[2-9]|[1-9][0-9]+) ([a-z]{2,}s)\b")
_ONE = re.compile(r"(?<![\w.,/*+^-])(?<![x*/+-] )1 ([a-z]{2,}s)\b")
_ODD = re.compile(r"\b([A-Za-z]{2,}) \1\b|\b[01], [12], \.\.\., [123]\b|\w\(s\)")


def rules(evidence: Evidence) -> Found:
    """The rules of `rlve check` hold at all levels from 0 to 20; nothing is excused."""
    faults = [
        f"{rule}: {complaint}"
        for rule, complaints in evidence.rules.items()
        for complaint in complaints
        # Times and guesses have gates of their own.
        if rule != "quick" and not (rule == "guesses" and complaint.excused)
    ]
    return faults, {"rules": len(evidence.rules)}


def variety(evidence: Evidence) -> Found:
    """Problems differ at every level, and so do their answers."""
    records, about = evidence.records, evidence.problems[1]
    faults: list[str] = []
    same = sum(a == b for a, b in pairwise(about.settings if about else []))
    if same > SAME:
        faults.append(f"{same} levels have the settings of the level before; {SAME} may")
    for d in sorted({record.difficulty for record in records}):
        level = [record for record in records if record.difficulty == d]
        prompts = len({record.prompt for record in level})
        if prompts < (FEW if d < LOWEST else DISTINCT * len(level)):
            faults.append(f"difficulty {d} has {prompts} different prompts in {len(level)}")
        commonest = Counter(record.reference for record in level).most_common(1)[0][1]
        if d >= LOWEST and commonest > DISTINCT * len(level):
            faults.append(f"difficulty {d}: one answer is right for {commonest} of {len(level)}")
    answers = Counter(record.reference for record in records)
    if len(answers) < ANSWERS:
        faults.append(f"{len(records)} problems have {len(answers)} different answers")
    answer, count = answers.most_common(1)[0]
    share = count / len(records)
    if share > COMMONEST:
        faults.append(f"the answer {short(str(answer))} is right for {share:.0%} of the problems")
    return faults, {
        "problems": len(records),
        "different prompts": len({record.prompt for record in records}),
        "different answers": len(answers),
        "share of the commonest": round(share, 3),
    }


def guessing(evidence: Evidence) -> Found:
    """No strategy that solves nothing, and no place in the prompt, is right in over a third.

    A strategy that is always right can be the task itself, such as sorting, unless it copies.
    """
    records, tries = evidence.records, evidence.guesses
    faults: list[str] = []
    earned = [Earnings(best, wins, tried, "", 0.0) for _, best, wins, tried in tries]
    copied = sum(_shown(record) for record in records)
    if not (len(earned) > 1 and is_the_task(earned)) or copied > OPEN * len(records):
        for d, best, wins, tried in tries:
            if at_least(wins, tried) > OPEN:
                faults.append(f"difficulty {d}: {best} is right for {wins} of {tried} problems")
    for place, wins in leaks(records):
        if at_least(wins, len(records)) > OPEN:
            seen = f"{wins} of {len(records)} prompts"
            faults.append(f"the answer stands after the words {place!r} in {seen}")
    if not tries or "guesses" in evidence.cuts:
        faults.append(f"not all levels were measured: {evidence.cut('guesses')}")
    best = max((wins / tried for _, _, wins, tried in tries), default=0.0)
    return faults, {"best guess": round(best, 3)}


_WORD = re.compile(r"[^\W\d_]+|\d+|[^\w\s]")


def _shown(record: Record) -> bool:
    """Whether the answer stands in the prompt as it is."""
    answer = " ".join(_WORD.findall(record.reference or ""))
    return f" {answer} " in f" {' '.join(_WORD.findall(record.prompt))} "


def leaks(records: list[Record]) -> Iterator[tuple[str, int]]:
    """The two words after which the answer stands most often, as a whole or part by part.

    Only those count that a prompt has once: a list after them may well contain the answer.
    """
    whole: Counter[str] = Counter()
    parts: dict[int, Counter[str]] = {}
    seen: list[list[set[str]]] = []  # of each record, where each part of its answer stands
    for record in records:
        answer, prompt = _WORD.findall(record.reference or ""), _WORD.findall(record.prompt)
        shapes = ["#" if word.isdigit() else word.casefold() for word in prompt]
        places = Counter(pairwise(shapes))
        single = {
            i: f"{shapes[i - 2]} {shapes[i - 1]}"
            for i in range(2, len(prompt))
            if places[shapes[i - 2], shapes[i - 1]] == 1
        }
        spans = (at for i, at in single.items() if answer and answer == prompt[i : i + len(answer)])
        whole.update(set(spans))
        seen.append([{at for i, at in single.items() if prompt[i] == word} for word in answer])
        for i, found in enumerate(seen[-1]):
            parts.setdefault(i, Counter()).update(found)
    yield from whole.most_common(1)
    usual = {i: at for i, wins in parts.items() for at, _ in wins.most_common(1)}
    wins = sum(
        len(found) > 1 and all(usual.get(i) in at for i, at in enumerate(found)) for found in seen
    )
    yield ", ".join(usual[i] for i in sorted(usual)[:SHOWN]), wins


def solver(evidence: Evidence) -> Found:
    """The solver's answers, from prompts alone, are correct."""
    judged = evidence.answers_correct
    answered = {record.prompt for record, _, _ in judged}
    levels = sorted({record.difficulty for record, _, _ in judged})
    wrong = [(record, solution) for record, solution, correct in judged if not correct]
    faults = [
        f"difficulty {r.difficulty}, seed {r.seed}: the solver answers {short(s.answer or '')}, "
        f"the reference is {short(r.reference or '')}"
        for r, s in wrong
    ]
    if "judge" in evidence.cuts:
        faults.append(f"not all answers were judged: {evidence.cut('judge')}")
    if len(answered) < ENOUGH:
        why = Counter(s.why or "it returned None" for _, s in evidence.solved if s.answer is None)
        reason = why.most_common(1)[0][0] if why else evidence.cut("solver")
        text = f"the solver answers {len(answered)} different problems, not {ENOUGH}: {reason}"
        faults.append(text)
    for d in levels[:SOLVED_LEVELS]:  # low ones, where brute force is no excuse
        asked = [s for r, s in evidence.solved if r.difficulty == d]
        silent = sum(solution.answer is None for solution in asked)
        if silent > SILENT * len(asked):
            faults.append(f"difficulty {d}: the solver has no answer to {silent} of {len(asked)}")
    if len(levels) < SOLVED_LEVELS:
        faults.append(f"the solver answers problems of {len(levels)} levels, not {SOLVED_LEVELS}")
    return faults, {
        "answered": len(answered),
        "correct": len(judged) - len(wrong),
        "of": len(judged),
        "highest difficulty": levels[-1] if levels else None,
    }


def judgement(evidence: Evidence) -> Found:
    """Solver and verifier agree on which changed references, and references of others, are right.

    A solver with several right answers to choose from needs a function accepts().
    """
    about = evidence.problems[1]
    faults: list[str] = []
    agreed = accepted = 0
    for record, solution in evidence.solved:
        own, reference = solution.answer, record.reference or ""
        if own is None:
            continue
        if solution.judged is None and about is not None and not about.single:
            text = "several answers can be right, so the solver needs accepts(prompt, answer)"
            return [text], {}
        judged = solution.judged or [same(own, text) for text, _ in record.altered]
        for (text, correct), ours in zip(record.altered, judged, strict=False):
            if same(text, reference) is None or (ours is None and solution.judged is None):
                continue  # only its form differs from a right answer
            agreed += ours is correct
            accepted += correct
            if ours is not correct:
                theirs = "accepts" if correct else "refuses"
                solver = "fails" if ours is None else f"does not; its own answer is {short(own)}"
                where = f"difficulty {record.difficulty}, seed {record.seed}"
                faults.append(f"{where}: the verifier {theirs} {short(text)}, the solver {solver}")
    if not agreed:
        faults.append("nothing was judged by both")
    return faults, {"agreed": agreed, "of": agreed + len(faults), "accepted": accepted}


def wrong(evidence: Evidence) -> Found:
    """What an author lists as wrong is refused."""
    look = evidence.look
    verdicts = evidence.judge(look.wrong)
    faults = [
        f"difficulty {d}, seed {seed}: {short(answer)} is accepted"
        for (d, seed, answer), correct in zip(look.wrong, verdicts, strict=False)
        if correct
    ]
    if len(verdicts) < len(look.wrong):
        faults.append(f"it judged {len(verdicts)} of {len(look.wrong)}: {evidence.cut('judge')}")
    return faults, {"listed": len(look.wrong)}


def novelty(evidence: Evidence) -> Found:
    """It is no environment of the gym under another name."""
    own = own_name(evidence.name, evidence.draft)
    faults: list[str] = []
    if own is None and evidence.name in environments():
        faults.append(f"the name {evidence.name} is taken")
    near = nearest(min(evidence.records, key=lambda r: abs(r.difficulty - 1)).prompt, leave_out=own)
    name, alike = near[0]
    if alike >= ALIKE:
        faults.append(f"{alike:.0%} of what its prompt and that of {name} say is the same")
    solved = evidence.copies([other for other, _ in near])
    for other, wins, tried in solved:
        if wins > COPIED * tried:
            faults.append(f"{other} solves {wins} of {tried} problems from the same record")
    most = max((wins for _, wins, _ in solved), default=0)
    return faults, {"nearest": name, "alike": round(alike, 3), "solved by it": most}


def difficulty(evidence: Evidence, model: Model) -> Found:
    """A model solves some problems at d = 0, and fewer as d grows; asked if a model is given."""
    by_level = {d: [r for r in evidence.records if r.difficulty == d][:EACH] for d in ASKED}
    asked = [record for level in by_level.values() for record in level]
    form = prompt_format("chat")
    outputs = model([form.wrap(record.prompt) for record in asked])
    answers: dict[tuple[int, int], str] = {}
    for record, output in zip(asked, outputs, strict=True):
        with suppress(Unparseable):  # it counts as wrong
            answers[record.difficulty, record.seed] = extract(output, form.marker)
    verdicts = evidence.judge([(d, seed, text) for (d, seed), text in answers.items()])
    solved = Counter(d for (d, _), ok in zip(answers, verdicts, strict=False) if ok)
    accuracy = {d: solved[d] / len(level) for d, level in by_level.items() if level}
    first, last = accuracy.get(0, 0.0), list(accuracy.values())[-1] if accuracy else 0.0
    faults: list[str] = []
    if first < FLOOR:
        faults.append(f"the model solves {first:.0%} at difficulty 0; {FLOOR:.0%} are needed")
    if last >= first:
        faults.append(
            f"the model solves {first:.0%} at the lowest level, {last:.0%} at the highest"
        )
    return faults, {f"accuracy, d = {d}": round(share, 3) for d, share in accuracy.items()}


# In the order they are asked. If a draft does not run, there is nothing to ask the others.
GATES: dict[str, Gate] = {
    "closed": closed,
    "runs": runs,
    "bounded": bounded,
    "rules": rules,
    "wording": wording,
    "variety": variety,
    "guessing": guessing,
    "solver": solver,
    "judgement": judgement,
    "wrong": wrong,
    "novelty": novelty,
}
