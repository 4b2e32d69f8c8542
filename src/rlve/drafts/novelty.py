"""How near a prompt is to those of the gym: the share of word triples that two have in common."""

import inspect
import re
from functools import cache

from rlve.registry import environment, environments

ALIKE = 0.7  # of 400 environments, 12 have a neighbour this near: variants of one task
_WORD = re.compile(r"[A-Za-z]+")  # numbers say which problem it is, not which task


def nearest(prompt: str, *, leave_out: str | None = None) -> tuple[float, str]:
    """The environment whose prompts are most like this one, and how much they are."""
    ours = _triples(prompt)
    return max(
        (len(ours & theirs) / max(1, len(ours | theirs)), name)
        for name, theirs in _catalogue().items()
        if name != leave_out
    )


def own_name(name: str, source: str) -> str | None:
    """The name, if the source is the gym's own file of that environment."""
    module = inspect.getmodule(environment(name)) if name in environments() else None
    return name if module is not None and inspect.getsource(module) == source else None


@cache
def _catalogue() -> dict[str, set[tuple[str, ...]]]:
    problems = {n: environment(n).generate(difficulty=1, seed=0) for n in environments()}
    return {name: _triples(problem.prompt()) for name, problem in problems.items()}


def _triples(text: str) -> set[tuple[str, ...]]:
    words = [word.lower() for word in _WORD.findall(text)]
    return set(zip(words, words[1:], words[2:], strict=False))
