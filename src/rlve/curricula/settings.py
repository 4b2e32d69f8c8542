"""The settings of a curriculum, and the one place that builds a curriculum from them."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

from rlve.curricula.algorithm_1 import AdaptiveCurriculum
from rlve.curricula.protocol import Curriculum
from rlve.curricula.static import StaticCurriculum


@dataclass(frozen=True, kw_only=True)
class CurriculumSettings:
    """How difficult problems are; by default they adapt to the policy, as in the paper."""

    static: tuple[int, int] | None = None
    """Draw difficulties from this fixed range instead of adapting them."""
    tau_acc: float = 0.9
    """The accuracy at the highest level h from which on h rises."""
    tau_num: int | None = None
    """The rollouts at h after which that is decided; by default 8 x rollouts per problem."""
    window: int = 4
    """How many levels a range spans at most (d_delta)."""

    def options(self) -> dict[str, Any]:
        """These settings alone, by name, where a class adds others to them."""
        return {field.name: getattr(self, field.name) for field in fields(CurriculumSettings)}

    def build(self, names: Iterable[str], *, group: int) -> Curriculum:
        """The curriculum over these environments; `group` is the number of rollouts per problem."""
        if self.static is not None:
            return StaticCurriculum(names, *self.static)
        return AdaptiveCurriculum(
            names,
            tau_acc=self.tau_acc,
            tau_num=8 * group if self.tau_num is None else self.tau_num,
            window=self.window,
        )
