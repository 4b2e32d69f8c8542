"""Curricula over pairs of environment and level, which are drawn in proportion to their worth.

An environment has no last level, so levels are opened one by one: first 0, then the next whenever
a share `opening` of the rollouts at the highest open level is correct. Open levels stay open;
learnability.py and bandit.py decide what they are worth.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from itertools import accumulate
from random import Random
from typing import Any, ClassVar, Generic, TypeVar

import msgspec

from rlve.curricula.algorithm_1 import AdaptiveCurriculum
from rlve.curricula.protocol import Change, OneByOne, check_number
from rlve.curricula.states import impossible, of_names, seal, unseal

ENDLESS = 10**9  # levels in the window: an open level is never closed
MASTERED = 0.9  # the accuracy at which a level counts as left behind

Pair = TypeVar("Pair")
"""What is known about a pair: a record that is plain JSON."""


class _Saved(msgspec.Struct):
    open: dict[str, Any]  # the state of an AdaptiveCurriculum
    levels: dict[str, list[Any]]  # for each environment, a record per open level


class PairCurriculum(OneByOne, ABC, Generic[Pair]):
    """What curricula over pairs share: open levels, and drawing by worth.

    opening  the accuracy at the highest open level that opens the next
    tau_num  the rollouts there before that is decided
    """

    kind: ClassVar[str]
    record: type[Pair]

    def __init__(self, names: Iterable[str], *, opening: float = 0.5, tau_num: int = 128) -> None:
        check_number("opening", opening, 0, 1)
        # Algorithm 1 with a low bar and an endless window opens levels in just this way.
        self._open = AdaptiveCurriculum(names, tau_acc=opening, tau_num=tau_num, window=ENDLESS)
        self.names = self._open.names
        self._pairs = {name: [self.record()] for name in self.names}
        self._drawing: tuple[list[tuple[str, int]], list[float]] | None = None

    @abstractmethod
    def worth(self, pair: Pair) -> float:
        """How much a pair is worth; above 0. It is drawn in proportion."""

    @abstractmethod
    def mastered(self, pair: Pair) -> bool:
        """Whether the level is left behind."""

    @abstractmethod
    def count(self, pair: Pair, correct: Sequence[bool], rewards: Sequence[float]) -> None:
        """Count a group; the worth of its pair does not change before the end of the step."""

    @abstractmethod
    def learn(self, pair: Pair) -> None:
        """Take in what was counted, at the end of a training step."""

    @abstractmethod
    def check(self, name: str, pair: Pair) -> None:
        """Refuse an impossible record in a saved state."""

    def draw(self, rng: Random) -> tuple[str, int]:
        if self._drawing is None:  # worths only change in step()
            worths = [
                ((name, level), self.worth(pair))
                for name, pairs in self._pairs.items()
                for level, pair in enumerate(pairs)
            ]
            self._drawing = [key for key, _ in worths], list(accumulate(w for _, w in worths))
        pairs, cumulative = self._drawing
        return rng.choices(pairs, cum_weights=cumulative)[0]

    def observe_group(
        self, name: str, difficulty: int, correct: Sequence[bool], rewards: Sequence[float]
    ) -> None:
        self._open.observe_group(name, difficulty, correct, rewards)  # raises on an unknown name
        pairs = self._pairs[name]
        if correct and 0 <= difficulty < len(pairs):
            self.count(pairs[difficulty], correct, rewards)

    def step(self) -> list[Change]:
        for pairs in self._pairs.values():
            for pair in pairs:
                self.learn(pair)
        opened = self._open.step()
        for change in opened:
            self._pairs[change.name].append(self.record())
        self._drawing = None
        return [
            Change(change.name, *self.bounds(change.name), change.accuracy) for change in opened
        ]

    def bounds(self, name: str) -> tuple[int, int]:
        """The lowest open level that is not mastered, and the highest open level."""
        _, high = self._open.bounds(name)
        pairs = self._pairs[name]
        return next((i for i, pair in enumerate(pairs) if not self.mastered(pair)), high), high

    def state_dict(self) -> dict[str, Any]:
        return seal(self.kind, {"open": self._open.state_dict(), "levels": self._pairs})

    def load_state_dict(self, state: dict[str, Any]) -> None:
        saved = unseal(state, self.kind, _Saved)
        opened = AdaptiveCurriculum(
            self.names, tau_acc=self._open.tau_acc, tau_num=self._open.tau_num, window=ENDLESS
        )
        opened.load_state_dict(saved.open)
        loaded: dict[str, list[Pair]] = {}
        for name, records in of_names(self.names, saved.levels).items():
            low, high = opened.bounds(name)
            if low > 0 or len(records) != high + 1:
                what = f"levels [{low}, {high}] are open, but there are {len(records)} records"
                raise impossible(name, what)
            loaded[name] = [
                unseal(seal(self.kind, record), self.kind, self.record) for record in records
            ]
            for pair in loaded[name]:
                self.check(name, pair)
        self._open, self._pairs, self._drawing = opened, loaded, None
