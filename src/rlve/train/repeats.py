"""Problems that come up again: a level that has few of them is soon known by heart."""

from collections import Counter
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import Final

import msgspec

from rlve.contract import Problem
from rlve.dialogue import Dialogue
from rlve.stream import Item

ENOUGH: Final = 256  # different problems of a level; then they are no longer told apart


class Repeats:
    """The problems that a run has had: digests of them, by environment and level."""

    def __init__(self) -> None:
        self._known: dict[str, dict[int, set[str]]] = {}

    def count(self, items: Iterable[Item]) -> dict[str, dict[int, int]]:
        """Note the problems of a step; return how many had come up before."""
        repeated: dict[str, Counter[int]] = {}
        for item in items:
            known = self._known.setdefault(item.name, {}).setdefault(item.difficulty, set())
            if len(known) == ENOUGH:
                continue
            digest = _digest(item.problem)
            if digest in known:
                repeated.setdefault(item.name, Counter())[item.difficulty] += 1
            known.add(digest)
        return {name: dict(sorted(levels.items())) for name, levels in sorted(repeated.items())}

    def state_dict(self) -> dict[str, dict[int, list[str]]]:
        return {
            name: {level: sorted(known) for level, known in levels.items()}
            for name, levels in self._known.items()
        }

    def load_state_dict(self, state: Mapping[str, object]) -> None:
        self._known = msgspec.convert(state, dict[str, dict[int, set[str]]], strict=False)


def _digest(problem: Problem) -> str:
    """Of its text; that of a dialogue is only the opening."""
    if isinstance(problem, Dialogue):
        text = msgspec.json.encode(problem.parameters())
    else:
        text = problem.prompt().encode(errors="surrogatepass")
    return blake2b(text, digest_size=8).hexdigest()
