"""A rule about answers with several parts: they repeat, and change places, only as the prompt says.

The prompt's own words decide. Where it asks for different things, or for each thing once, a right
answer with a part repeated is wrong, and earns no part of the reward. Where it takes them in any
order, a right answer with its parts in another order is right.
"""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

import msgspec

from rlve.contract import Verdict
from rlve.rules.subject import Case, Complaint, Subject, per_problem, short, spread

LONGEST = 2_000  # characters of a reference; longer ones say nothing more

# Why a repeated part may earn part of the reward.
EXCUSED = {
    "MixedGraphEulerianCircuit": "as published, a walk earns the share of edges that it uses once",
    "SalesmanFatigue": "the answer is of sums, not of the different indices",
}

_EACH_ONCE = re.compile(
    r"\b(?:each|every)(?: of (?:them|the(?:se)? \w+ \w+)| \w+)?(?: can be \w+)?"
    r" (?:at most |exactly )?once\b"
    r"|\b(?:choose|select|find|take|with the)\b[^.,:;]* (?:distinct|different) \w+"
    r"|\bno \w+ (?:is \w+ twice|more than once)\b|\ball different,",
    re.IGNORECASE,
)
_EACH_ONCE_IN_A_LINE = re.compile(
    r"\blist of distinct \w+|\beach of exactly \S+ different \w+|\bhas the \S+ different \w+",
    re.IGNORECASE,
)
_ANY_ORDER = re.compile(r"\bin any order\b", re.IGNORECASE)
_LINES_IN_ANY_ORDER = re.compile(r"(?<!one )\blines?\b[^.:]* in any order\b", re.IGNORECASE)


class Parts(NamedTuple):
    """An answer taken to pieces, and how to put such pieces together."""

    items: list[str]
    join: Callable[[list[str]], str]


@per_problem
def parts(subject: Subject, case: Case) -> Iterator[Complaint]:
    """Parts of the reference are repeated and reordered, and judged as the prompt says."""
    reference = subject.reference(case)
    if not reference or len(reference) > LONGEST:
        return
    prompt = " ".join(case.problem.prompt().split())

    def verdict_of(answer: str) -> Verdict | None:
        verdict = subject.verify(case, answer)
        return verdict if isinstance(verdict, Verdict) else None

    def is_correct(answer: str) -> bool:
        return (verdict := verdict_of(answer)) is not None and verdict.correct

    if not is_correct(reference):
        return  # the `reference` rule complains
    within = _EACH_ONCE_IN_A_LINE.search(prompt)
    if words := within or _EACH_ONCE.search(prompt):
        judged = {answer: verdict_of(answer) for answer in repeated(reference, lines=not within)}
        earned = {answer: verdict for answer, verdict in judged.items() if verdict is not None}
        answer = max(earned, key=lambda answer: earned[answer].reward, default="")
        best = earned.get(answer)
        seen = f"{short(answer)}, but {words[0]!r}"
        if best is not None and best.correct:
            yield case.complain(
                "an answer with a repeated part is correct, which the prompt forbids", seen
            )
        elif best is not None and best.reward > 0:
            reason = EXCUSED.get(type(case.problem).__name__)
            yield msgspec.structs.replace(
                case.complain(
                    "an answer with a repeated part earns a partial reward, which the prompt "
                    "forbids: make it invalid",
                    f"{seen}; reward {best.reward:.2f}" + (f"; {reason}" if reason else ""),
                ),
                excused=reason is not None,
            )
    if _ANY_ORDER.search(prompt):
        others = list(reordered(reference, lines=bool(_LINES_IN_ANY_ORDER.search(prompt))))
        if not any(map(is_correct, others)):
            yield case.complain(
                "the reference in another order is wrong, but the prompt says 'in any order'",
                short(others[0]),
            )


def repeated(text: str, *, lines: bool) -> Iterator[str]:
    """The text with one of its parts more often than there; whether a part can be a line."""
    for items, join in list(_taken_apart(text))[0 if lines else 1 :]:
        if len(set(items)) < len(items):
            continue  # a repeated part is right here
        places = spread([i for i, item in enumerate(items) if re.search(r"\w", item)], 3)
        for i in places:
            for j in places:
                before, after = items[:j], items[j:]
                yield join([*before, items[i], *after])
                yield join([*before, items[i], items[i], *after])  # an XOR may not see a pair
                if i != j:
                    yield join([*before, items[i], *after[1:]])


def reordered(text: str, *, lines: bool) -> Iterator[str]:
    """The text with its parts in the opposite order, whatever they are: numbers, pairs, lines."""
    rows = [line.split() for line in text.splitlines() if line.strip()]
    for size, fixed in ((1, 0), (2, 0), (2, 1)):  # (2, 1): a root, and then edges
        reversed_rows = [[*row[:fixed], *_chunks(row[fixed:], size)[::-1]] for row in rows]
        yield "\n".join(map(" ".join, reversed_rows))
    if lines:
        yield "\n".join(map(" ".join, rows[::-1]))


def _taken_apart(text: str) -> Iterator[Parts]:
    rows = [line for line in text.splitlines() if line.strip()]
    yield Parts(rows, "\n".join)
    for number, row in spread(list(enumerate(rows)), 3):

        def join(items: list[str], number: int = number) -> str:
            return "\n".join([*rows[:number], " ".join(items), *rows[number + 1 :]])

        tokens = row.split()
        yield Parts(tokens, join)
        if len(tokens) > 2 and len(tokens) % 2 == 0:
            yield Parts(_chunks(tokens, 2), join)


def _chunks(tokens: list[str], size: int) -> list[str]:
    return [" ".join(tokens[i : i + size]) for i in range(0, len(tokens), size)]
