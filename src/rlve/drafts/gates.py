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
from rlve.rules.subject import LEVELS, short
from rlve.rules.table import RULES

ANSWERS = 10  # different answers, at the least
COMMONEST = 0.3  # the share of the commonest answer, at the most
DISTINCT = 0.5  # the share of a level's prompts that differ, at least; of one answer, at most
SAME = 5  # levels that may have the settings of the level before
LOWEST, FEW = 2, 3  # levels that have few problems, and how many prompts are enough there
LEAST = 8  # levels
EASY, SILENT, MUTE = 4, 0.2, 0.5  # low levels, and what share of these and others can be left open
ENDS, GROWN = 3, 0.6  # lowest and highest levels, and how much more of something one end must have
LONG, MANY = 300, 24  # characters of numbers, and prompts that have a place before it can count
MEMORY = 512 * 2**20  # bytes
COPIED = 0.5  # the share of problems that a copy's original solves
SHOWN = 3  # examples of a fault
ASKED, EACH = (0, 3, 6, 10), 12  # levels at which a model is asked, and problems of each
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
    look = evidence.look
    faults = [f"the environment, {text}" for text in look.draft]
    faults += [f"the solver, {text}" for text in look.solver]
    faults += [f"when it ran, {text}" for text in evidence.about.reached]
    return faults, {}


def runs(evidence: Evidence) -> Found:
    """It loads, nothing fails, every step ends in time, for hostile answers as well, in memory."""
    made, about = evidence.problems
    if about is None:
        return [evidence.cut("records")], {}
    faults = _failures(made)
    if len(about.levels) < LEAST:
        faults.append(f"it has {len(about.levels)} levels; {LEAST} are needed")
    if not evidence.records:
        faults.append("it makes no problem with a reference")
    if not faults:  # otherwise the rules would only take long
        faults += [str(complaint) for complaint in evidence.rules.get("quick", [])]
        if len(evidence.rules) < len(RULES):
            faults.append(f"not all rules were run: {evidence.cut('rules')}")
    if evidence.memory > MEMORY:
        faults.append(f"it uses {evidence.memory >> 20} MiB; {MEMORY >> 20} are allowed")
    figures = {f"slowest {what}, s": round(s, 3) for what, s in about.slowest.items()}
    return faults, {**figures, "memory, MiB": evidence.memory >> 20}


def _failures(made: list[Record]) -> list[str]:
    hint = {True: "", False: "; max_difficulty can exclude it"}
    return [f"{r.where()}: {r.failure}{hint[r.difficulty in LEVELS]}" for r in made if r.failure]


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
    records = evidence.records
    faults: list[str] = []
    same = sum(a == b for a, b in pairwise(evidence.about.settings))
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
    if not _grows(records):
        faults.append("problems of the highest levels are like those of the lowest: nothing grows")
    return faults, {
        "problems": len(records),
        "different prompts": len({record.prompt for record in records}),
        "different answers": len(answers),
        "share of the commonest": round(share, 3),
    }


def _grows(records: list[Record]) -> bool:
    """Whether anything tells problems of the highest levels from those of the lowest."""
    levels = sorted({record.difficulty for record in records})
    low, high = (
        [_sizes(record) for record in records if record.difficulty in ends]
        for ends in (levels[:ENDS], levels[-ENDS:])
    )
    return any(  # fewer hints are harder, too
        abs(sum((a[what] < b[what]) - (a[what] > b[what]) for a in low for b in high))
        > GROWN * len(low) * len(high)
        for what in set[str]().union(*low, *high)
    )


def _sizes(record: Record) -> Counter[str]:
    """How long a prompt and its answer are, the largest number, and how often each character is."""
    sizes = Counter(record.prompt)
    sizes["prompt"], sizes["answer"] = len(record.prompt), len(record.reference or "")
    sizes["number"] = max(map(int, _NUMBER.findall(record.prompt)), default=0)
    return sizes


def guessing(evidence: Evidence) -> Found:
    """No strategy that solves nothing, and no place in the prompt, is right in over a third.

    A strategy that is always right can be the task itself, if it orders or sums up all data.
    """
    records, tries = evidence.records, evidence.guesses
    faults: list[str] = []
    earned = [Earnings(best, wins, tried, "", 0.0) for _, best, wins, tried in tries]
    if len(earned) < 2 or not (is_the_task(earned) and _TASK.search(earned[0].strategy)):
        for d, best, wins, tried in tries:
            if at_least(wins, tried) > OPEN:
                faults.append(f"difficulty {d}: {best} is right for {wins} of {tried} problems")
    for d in (None, *sorted({r.difficulty for r in records if r.difficulty >= LOWEST})):
        level = [record for record in records if d in (None, record.difficulty)]
        for place, wins, there in leaks(level):
            if at_least(wins, there) > OPEN and not any(place in fault for fault in faults):
                where = "" if d is None else f"difficulty {d}: "
                faults.append(f"{where}the answer stands {place} in {wins} of {there} prompts")
    if not tries or "guesses" in evidence.cuts:
        faults.append(f"not all levels were measured: {evidence.cut('guesses')}")
    best = max((wins / tried for _, _, wins, tried in tries), default=0.0)
    return faults, {"best guess": round(best, 3)}


_TASK = re.compile(r"(numbers?|median|sum|range|count) in the |sort|descending")
_WORD = re.compile(r"[^\W\d_]+|\d+|[^\w\s]")
_NUMBER = re.compile(r"\d{1,300}")


