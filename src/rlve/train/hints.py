"""Hints: outputs begin with the first lines of a worked solution, where nothing else has signal.

A group whose outputs are all wrong teaches nothing. Where that goes on, at a level of an
environment that has worked solutions, every other group begins with a share of the lines of one.
The policy writes the rest:

    WAIT groups in a row without signal or a right answer    the share rises by MORE
    EASE groups with a hint that are mostly right            it falls by LESS, and ends at 0
    a group without a hint that has signal                   it ends

So those with a hint decide how much help is given, and those without whether any is needed: what
the policy can do by itself may well be harder from the middle of somebody else's solution.

The given tokens belong to the prompt as far as sampling and the update are concerned, so they carry
no loss, and to the output when it is judged. Groups with a hint do not count for the curriculum.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil
from operator import methodcaller
from typing import Any, Final

import msgspec

from rlve.contract import Problem, Verdict, has_work
from rlve.formats import Format
from rlve.gym import has_signal
from rlve.pool import Failure, Pool
from rlve.stream import Item

WAIT: Final = 8  # groups in a row without signal
EASE: Final = 4  # groups that are mostly right
MORE: Final = 0.5  # of the lines
LESS: Final = 0.125


class Hint(msgspec.Struct, frozen=True):
    """What the outputs of a group begin with."""

    share: float  # of the lines of the worked solution
    text: str
    tokens: list[int]


class _Level(msgspec.Struct):
    share: float = 0.0
    count: int = 0  # groups without signal, less those that are mostly right, at this share
    helped: bool = False  # whether the latest group was given a hint


@dataclass(eq=False)
class Hints:
    """How much help each level of each environment gets."""

    form: Format
    pool: Pool
    encode: Callable[[str], list[int]]
    max_tokens: int
    """The response limit; a hint that leaves no room for an output is not given."""

    def __post_init__(self) -> None:
        self._levels: dict[tuple[str, int], _Level] = {}

    def give(self, items: Sequence[Item]) -> list[Hint | None]:
        """The hint of each problem, if it gets one."""
        shares = [self._share((item.name, item.difficulty)) for item in items]
        helped = [item.problem for item, share in zip(items, shares, strict=True) if share]
        worked = self.pool.call_iter(methodcaller("worked"), helped) if helped else iter(())
        return [
            self._hint(item.problem, next(worked), share) if share else None
            for item, share in zip(items, shares, strict=True)
        ]

    def _share(self, key: tuple[str, int]) -> float:
        """The share for the next group: that of its level, or none."""
        level = self._levels.get(key)
        if level is None or not level.share:
            return 0.0
        level.helped = not level.helped
        return level.share if level.helped else 0.0

    def _hint(self, problem: Problem, lines: list[str] | Failure, share: float) -> Hint | None:
        if isinstance(lines, Failure) or not (text := beginning(self.form, problem, lines, share)):
            return None
        tokens = self.encode(text)
        return Hint(share, text, tokens) if len(tokens) < self.max_tokens else None

    def observe(
        self, item: Item, hint: Hint | None, rewards: Sequence[float], verdicts: Sequence[Verdict]
    ) -> None:
        """Learn from a finished group.

        If it was begun with more or less help than now, it counts only if it had none and signal.
        """
        if not has_work(type(item.problem)) or not verdicts:
            return
        key = item.name, item.difficulty
        level = self._levels.get(key, _Level())
        right = sum(verdict.correct for verdict in verdicts) / len(verdicts)
        signal = has_signal(rewards) or right > 0
        if level.share and hint is None and signal:
            level = _Level()
        elif level.share != (hint.share if hint else 0.0):
            return
        elif right >= 0.5:
            level.count = min(level.count, 0) - 1
        elif signal:
            level.count = min(level.count, 0)
        else:
            level.count = max(level.count, 0) + 1
        if level.count >= WAIT:
            level = _Level(min(1.0, level.share + MORE), helped=level.helped)
        elif level.count <= -EASE or not level.share:
            # Without help, only what goes wrong is counted.
            level = _Level(max(0.0, level.share - LESS), max(level.count, 0), level.helped)
        self._levels[key] = level
        if not level.share and not level.count:
            del self._levels[key]

    @property
    def shares(self) -> dict[str, dict[int, float]]:
        """How much of a worked solution is given, by environment and level."""
        shares: dict[str, dict[int, float]] = {}
        for (name, difficulty), level in sorted(self._levels.items()):
            if level.share:
                shares.setdefault(name, {})[difficulty] = level.share
        return shares

    def state_dict(self) -> list[Any]:
        """The share and the counts of each level, as plain JSON."""
        return [
            [*key, level.share, level.count, level.helped] for key, level in self._levels.items()
        ]

    def load_state_dict(self, state: list[Any]) -> None:
        self._levels = {(name, difficulty): _Level(*values) for name, difficulty, *values in state}


def beginning(form: Format, problem: Problem, lines: Sequence[str], share: float) -> str:
    """The first lines of a worked output, as its format writes them; never the answer."""
    count = ceil(share * (len(lines) - 1)) if lines else 0
    output = form.worked_output(problem, lines)
    if not count or output is None:
        return ""
    given = "\n".join(lines[:count]) + "\n"
    return output[: output.index(given) + len(given)]
