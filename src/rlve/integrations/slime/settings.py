"""What slime's own flags do not say: which gym it trains on.

It stands in the environment variable RLVE_SLIME, as JSON, because that reaches every process of a
Ray job. The rest slime knows already: rollouts per problem, seed, longest prompt, tokenizer.
"""

import json
import os
from dataclasses import dataclass
from functools import cache
from typing import Final

import msgspec

from rlve.errors import UserError
from rlve.files import settings_from
from rlve.gym import GymSettings
from rlve.pool import Pool, shared_pool

VARIABLE: Final = "RLVE_SLIME"


@dataclass(frozen=True, kw_only=True)
class Settings(GymSettings):
    """The gym."""

    environments: tuple[str, ...]

    def as_json(self) -> str:
        """What goes into the environment variable."""
        return msgspec.json.encode(self).decode()

    def pool(self) -> Pool:
        """The workers that generate and judge, the same for all in this process."""
        return shared_pool(self.workers, self.deadline)


def read_settings() -> Settings:
    """The settings of this process."""
    text = os.environ.get(VARIABLE)
    if text is None:
        raise UserError(
            f'the environment variable {VARIABLE} is missing: {{"environments": ["C16"]}}, say; '
            "`rlve slime` prints a command that sets it"
        )
    return _parsed(text)


@cache
def _parsed(text: str) -> Settings:
    try:
        values = json.loads(text)
    except json.JSONDecodeError as error:
        raise UserError(f"{VARIABLE} is not JSON: {error}") from None
    return settings_from(Settings, values, what=VARIABLE)