def leaks(records: list[Record]) -> Iterator[tuple[str, int, int]]:
    """Where the answer stands most often, how often it does, and in how many prompts it could.

    A place is after two words: as it is, reversed, or always changed by the same number; or part by
    part. Only those count that a prompt has once: a list after them may well contain the answer.
    """
    there: Counter[str] = Counter()
    whole: Counter[tuple[str, str]] = Counter()
    parts: dict[int, Counter[str]] = {}
    seen: list[list[set[str]]] = []  # of each record, where each part of its answer stands
    for record in records:
        text, prompt = record.reference or "", ["", "", *_WORD.findall(record.prompt)]
        shapes = ["#" if word.isdigit() else word.casefold() for word in prompt]
        once = {pair for pair, number in Counter(pairwise(shapes)).items() if number == 1}
        single = {
            i: f"after '{one} {two}'"
            for i, (one, two) in enumerate(pairwise(shapes[:-1]), 2)
            if (one, two) in once
        }
        there.update(single.values())
        answer, reverse = _WORD.findall(text), _WORD.findall(text[::-1])
        for i, at in single.items() if answer else ():
            whole[at, ""] += prompt[i : i + len(answer)] == answer
            whole[at, ", reversed"] += prompt[i : i + len(answer)] == reverse
            if text.isdecimal() and prompt[i].isdecimal() and len(text + prompt[i]) < LONG:
                whole[at, f", changed by {int(prompt[i]) - int(text):+}"] += 1
        seen.append([{at for i, at in single.items() if prompt[i] == word} for word in answer])
        for i, found in enumerate(seen[-1]):
            parts.setdefault(i, Counter()).update(found)
    fewest = min(len(records), MANY)
    found = [(at + how, wins, max(fewest, there[at])) for (at, how), wins in whole.items()]
    yield max(found, key=lambda place: at_least(*place[1:]), default=("", 0, 1))
    usual = {i: at for i, wins in parts.items() for at, _ in wins.most_common(1)}
    wins = sum(
        len(found) > 1 and all(usual.get(i) in at for i, at in enumerate(found)) for found in seen
    )
    yield ", ".join(usual[i] for i in sorted(usual)[:SHOWN]), wins, len(records)


def solver(evidence: Evidence) -> Found:
    """The solver's answers, from prompts alone, are correct at all levels."""
    judged = evidence.answers
    answered = {record.prompt for record, _, _ in judged if record.difficulty in LEVELS}
    faults = [
        f"{record.where()}: the solver answers {short(answer)}, not {short(record.reference or '')}"
        for record, answer, correct in judged
        if not correct
    ]
    figures = {"answered": len(answered), "correct": len(judged) - len(faults), "of": len(judged)}
    faults += _failures(evidence.problems[0])
    if "judge" in evidence.cuts:
        faults.append(f"not all answers were judged: {evidence.cut('judge')}")
    if len(answered) < ENOUGH:
        why = Counter(s.why or "it returned None" for _, s in evidence.solved if s.value is None)
        reason = why.most_common(1)[0][0] if why else evidence.cut("solve")
        text = f"the solver answers {len(answered)} different problems, not {ENOUGH}: {reason}"
        faults.append(text)
    for d in evidence.about.levels:
        asked = [reply for record, reply in evidence.solved if record.difficulty == d]
        silent = sum(reply.value is None for reply in asked)
        if not asked or silent > (SILENT if d < EASY else MUTE) * len(asked):
            faults.append(f"difficulty {d}: the solver has no answer to {silent} of {len(asked)}")
    highest = max((record.difficulty for record, _, _ in judged), default=None)
    return faults, {**figures, "highest difficulty": highest}


def judgement(evidence: Evidence) -> Found:
    """Solver and verifier agree on which changed references, and references of others, are right.

    A solver with several right answers to choose from needs a function accepts().
    """
    faults: list[str] = []
    agreed = accepted = 0
    for record, own, _ in evidence.answers:
        replies = evidence.judged.get(record.key)
        if replies is None and not evidence.about.single:
            text = "several answers can be right, so the solver needs accepts(prompt, answer)"
            return [text], {}
        for i, (text, correct) in enumerate(record.altered):
            ours = same(own, text) if replies is None else replies[i].value
            if same(text, record.reference or "") is None or (replies is None and ours is None):
                continue  # only its form differs from a right answer
            agreed += ours is correct
            accepted += correct
            if ours is not correct:
                theirs = "accepts" if correct else "refuses"
                solver = "fails" if ours is None else f"does not; its own answer is {short(own)}"
                text = f"the verifier {theirs} {short(text)}, the solver {solver}"
                faults.append(f"{record.where()}: {text}")
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
            answers[record.key] = extract(output, form.marker)
    verdicts = evidence.judge([(*key, text) for key, text in answers.items()])
    solved = Counter(d for (d, _), ok in zip(answers, verdicts, strict=False) if ok)
    accuracy = {d: solved[d] / len(level) for d, level in by_level.items() if level}
    first, last = accuracy[min(accuracy)], accuracy[max(accuracy)]
    faults: list[str] = []
    if first < FLOOR:
        faults.append(f"the model solves {first:.0%} at difficulty 0; {FLOOR:.0%} are needed")
    if last >= first:
        faults.append(
            f"the model solves {first:.0%} at the lowest, {last:.0%} at the highest level"
        )
    return faults, {f"accuracy, d = {d}": round(share, 3) for d, share in accuracy.items()}


# In the order they are asked. If a draft does not run, there is nothing to ask the others.
_ALL = (closed, runs, bounded, rules, wording, variety, guessing, solver, judgement, wrong, novelty)
GATES: dict[str, Gate] = {gate.__name__: gate for gate in _ALL}
