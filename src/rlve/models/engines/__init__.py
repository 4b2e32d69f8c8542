"""Rollout engines: what samples a policy's outputs."""

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
        """Sample these, too. Those with the same context are best submitted next to each other."""
        ...

    def collect(self) -> list[Rollout]:
        """Go on sampling for a while, and return those that have ended; [] if none are left."""
        ...

    def stop(self) -> list[Rollout]:
        """Stop sampling, and hand back what has not ended, with the tokens it has so far."""
        ...

    def update(self, model: Any) -> None:
        """Sample from the present weights of this model from now on."""
        ...

    def reseed(self, seed: int) -> None:
        """Begin its random numbers anew from this seed."""
        ...

    def state_dict(self) -> dict[str, Any]:
        """The state of its random numbers; nothing is being sampled."""
        ...

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on with the random numbers from there."""
        ...

    def close(self) -> None:
        """Let go of processes and memory."""
        ...
