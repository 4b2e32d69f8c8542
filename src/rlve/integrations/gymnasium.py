"""Dialogues as text environments of Gymnasium.

import gymnasium
import rlve.integrations.gymnasium           registers every dialogue as rlve/NAME-v0

env = gymnasium.make("rlve/GuessNumber-v0", difficulty=3)
opening, info = env.reset(seed=1)
reply, reward, over, _, info = env.step("<answer>40</answer>")
"""

# ruff: noqa: E402  the library is checked before it is imported

import string
from typing import Any

from rlve.answers import MAX_CHARS
from rlve.dialogue import Dialogue
from rlve.errors import UserError, require
from rlve.registry import dialogues, environment

require("gymnasium", extra="gymnasium", at_least="1.0", below="2")

from gymnasium import Env, register
from gymnasium.spaces import Text

CHARACTERS = frozenset(string.printable)


class TextEnvironment(Env[str, str]):
    """Observations are the opening and the replies, actions are the messages of the player.

    The reward is 0 until the dialogue is over. Its problem follows from the seed of `reset`.
    """

    def __init__(self, name: str, difficulty: int = 0) -> None:
        cls = environment(name)
        if not issubclass(cls, Dialogue):
            raise UserError(f"{name} is not a dialogue: its problems do not answer back")
        self.dialogue = cls
        self.difficulty = difficulty
        self.observation_space = Text(MAX_CHARS, charset=CHARACTERS)
        self.action_space = Text(MAX_CHARS, min_length=0, charset=CHARACTERS)
        self.problem: Dialogue[Any] | None = None
        self.messages: list[str] = []

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        super().reset(seed=seed)
        chosen = int(self.np_random.integers(2**31))
        problem = self.dialogue.generate(difficulty=self.difficulty, seed=chosen)
        self.problem, self.messages = problem, []
        return _plain(problem.prompt()), {"turns": problem.turns, "seed": chosen}

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        if self.problem is None:
            raise UserError("call reset() before the first step()")
        messages = [*self.messages, action]
        reply = self.problem.respond(messages)
        self.messages = messages  # unless it was no message, or came after the end
        verdict = reply.verdict
        reward = 0.0 if verdict is None else verdict.reward
        won = verdict is not None and verdict.correct
        return _plain(reply.text), reward, verdict is not None, False, {"won": won}


def _plain(text: str) -> str:
    """The text in the characters of the observation space."""
    return "".join(c if c in CHARACTERS else "?" for c in text)[:MAX_CHARS]


for each in dialogues():
    register(f"rlve/{each}-v0", TextEnvironment, kwargs={"name": each})
