"""Rest: an environment from which nothing can be learnt at present is rarely drawn.

Algorithm 1 spends as many rollouts on an environment that is hopeless, or finished, as on one that
is about to be mastered. Here an environment rests

  without signal   if none of its last `patience` groups had rewards that differ, and its range has
                   not moved in the meantime: nothing is solved, or everything is;
  at its end       if its range ends at its highest difficulty, and nine in ten of the rollouts
                   there, in its last `patience` groups, were correct.

A resting environment keeps a share of its draws. It is therefore tried again, if later than others.
One that rests without signal stops at the end of the step in which a group has signal; one at its
end, only when its next `patience` groups no longer meet the condition, since a single group says
little about nine in ten. If its range moves, it stops at once.
"""

from collections.abc import Sequence
from random import Random
from typing import Any

import msgspec

from rlve.curricula.layers import Layer, draw_if
from rlve.curricula.protocol import Change, Curriculum, check_count, check_number, highest_levels
from rlve.curricula.states import Natural, check_counts, impossible, of_names, seal, unseal

MASTERED = 0.9


class _Look(msgspec.Struct):
    """An environment's results since the last decision on whether it rests."""

    rests: bool = False
    groups: Natural = 0
    signals: Natural = 0  # groups whose rewards differ
    correct: Natural = 0  # of the rollouts at the highest level of the range
    total: Natural = 0
    at_end: bool = False  # it rests because it is finished


class Rest(Layer):
    """Rarely draws environments from which nothing can be learnt at present.

    share     of its draws that a resting environment keeps
    patience  the number of groups before deciding that an environment rests
    """

    kind = "rest"

    def __init__(self, inner: Curriculum, share: float, *, patience: int = 64) -> None:
        check_number("rest", share, 0, 1)
        check_count("patience", patience, "groups")
        super().__init__(inner)
        self.share = share
        self.patience = patience
        self._highest = highest_levels(inner.names)
        self._looks = {name: _Look() for name in inner.names}

    @property
    def resting(self) -> list[str]:
        return [name for name, look in self._looks.items() if look.rests]

    def draw(self, rng: Random) -> tuple[str, int]:
        return draw_if(
            self.inner.draw, lambda name: self.share if self._looks[name].rests else 1.0, rng
        )

    def observe_group(
        self, name: str, difficulty: int, correct: Sequence[bool], rewards: Sequence[float]
    ) -> None:
        self.inner.observe_group(name, difficulty, correct, rewards)  # raises on an unknown name
        if not rewards:
            return
        look = self._looks[name]
        look.groups += 1
        look.signals += min(rewards) != max(rewards)
        if difficulty == self.bounds(name)[1]:
            look.correct += sum(map(bool, correct))
            look.total += len(correct)

    def step(self) -> list[Change]:
        changes = self.inner.step()
        moved = {change.name for change in changes}
        for name, look in self._looks.items():
            if name in moved:  # it is making progress
                self._looks[name] = _Look()
            elif look.groups >= self.patience:
                finished = (
                    self.bounds(name)[1] == self._highest[name]
                    and look.total > 0
                    and look.correct >= MASTERED * look.total
                )
                rests = look.signals == 0 or finished
                self._looks[name] = _Look(rests=rests, at_end=finished)
            elif look.rests and look.signals and not look.at_end:  # there is something to learn
                self._looks[name] = _Look()
        return changes

    def own_state(self) -> dict[str, Any]:
        return seal(self.kind, self._looks)

    def load_own(self, state: dict[str, Any]) -> None:
        loaded = of_names(self.names, unseal(state, self.kind, dict[str, _Look]))
        for name, look in loaded.items():
            check_counts(name, look.correct, look.total)
            if look.signals > look.groups:
                raise impossible(name, f"{look.signals} of {look.groups} groups had signal")
        self._looks = loaded
