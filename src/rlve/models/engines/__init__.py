"""Rollout engines, which sample a policy's outputs."""

from collections.abc import Sequence
from typing import Any, Protocol

from rlve.models.rollouts import Rollout


class Engine(Protocol):
    """Samples tokens for rollouts, in place, until they end.

    Temperature and top_p can be set while nothing is being sampled: validation samples colder than
    training, with the same engine.
    """

    temperature: float
    top_p: float

    def submit(self, rollouts: Sequence[Rollout]) -> None:
        """Add rollouts to sample. It is best to submit those with the same context together."""
        ...

    def collect(self) -> list[Rollout]:
        """Sample for a while, and return the rollouts that have ended; [] if none are left."""
        ...

    def stop(self) -> list[Rollout]:
        """Stop sampling, and return unfinished rollouts with their tokens so far."""
        ...

    def update(self, model: Any) -> None:
        """Sample from this model's present weights from now on."""
        ...

    def reseed(self, seed: int) -> None:
        """Restart the random numbers from this seed."""
        ...

    def state_dict(self) -> dict[str, Any]:
        """The state of the random numbers, while nothing is being sampled."""
        ...

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continue with the random numbers from there."""
        ...

    def close(self) -> None:
        """Release processes and memory."""
        ...
