"""Algorithm 1 of the paper: adaptive difficulty.

Every environment has a range [low, high] of difficulties, [0, 0] at first. Problems are drawn
uniformly from it. Once enough rollouts at `high` have been counted and enough of them were
correct, `high` rises by one, and `low` follows so that the range spans at most `window` levels.
"""

from collections.abc import Iterable
from random import Random
from typing import Any

import msgspec

from rlve.curricula.protocol import Change, check_names, distinct
from rlve.errors import UserError
from rlve.registry import environment


class _Progress(msgspec.Struct):
    """The variables of Algorithm 1 for one environment."""

    low: int = 0  # l
    high: int = 0  # h
    correct: int = 0  # a: correct rollouts at h since the last decision
    total: int = 0  # b: all rollouts at h since the last decision


class AdaptiveCurriculum:
    """Algorithm 1: keep every environment at the edge of what the policy can do.

    tau_acc  the accuracy at `high` from which on that level counts as mastered
    tau_num  the rollouts at `high` after which that is decided; in the paper 8 x group size
    window   how many levels a range spans at most (d_delta in the paper)

    `high` never passes an environment's max_difficulty.
    """

    def __init__(
        self, names: Iterable[str], *, tau_acc: float = 0.9, tau_num: int = 128, window: int = 4
    ) -> None:
        if not 0 < tau_acc <= 1:
            raise UserError(f"tau_acc is an accuracy in (0, 1], not {tau_acc!r}")
        if tau_num < 1:
            raise UserError(f"tau_num is a number of rollouts, at least 1, not {tau_num!r}")
        if window < 1:
            raise UserError(f"window is a number of levels, at least 1, not {window!r}")
        self.names = distinct(names)
        self.tau_acc = tau_acc
        self.tau_num = tau_num
        self.window = window
        self._highest = {name: environment(name).max_difficulty for name in self.names}
        self._progress = {name: _Progress() for name in self.names}

    def draw(self, rng: Random) -> tuple[str, int]:
        name = rng.choice(self.names)
        return name, rng.randint(*self.bounds(name))

    def observe(self, name: str, difficulty: int, correct: bool) -> None:
        progress = self._of(name)
        # A late rollout, drawn before `high` rose, says nothing about the level to be mastered now.
        if difficulty == progress.high:
            progress.total += 1
            progress.correct += bool(correct)

    def step(self) -> list[Change]:
        changes: list[Change] = []
        for name, progress in self._progress.items():
            if progress.total < self.tau_num:
                continue
            accuracy = progress.correct / progress.total
            if accuracy >= self.tau_acc and progress.high != self._highest[name]:
                progress.high += 1
                progress.low = max(progress.low, progress.high - self.window + 1)
                changes.append(Change(name, progress.low, progress.high, accuracy))
            progress.correct = progress.total = 0  # whether or not the level was mastered
        return changes

    def bounds(self, name: str) -> tuple[int, int]:
        progress = self._of(name)
        return progress.low, progress.high

    def counts(self, name: str) -> tuple[int, int]:
        """The correct and all rollouts at `high` since the last decision: (a, b)."""
        progress = self._of(name)
        return progress.correct, progress.total

    def state_dict(self) -> dict[str, Any]:
        return {"adaptive": msgspec.to_builtins(self._progress)}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        try:
            progress = msgspec.convert(state, dict[str, dict[str, _Progress]])["adaptive"]
        except (msgspec.ValidationError, KeyError) as error:
            raise UserError(f"not the state of an adaptive curriculum: {error}") from None
        check_names(self.names, progress)
        self._progress = {name: progress[name] for name in self.names}

    def _of(self, name: str) -> _Progress:
        try:
            return self._progress[name]
        except KeyError:
            raise UserError(f"the curriculum has no environment named {name!r}") from None
