"""The gates: what is asked of a draft before it is admitted.

A gate is a function of the evidence. It returns a finding: what is wrong, as sentences that say
what was seen, and figures that say how well it holds.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

import msgspec

from rlve.drafts.evidence import Evidence, same
from rlve.drafts.inside import Record
from rlve.drafts.novelty import ALIKE, nearest, own_name
from rlve.drafts.reach import complaints
from rlve.formats import Prompt, prompt_format
from rlve.registry import environments
from rlve.rules.guesses import OPEN, at_least
from rlve.rules.subject import marked, short
from rlve.rules.table import RULES

ANSWERS = 10  # different answers, at the least
COMMONEST = 0.3  # the share of the commonest answer, at the most
DISTINCT = 0.5  # the share of a level's prompts that differ, at least; of one answer, at most
LOWEST, FEW = 2, 3  # levels that have few problems, and how many prompts are enough there
LEAST = 8  # levels
SILENT = 0.5  # the share of a level's problems that it may leave unanswered
MANY = 24  # prompts that have a place before it can count
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
    faults = [f"the environment, {text}" for text in complaints(evidence.draft)]
    faults += [f"the solver, {text}" for text in complaints(evidence.solver, solver=True)]
    faults += [f"when it ran, {text}" for text in evidence.about.reached]
    return faults, {}


def runs(evidence: Evidence) -> Found:
    """It loads, nothing fails, every step ends in time, for hostile answers as well, in memory."""
    made, about = evidence.problems
    if about is None:
        return [evidence.cuts["records"]], {}
    faults = [f"{record.where()}: {record.failure}" for record in made if record.failure]
    if len(about.levels) < LEAST:
        faults.append(f"it has {len(about.levels)} levels; {LEAST} are needed")
    if not faults:  # otherwise the rules would only take long
        faults += [str(complaint) for complaint in evidence.rules.get("quick", [])]
        if len(evidence.rules) < len(RULES):
            faults.append(f"not all rules were run: {evidence.cuts['rules']}")
    if evidence.memory > MEMORY:
        faults.append(f"it uses {evidence.memory >> 20} MiB; {MEMORY >> 20} are allowed")
    return faults, {"memory, MiB": evidence.memory >> 20}


def rules(evidence: Evidence) -> Found:
    """The rules of `rlve check` hold at all levels from 0 to 20; nothing is excused."""
    faults = [
        f"{rule}: {complaint}"
        for rule, complaints in evidence.rules.items()
        for complaint in complaints
        if rule not in ("quick", "guesses")  # which are of other gates
    ]
    return faults, {"rules": len(evidence.rules)}


def variety(evidence: Evidence) -> Found:
    """Problems differ at every level, and so do their answers."""
    records = evidence.records
    faults: list[str] = []
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
    """No strategy that solves nothing, and no place in the prompt, is right in over a third."""
    faults = [str(complaint) for complaint in evidence.rules.get("guesses", [])]
    place, wins, there = leak(evidence.records)
    if at_least(wins, there) > OPEN:
        faults.append(f"the answer stands after '{place}' in {wins} of {there} prompts")
    return faults, {}


_WORD = re.compile(r"[^\W\d_]+|\d+|[^\w\s]")


def leak(records: list[Record]) -> tuple[str, int, int]:
    """After which two words the answer stands most often, how often, and in how many prompts.

    Only words that a prompt has once count: a list after them may well contain the answer.
    """
    there, wins = Counter[str](), Counter[str]()
    for record in records:
        words, answer = _WORD.findall(record.prompt), _WORD.findall(record.reference or "")
        shapes = ["#" if word.isdigit() else word for word in words]
        pairs = [" ".join(pair) for pair in pairwise(shapes)]
        number = Counter(pairs)
        for i, pair in enumerate(pairs, 2):
            if number[pair] == 1:
                there[pair] += 1
                wins[pair] += bool(answer) and words[i : i + len(answer)] == answer
    fewest = min(len(records), MANY)
    found = [(place, number, max(fewest, there[place])) for place, number in wins.items()]
    return max(found, key=lambda place: at_least(*place[1:]), default=("", 0, 1))


def solver(evidence: Evidence) -> Found:
    """The solver's answers, from prompts alone, are correct at all levels."""
    judged = evidence.answers
    faults = [
        f"{record.where()}: the solver answers {short(answer)}, not {short(record.reference or '')}"
        for record, answer, correct in judged
        if not correct
    ]
    highest = max((record.difficulty for record, _, _ in judged), default=None)
    figures = {"answered": len(judged), "wrong": len(faults), "highest difficulty": highest}
    if "judge" in evidence.cuts:
        faults.append(f"not all answers were judged: {evidence.cuts['judge']}")
    for d in evidence.about.levels:
        asked = [reply for record, reply in evidence.solved if record.difficulty == d]
        silent = Counter(why or "it returned None" for value, why in asked if value is None)
        if not asked or silent.total() > SILENT * len(asked):
            why = silent.most_common(1)[0][0] if asked else evidence.cuts["solve"]
            found = f"the solver has no answer to {silent.total()} of {len(asked)}: {why}"
            faults.append(f"difficulty {d}: {found}")
    return faults, figures


