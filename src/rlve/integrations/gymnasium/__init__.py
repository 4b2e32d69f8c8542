"""Dialogues as text environments of Gymnasium.

    import gymnasium
    env = gymnasium.make("rlve/GuessNumber-v0", difficulty=3)
    opening, info = env.reset(seed=1)
    reply, reward, over, _, info = env.step("<answer>40</answer>")

Gymnasium finds them itself: importing it calls `register_dialogues` through an entry point.
"""

from importlib import import_module

from rlve.errors import require
from rlve.registry import dialogues


def register_dialogues() -> None:
    """Register every dialogue as rlve/NAME-v0."""
    require("gymnasium", extra="gymnasium", at_least="1.0", below="2", what="rlve/NAME-v0")
    registration = import_module("gymnasium.envs.registration")
    for name in dialogues():
        if f"rlve/{name}-v0" not in registration.registry:
            registration.register(
                id=f"rlve/{name}-v0",
                entry_point=f"{__name__}.environment:TextEnvironment",
                kwargs={"name": name},
            )
