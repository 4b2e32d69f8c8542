"""The gym, and which of verl's finished groups it has counted.

    ledger = Ledger(gym)
    reports = [compute_score(...), ...]           one for each rollout, from any process
    ledger.count("uid", "Sorting", reports)       a finished group: it counts once
    metrics = ledger.step()                       the end of a training step

verl shows a finished group at every poll, until it is trained on or dropped; where generation goes
on beside training, it shows it again after a resume. What was counted is therefore part of the
state.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from rlve.contract import Verdict
from rlve.errors import UserError
from rlve.gym import Gym, Signal, reward

SOURCE = "rlve/"  # precedes the name of the environment in verl's data_source


def report(verdict: Verdict, difficulty: int, signal: Signal) -> dict[str, float]:
    """A verdict on its way through verl, which takes numbers and trains on `score`.

    verl calls `acc` accuracy, and averages the others for its own tables of validation.
    """
    return {
        "score": reward(verdict, signal),
        "acc": float(verdict.correct),
        "reward": verdict.reward,
        "well_formed": float(verdict.well_formed),
        "difficulty": float(difficulty),
    }


class Ledger:
    """Counts every group once, however often verl shows it."""

    def __init__(self, gym: Gym) -> None:
        self.gym = gym
        self._counted: dict[str, float | None] = {}  # group -> the score that all its rollouts got
        self.groups_of_step = 0  # how many were counted since the last step

    def knows(self, group: str) -> bool:
        """Whether a group has been counted."""
        return group in self._counted

    def count(self, group: str, name: str, reports: Sequence[Mapping[str, float]]) -> None:
        """Count a finished group, unless that was done."""
        if group in self._counted:
            return
        signal = bool(reports) and self.gym.count(
            name, int(reports[0]["difficulty"]), [_verdict(each) for each in reports]
        )
        score = reports[0]["score"] if reports else 0.0  # no rollout, no signal
        self._counted[group] = None if signal else score
        self.groups_of_step += 1

    def shared(self, group: str) -> float | None:
        """The score that all rollouts of a counted group got; None if they differ."""
        return self._counted[group]

    def keep(self, groups: Iterable[str]) -> None:
        """Forget all groups but these: verl will not show the others again."""
        shown = set(groups)
        self._counted = {group: score for group, score in self._counted.items() if group in shown}

    def step(self) -> dict[str, float]:
        """Close a training step: move the curriculum, and say how it stands."""
        self.groups_of_step = 0
        return self.gym.step()

    def state_dict(self) -> dict[str, Any]:
        """What load_state_dict needs to go on exactly from here, as small plain JSON."""
        return {"gym": self.gym.state_dict(), "counted": dict(self._counted)}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from a state."""
        if not isinstance(state.get("gym"), dict) or not isinstance(state.get("counted"), dict):
            raise UserError("the checkpoint does not hold the state of a gym: data.pt is another's")
        self.gym.load_state_dict(state["gym"])
        self._counted = dict(cast("dict[str, float | None]", state["counted"]))
        self.groups_of_step = 0


def _verdict(report: Mapping[str, float]) -> Verdict:
    return Verdict(
        reward=float(report["reward"]),
        correct=bool(report["acc"]),
        well_formed=bool(report["well_formed"]),
    )