def judgement(evidence: Evidence) -> Found:
    """Solver and verifier agree on which changed references, and references of others, are right.

    A solver with several right answers to choose from needs a function accepts(). Its author can
    also list answers that are wrong.
    """
    listed = evidence.wrong
    if listed is None:
        return ["WRONG is no list of (difficulty, seed, answer)"], {}
    verdicts = evidence.judge([(d, seed, marked(answer)) for d, seed, answer in listed])
    faults = [
        f"difficulty {d}, seed {seed}: {short(answer)} is accepted, and listed as wrong"
        for (d, seed, answer), correct in zip(listed, verdicts, strict=False)
        if correct
    ]
    if len(verdicts) < len(listed):
        faults.append(f"it judged {len(verdicts)} of {len(listed)}: {evidence.cuts['judge']}")
    agreed = 0
    for record, own, _ in evidence.answers:
        replies = evidence.judged.get(record.key)
        if replies is None and not evidence.about.single:
            text = "several answers can be right, so the solver needs accepts(prompt, answer)"
            return [text], {}
        for i, (text, correct) in enumerate(record.altered):
            ours = same(own, text) if replies is None else replies[i][0]
            if same(text, record.reference or "") is None or (replies is None and ours is None):
                continue  # only its form differs from a right answer
            agreed += ours is correct
            if ours is not correct:
                theirs = "accepts" if correct else "refuses"
                solver = "fails" if ours is None else f"does not; its own answer is {short(own)}"
                text = f"the verifier {theirs} {short(text)}, the solver {solver}"
                faults.append(f"{record.where()}: {text}")
    if not agreed:
        faults.append("nothing was judged by both")
    return faults, {"agreed": agreed, "listed as wrong": len(listed)}


def novelty(evidence: Evidence) -> Found:
    """It is no environment of the gym under another name."""
    own = own_name(evidence.name, evidence.draft)
    faults: list[str] = []
    if own is None and evidence.name in environments():
        faults.append(f"the name {evidence.name} is taken")
    prompt = min(evidence.records, key=lambda record: abs(record.difficulty - 1)).prompt
    alike, name = nearest(prompt, leave_out=own)
    if alike >= ALIKE:
        faults.append(f"{alike:.0%} of what its prompt and that of {name} say is the same")
    wins, tried = evidence.solved_by(name)
    if wins > COPIED * tried:
        faults.append(f"{name} solves {wins} of {tried} problems from the same record")
    return faults, {"nearest": name, "alike": round(alike, 3), "solved by it": wins}


def difficulty(evidence: Evidence, model: Model) -> Found:
    """A model solves some problems at d = 0, and fewer as d grows; asked if a model is given."""
    by_level = {d: [r for r in evidence.records if r.difficulty == d][:EACH] for d in ASKED}
    asked = [record for level in by_level.values() for record in level]
    outputs = model([prompt_format("chat").wrap(record.prompt) for record in asked])
    judged = [(*record.key, output) for record, output in zip(asked, outputs, strict=True)]
    solved = Counter(d for (d, _, _), ok in zip(judged, evidence.judge(judged), strict=False) if ok)
    accuracy = {d: solved[d] / len(level) for d, level in by_level.items() if level}
    first, last = accuracy[min(accuracy)], accuracy[max(accuracy)]
    fault = (
        f"the model solves {first:.0%} at the lowest and {last:.0%} at the highest level; "
        f"{FLOOR:.0%} and a lower share are needed"
    )
    faults = [fault] if first < FLOOR or last >= first else []
    return faults, {f"accuracy, d = {d}": round(share, 3) for d, share in accuracy.items()}


# In the order they are asked. If a draft does not run, there is nothing to ask the others.
_ALL = (closed, runs, rules, variety, guessing, solver, judgement, novelty)
GATES: dict[str, Gate] = {gate.__name__: gate for gate in _ALL}
