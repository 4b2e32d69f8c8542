"""Why a well-formed answer is wrong, as far as that can be said for every environment."""

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
        if verdict.reward > 0:
            return "it follows the rules, but is not good enough"
        return "it is not a correct answer"
    return _difference(_parsed(shown.problem, answer), _parsed(shown.problem, shown.reference))


def _difference(given: Any, right: Any) -> str:
    """How an answer differs from the only correct one."""
    if isinstance(given, int | float) and isinstance(right, int | float):
        return "it is too large" if given > right else "it is too small"
    if not isinstance(given, list | tuple) or not isinstance(right, list | tuple):
        return "it is not the correct answer"
    values, wanted = cast(list[Any], given), cast(list[Any], right)
    if len(values) != len(wanted):
        return f"it has {len(values):,} values, but the correct answer has {len(wanted):,}"
    matches = [value == other for value, other in zip(values, wanted, strict=True)]
    first = matches.index(False) + 1 if False in matches else 0
    return f"{sum(matches):,} of {len(wanted):,} values are right, and value {first} is not"


def _parsed(problem: Problem, text: str) -> Any:
    try:
        return problem.parse(text.strip())
    except Unparseable:
        return None
