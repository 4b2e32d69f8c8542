"""The rule that no answer given without thought wins too often.

If one answer is right for half of the problems, a policy finds it within a few steps and then
learns nothing more from them.
"""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping

from rlve.contract import Verdict
from rlve.rules.strategies import (
    LEVELS,
    PANEL,
    PROBLEMS,
    SIMPLE,
    Answer,
    Contest,
    Earnings,
    Question,
)
from rlve.rules.subject import Case, Complaint, Subject

FEW = 16  # problems on which the simple strategies are chosen

OPEN = 1 / 3  # the share that a strategy may win
HOPELESS = 0.2  # the share that none exceeds which wins too often on more problems
LEEWAY = 1.2  # if there are only k possible answers, it may win this many times 1/k
CERTAINTY = 2.0  # standard deviations by which a share must exceed what is allowed

LOW_LEVELS = 3  # they have few problems, so constants win most easily there
OTHER_LEVELS = 5


def guesses(subject: Subject) -> Iterator[Complaint]:
    """No thoughtless answer is right for more than about a third of a level's problems.

    If there are only k possible answers, it may win somewhat more than 1/k. An environment that
    cannot avoid it says why in `guessable`, and is excused. Simple strategies are tried at more
    levels than those that look at the prompt. At difficulty 0 there are often too few problems to
    avoid the latter, so there it is only shown. One that is always right is the task itself:
    sorting, or the product of two numbers.
    """
    for difficulty in sorted({*subject.levels[:LOW_LEVELS], *subject.spread(OTHER_LEVELS)}):
        if best := _best(subject, difficulty, SIMPLE, FEW):
            yield from _complaints(subject, difficulty, *best)
    levels = [difficulty for difficulty in LEVELS if difficulty in subject.levels]
    found = {d: _best(subject, d, PANEL, PROBLEMS // 2) for d in levels}
    winners = {d: best for d, best in found.items() if best}
    if len(winners) < len(found) or not is_the_task([best for best, _ in winners.values()]):
        for d, best in winners.items():
            yield from _complaints(subject, d, *best, excused=d == 0)
    # This rule generates more problems than the others.
    yield from subject.failed(first_seed=subject.seeds)


def _best(
    subject: Subject, difficulty: int, panel: Mapping[str, Answer], number: int
) -> tuple[Earnings, float] | None:
    """What the best strategy earns, and may win; None if that is too little to look at.

    It is chosen on some problems, and measured on others.
    """
    first = questions(subject, difficulty, range(number))
    if len(first) < number:  # another rule says what is wrong
        return None
    contest = Contest(first, panel)
    if contest.share <= HOPELESS:
        return None
    rest = questions(subject, difficulty, range(number, PROBLEMS))
    if len(rest) < PROBLEMS - number:
        return None
    references = {question.reference for question in (*first, *rest)}
    allowed = OPEN if None in references else max(OPEN, LEEWAY / max(2, len(references)))
    return contest.earnings(rest), allowed


def _complaints(
    subject: Subject, difficulty: int, best: Earnings, allowed: float, *, excused: bool = False
) -> Iterator[Complaint]:
    reason = subject.environment.guessable
    if at_least(best.wins, best.tried) > allowed:
        yield Complaint(
            message="a strategy that solves nothing wins too often: redraw such problems, or say "
            "in `guessable` why this cannot be avoided",
            difficulty=difficulty,
            evidence=f"{best.strategy} is right for {best.wins} of {best.tried} problems; at "
            f"most {allowed:.0%} is allowed" + (f"; guessable: {reason}" if reason else ""),
            excused=excused or reason is not None,
        )


def is_the_task(levels: Collection[Earnings]) -> bool:
    """Whether one strategy is right for every problem of every level."""
    always = all(best.wins == best.tried for best in levels)
    return always and len({best.strategy for best in levels}) == 1


def questions(subject: Subject, difficulty: int, seeds: Iterable[int]) -> list[Question]:
    """Problems of a level, as strategies and their judges know them."""
    cases = (subject.case(difficulty, seed) for seed in seeds)
    found = (_question(subject, case) for case in cases if case is not None)
    return [question for question in found if question is not None]


def _question(subject: Subject, case: Case) -> Question | None:
    def judge(answer: str) -> Verdict | None:
        verdict = subject.verify(case, answer)
        return verdict if isinstance(verdict, Verdict) else None

    prompt = subject.attempt("prompt()", case, case.problem.prompt)
    return Question(prompt, subject.reference(case), judge) if isinstance(prompt, str) else None


def at_least(wins: int, tried: int) -> float:
    """The share won, less what may be luck: the lower end of the Wilson interval."""
    if not tried:
        return 0.0
    share, z = wins / tried, CERTAINTY
    spread = z * math.sqrt(share * (1 - share) / tried + z * z / (4 * tried * tried))
    return max(0.0, (share + z * z / (2 * tried) - spread) / (1 + z * z / tried))
