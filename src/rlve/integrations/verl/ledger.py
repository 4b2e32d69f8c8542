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
from typing import Any, Final, cast, get_args

from rlve.contract import Verdict
from rlve.errors import UserError
from rlve.gym import Gym, Signal, reward
from rlve.integrations.unjudged import lowest
from rlve.pool import Failure, FailureKind
from rlve.rewards import UNPARSEABLE

SOURCE = "rlve/"  # precedes the name of the environment in verl's data_source

FAILED: Final[dict[FailureKind, str]] = {kind: f"failed_{kind}" for kind in get_args(FailureKind)}
"""The number that says, of each kind of failure, whether judging failed so."""


def report(judged: Verdict | Failure, difficulty: int, signal: Signal) -> dict[str, float]:
    """What was found of an output, on its way through verl, which takes numbers.

    verl trains on `score`, calls `acc` accuracy, and averages the others for its own tables of
    validation. It asks for the score of one rollout before those of its group are known, so one
    that could not be judged has the lowest; the ledger sees to it that its group is dropped.
    """
    failure = judged.kind if isinstance(judged, Failure) else None
    failures = {name: float(kind == failure) for kind, name in FAILED.items()}
    level = {"difficulty": float(difficulty)}
    if isinstance(judged, Failure):
        found = {"score": lowest(signal), "acc": 0.0, "reward": UNPARSEABLE, "well_formed": 0.0}
    else:
        found = {
            "score": reward(judged, signal),
            "acc": float(judged.correct),
            "reward": judged.reward,
            "well_formed": float(judged.well_formed),
        }
    return found | level | failures


class Ledger:
    """Counts every group once, however often verl shows it."""

    def __init__(self, gym: Gym) -> None:
        self.gym = gym
        self._counted: dict[str, float | None] = {}  # by group: what `shared` says
        self.groups_of_step = 0  # how many were counted since the last step

    def knows(self, group: str) -> bool:
        """Whether a group has been counted."""
        return group in self._counted

    def count(self, group: str, name: str, reports: Sequence[Mapping[str, float]]) -> None:
        """Count a finished group, unless that was done.

        One in which a rollout could not be judged is treated as one without signal, so that
        dynamic sampling drops it: verl would train on the score of that rollout.
        """
        if group in self._counted:
            return
        judged = [_judged(each) for each in reports]
        signal = bool(reports) and self.gym.count(name, int(reports[0]["difficulty"]), judged)
        failed = any(isinstance(each, Failure) for each in judged)
        score = min((each["score"] for each in reports), default=0.0)  # no rollout, no signal
        self._counted[group] = None if signal and not failed else score
        self.groups_of_step += 1

    def shared(self, group: str) -> float | None:
        """The score with which a counted group is dropped, that of all its rollouts; None of one
        that is trained on, because they differ."""
        return self._counted[group]

    def keep(self, groups: Iterable[str]) -> None:
        """Forget all groups but these: verl will not show the others again."""
        shown = set(groups)
        self._counted = {group: score for group, score in self._counted.items() if group in shown}

    def step(self) -> dict[str, float]:
        """Close a training step: move the curriculum, and say how it stands."""
        self.groups_of_step = 0
        return self.gym.step().flat()

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


def _judged(report: Mapping[str, float]) -> Verdict | Failure:
    for kind, name in FAILED.items():
        if report[name]:
            return Failure(kind, "judging failed in another process, whose log says why")
    return Verdict(
        reward=float(report["reward"]),
        correct=bool(report["acc"]),
        well_formed=bool(report["well_formed"]),
    )
