"""The rule that no answer given without thought wins too often.

If one answer is right for half of the problems, a policy finds it within a few steps and then
learns nothing more from them.
"""

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import NamedTuple

import msgspec

from rlve.contract import Problem, Verdict
from rlve.rules.strategies import LEVELS, PROBLEMS, Contest, Earnings, Question
from rlve.rules.subject import Case, Complaint, Subject, placeholders, short

FEW = 16  # problems of a level on which every guess is tried
PROMISING = 4  # wins among those that make a guess worth trying
MANY = 100  # on this many

OPEN = 1 / 3  # the share that a constant may win
HOPELESS = 0.2  # the share that none exceeds which wins too often on more problems
LEEWAY = 1.2  # if there are only k possible answers, it may win this many times 1/k
CERTAINTY = 2.0  # standard deviations by which a share must exceed what is allowed

LOW_LEVELS = 3  # they have few problems, so constants win most easily there
OTHER_LEVELS = 5

CONSTANTS = (
    *("", "0", "1", "-1", "2", "3", "10", "0.5", "0 0", "0 1", "1 0", "1 1", "1 2", "-1 -1"),
    *("Yes", "No", "YES", "NO", "yes", "no", "True", "False", "true", "false", "A", "B", "x"),
)


class Guess(NamedTuple):
    """A way of answering without solving the problem."""

    label: str
    answer: Callable[[Problem, str], str | None]  # from the problem and its reference


def guesses(subject: Subject) -> Iterator[Complaint]:
    """No thoughtless answer is right for more than about a third of a level's problems.

    If there are only k possible answers, it may win somewhat more than 1/k. An environment that
    cannot avoid it says why in `guessable`, and is excused.
    """
    reason = subject.environment.guessable
    for difficulty in _levels(subject):
        for guess, wins, tried, allowed in _winners(subject, difficulty):
            yield Complaint(
                message="a constant answer wins too often: redraw trivial problems, or say in "
                "`guessable` why this cannot be avoided",
                difficulty=difficulty,
                evidence=f"{guess.label} is right for {wins} of {tried} problems; at most "
                f"{allowed:.0%} is allowed" + (f"; guessable: {reason}" if reason else ""),
                excused=reason is not None,
            )
    yield from _strategies(subject)
    # This rule generates more problems than the others.
    yield from subject.failed(first_seed=subject.seeds)


