"""The gym, and which of verl's finished groups it has counted.

    ledger = Ledger(gym)
    reports = [compute_score(...), ...]           one for each rollout, from any process
    ledger.count("uid", "Sorting", reports)       a finished group: it counts once
    metrics = ledger.step()                       the end of a training step

verl shows a finished group at every poll until it is trained on or dropped. If generation runs
alongside training, it shows the group again after a resume. The state therefore includes which
groups were counted.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, get_args

from rlve.contract import Verdict
from rlve.errors import UserError
from rlve.gym import Gym, Signal, lowest, reward
from rlve.pool import Failure, FailureKind
from rlve.rewards import UNPARSEABLE

SOURCE = "rlve/"  # precedes the name of the environment in verl's data_source

FAILED: Final[dict[FailureKind, str]] = {kind: f"failed_{kind}" for kind in get_args(FailureKind)}
"""For each kind of failure, the name of the number that says whether judging failed that way."""


def report(judged: Verdict | Failure, difficulty: int, signal: Signal) -> dict[str, float]:
    """A verdict or failure as numbers, which is all that verl passes on.

    verl trains on `score`, reports `acc` as accuracy, and averages the others for its validation
    tables. It asks for the score of a rollout before those of its group are known, so one that
    could not be judged gets the lowest score; the ledger makes sure that its group is dropped.
    """
    failure = judged.kind if isinstance(judged, Failure) else None
    failures = {name: float(kind == failure) for kind, name in FAILED.items()}
    level = {"difficulty": float(difficulty)}
    if isinstance(judged, Failure):
        numbers = {"score": lowest(signal), "acc": 0.0, "reward": UNPARSEABLE, "well_formed": 0.0}
    else:
        numbers = {
            "score": reward(judged, signal),
            "acc": float(judged.correct),
            "reward": judged.reward,
            "well_formed": float(judged.well_formed),
        }
    return numbers | level | failures


class Ledger:
    """Counts every group once, however often verl shows it."""

    def __init__(self, gym: Gym) -> None:
        self.gym = gym
        self._counted: dict[str, float | None] = {}  # by group: what `shared` returns
        self.groups_of_step = 0  # how many groups were counted since the last step

    def knows(self, group: str) -> bool:
        """Whether a group has been counted."""
        return group in self._counted

    def count(self, group: str, name: str, reports: Sequence[Mapping[str, float]]) -> None:
        """Count a finished group, unless it has already been counted.

        A group with a rollout that could not be judged is treated as having no signal, so that
        dynamic sampling drops it: otherwise verl would train on that rollout's score.
        """
        if group in self._counted:
            return
        judged = list(map(_read_report, reports))
        signal = False
        if reports:
            _, signal = self.gym.count(name, int(reports[0]["difficulty"]), judged)
        failed = any(isinstance(result, Failure) for result in judged)
        score = min((report["score"] for report in reports), default=0.0)  # no rollouts, no signal
        self._counted[group] = None if signal and not failed else score
        self.groups_of_step += 1

    def shared(self, group: str) -> float | None:
        """The score that all rollouts of a dropped group share; None for a group to train on,
        whose scores differ."""
        return self._counted[group]

    def keep(self, groups: Iterable[str]) -> None:
        """Forget all groups except these: verl will not show the others again."""
        shown = set(groups)
        self._counted = {group: score for group, score in self._counted.items() if group in shown}

    def step(self) -> dict[str, float]:
        """End a training step: move the curriculum, and return the metrics."""
        self.groups_of_step = 0
        return self.gym.step().flat()

    def state_dict(self) -> dict[str, Any]:
        """What load_state_dict needs to continue exactly from here: a small plain JSON record."""
        return {
            "gym": self.gym.state_dict(),
            "counted": dict(self._counted),
            "groups_of_step": self.groups_of_step,
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continue from a saved state."""
        if "gym" not in state:
            raise UserError("data.pt in the checkpoint does not hold the state of a gym")
        self.gym.load_state_dict(state["gym"])
        self._counted = dict(state["counted"])
        self.groups_of_step = state["groups_of_step"]


def _read_report(report: Mapping[str, float]) -> Verdict | Failure:
    for kind, name in FAILED.items():
        if report[name]:
            return Failure(kind, "judging failed in another process, whose log says why")
    return Verdict(
        reward=float(report["reward"]),
        correct=bool(report["acc"]),
        well_formed=bool(report["well_formed"]),
    )
