"""Why an answer that can be read is wrong, as far as that can be said of any environment."""

from typing import Any, cast

from rlve.contract import Problem, Verdict, whole
from rlve.errors import Unparseable
from rlve.pool import Shown
from rlve.rewards import INVALID


def why_wrong(shown: Shown, answer: str, verdict: Verdict) -> str:
    """A clause, such as: it is too small."""
    if verdict.reward <= INVALID:
        return "it breaks a rule of the problem"
    if type(shown.problem).unique_up_to is not whole or shown.reference is None:
        some = verdict.reward > 0
        return "it keeps the rules, but is not good enough" if some else "it is not a right answer"
    return _difference(_parsed(shown.problem, answer), _parsed(shown.problem, shown.reference))


def _difference(given: Any, right: Any) -> str:
    """How an answer differs from the only right one."""
    if isinstance(given, int | float) and isinstance(right, int | float):
        return "it is too large" if given > right else "it is too small"
    if not isinstance(given, list | tuple) or not isinstance(right, list | tuple):
        return "it is not the right answer"
    values, wanted = cast(list[Any], given), cast(list[Any], right)
    if len(values) != len(wanted):
        return f"it has {len(values):,} values, and the right answer has {len(wanted):,}"
    right_ones = [value == other for value, other in zip(values, wanted, strict=True)]
    first = right_ones.index(False) + 1 if False in right_ones else 0
    return f"{sum(right_ones):,} of {len(wanted):,} values are right, and value {first} is not"


def _parsed(problem: Problem, text: str) -> Any:
    try:
        return problem.parse(text.strip())
    except Unparseable:
        return None