def _strategies(subject: Subject) -> Iterator[Complaint]:
    """What the best strategy that looks at the prompt wins, where that is too much.

    At difficulty 0 there are often too few problems to avoid it, so there it is only shown. A
    strategy that is always right is the task itself: sorting, or the product of two numbers.
    """
    found: dict[int, tuple[Earnings, float]] = {}
    hopeless = False
    for difficulty in LEVELS:
        if difficulty not in subject.levels:
            continue
        first = _questions(subject, difficulty, range(PROBLEMS // 2))
        if len(first) < PROBLEMS // 2:  # another rule says what is wrong
            continue
        contest = Contest(first)
        if contest.share <= HOPELESS:  # it will not win too often on the rest
            hopeless = True
            continue
        rest = _questions(subject, difficulty, range(PROBLEMS // 2, PROBLEMS))
        if len(rest) == PROBLEMS - len(first):
            allowed = _allowed({question.reference for question in (*first, *rest)})
            found[difficulty] = contest.earnings(rest), allowed
    if not hopeless and is_the_task([best for best, _ in found.values()]):
        return
    reason = subject.environment.guessable
    for difficulty, (best, allowed) in found.items():
        if at_least(best.wins, best.tried) > allowed:
            yield Complaint(
                message="a strategy that looks at the prompt and solves nothing wins too often: "
                "redraw such problems, or say in `guessable` why this cannot be avoided",
                difficulty=difficulty,
                evidence=f"{best.strategy} is right for {best.wins} of {best.tried} problems; at "
                f"most {allowed:.0%} is allowed" + (f"; guessable: {reason}" if reason else ""),
                excused=reason is not None or difficulty == 0,
            )


def is_the_task(levels: Collection[Earnings]) -> bool:
    """Whether one strategy is right for every problem of every level."""
    always = all(best.wins == best.tried for best in levels)
    return always and len({best.strategy for best in levels}) == 1


def _questions(subject: Subject, difficulty: int, seeds: Iterable[int]) -> list[Question]:
    cases = (subject.case(difficulty, seed) for seed in seeds)
    found = (_question(subject, case) for case in cases if case is not None)
    return [question for question in found if question is not None]


def _question(subject: Subject, case: Case) -> Question | None:
    def judge(answer: str) -> Verdict | None:
        verdict = subject.verify(case, answer)
        return verdict if isinstance(verdict, Verdict) else None

    prompt = subject.attempt("prompt()", case, case.problem.prompt)
    return Question(prompt, subject.reference(case), judge) if isinstance(prompt, str) else None


def _allowed(references: Collection[str | None]) -> float:
    """The share that a guess may win, if these are the right answers of a level."""
    return OPEN if None in references else max(OPEN, LEEWAY / max(2, len(references)))


def _levels(subject: Subject) -> list[int]:
    return sorted({*subject.levels[:LOW_LEVELS], *subject.spread(OTHER_LEVELS)})


def _winners(subject: Subject, difficulty: int) -> Iterator[tuple[Guess, int, int, float]]:
    """The guesses that win too often, with their wins, the problems tried and the share allowed."""
    few = list(subject.cases([difficulty], seeds=FEW))
    frequent = _frequent(subject, few)
    panel = [*map(constant, dict.fromkeys((*CONSTANTS, *frequent))), *SHAPES]
    promising = [guess for guess in panel if _wins(subject, few, guess) >= PROMISING]
    if not promising:
        return
    many = list(subject.cases([difficulty], seeds=MANY))
    allowed = _allowed({subject.reference(case) for case in many})
    for guess in promising:
        wins = _wins(subject, many, guess)
        if at_least(wins, len(many)) > allowed:
            yield guess, wins, len(many), allowed


def _frequent(subject: Subject, cases: list[Case]) -> list[str]:
    references = Counter(text for case in cases if (text := subject.reference(case)) is not None)
    return [text for text, _ in references.most_common(4)]


def _wins(subject: Subject, cases: list[Case], guess: Guess) -> int:
    wins = 0
    for case in cases:
        answer = guess.answer(case.problem, subject.reference(case) or "")
        verdict = None if answer is None else subject.verify(case, answer)
        wins += isinstance(verdict, Verdict) and verdict.correct
    return wins


def at_least(wins: int, tried: int) -> float:
    """The share won, less what may be luck: the lower end of the Wilson interval."""
    if not tried:
        return 0.0
    share, z = wins / tried, CERTAINTY
    spread = z * math.sqrt(share * (1 - share) / tried + z * z / (4 * tried * tried))
    return max(0.0, (share + z * z / (2 * tried) - spread) / (1 + z * z / tried))


def constant(text: str) -> Guess:
    """The same answer to every problem."""

    def answer(problem: Problem, reference: str) -> str:
        return text

    return Guess(f"the answer {short(text)}", answer)


def _filled(label: str, value: Callable[[int, int], int]) -> Guess:
    """As many numbers as the problem asks for, each made from its index and the line's length."""

    def answer(problem: Problem, reference: str) -> str | None:
        rows = [line.split() for line in reference.splitlines()]
        # Only a length that the problem states can be known without solving it.
        fields = msgspec.structs.asdict(problem)
        values = (fields.get(name) for name in placeholders(problem.template))
        stated = {size for size in values if isinstance(size, int)}
        if not {len(row) for row in rows} <= stated or len(rows) not in {1, *stated}:
            return None
        return "\n".join(" ".join(str(value(i, len(row))) for i in range(len(row))) for row in rows)

    return Guess(f"an answer of {label}", answer)


SHAPES = (
    _filled("zeros", lambda i, n: 0),
    _filled("ones", lambda i, n: 1),
    _filled("0, 1, 2, ...", lambda i, n: i),
    _filled("1, 2, 3, ...", lambda i, n: i + 1),
    _filled("n, ..., 2, 1", lambda i, n: n - i),
    _filled("n - 1, ..., 1, 0", lambda i, n: n - 1 - i),
)
