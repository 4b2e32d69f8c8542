"""What slime's classes have, as far as the adapter and its tests need it."""

import sys
from dataclasses import dataclass, field
from enum import Enum
from types import ModuleType


@dataclass
class Sample:
    class Status(Enum):
        PENDING = "pending"
        COMPLETED = "completed"
        TRUNCATED = "truncated"
        ABORTED = "aborted"

    group_index: int | None = None
    index: int | None = None
    prompt: str = ""
    tokens: list[int] = field(default_factory=list)
    response: str = ""
    response_length: int = 0
    label: str | None = None
    reward: float | None = None
    rollout_log_probs: list[float] | None = None
    status: Status = Status.PENDING
    metadata: dict = field(default_factory=dict)

    def get_reward_value(self, args) -> float:
        return self.reward

    def to_dict(self) -> dict:
        return self.__dict__ | {"status": self.status.value}

    @staticmethod
    def from_dict(data: dict) -> "Sample":
        return Sample(**data | {"status": Sample.Status(data["status"])})


def stand_in(monkeypatch):
    """Make slime.utils.types a module that can be imported."""
    types = ModuleType("slime.utils.types")
    types.Sample = Sample
    for name in ("slime", "slime.utils"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, "slime.utils.types", types)
