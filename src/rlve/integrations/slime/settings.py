"""What slime's own flags do not cover: the gym to train on.

It is JSON in the environment variable RLVE_SLIME, which reaches every process of a Ray job. slime
already knows the rest: rollouts per problem, seed, longest prompt, tokenizer.
"""

import json
import os
from dataclasses import dataclass
from functools import cache
from typing import Final

import msgspec

from rlve.errors import UserError
from rlve.foundation.files import settings_from
from rlve.gym import GymSettings
from rlve.pool import Pool, shared_pool

VARIABLE: Final = "RLVE_SLIME"


@dataclass(frozen=True, kw_only=True)
class Settings(GymSettings):
    """The gym."""

    environments: tuple[str, ...]
    rounds: int = 8
    """A step draws this many times --over-sampling-batch-size problems before it takes groups
    without signal, too."""

    def as_json(self) -> str:
        """The value of the environment variable."""
        return msgspec.json.encode(self).decode()

    def pool(self) -> Pool:
        """The workers that generate and judge, shared by everything in this process."""
        return shared_pool(self.workers, self.deadline)


def read_settings() -> Settings:
    """The settings of this process."""
    text = os.environ.get(VARIABLE)
    if text is None:
        raise UserError(
            f'set the environment variable {VARIABLE}, for example to {{"environments": ["C16"]}}; '
            "`rlve slime` prints a command that does"
        )
    return _parse(text)


@cache
def _parse(text: str) -> Settings:
    try:
        values = json.loads(text)
    except json.JSONDecodeError as error:
        raise UserError(f"{VARIABLE} is not JSON: {error}") from None
    return settings_from(Settings, values, what=VARIABLE)
