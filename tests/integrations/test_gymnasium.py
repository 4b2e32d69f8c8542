"""A whole dialogue through Gymnasium itself."""

import pytest

pytest.importorskip("gymnasium", reason="the adapter needs rlve[gymnasium]")

import gymnasium
from gymnasium.utils.env_checker import check_env

import rlve
from rlve.integrations.gymnasium import register_dialogues


def test_a_dialogue_is_a_text_environment():
    register_dialogues()
    env = gymnasium.make("rlve/GuessNumber-v0", difficulty=3)
    opening, info = env.reset(seed=1)
    problem = rlve.environment("GuessNumber").generate(difficulty=3, seed=info["seed"])
    assert opening == problem.prompt()
    assert info["turns"] == problem.turns
    *before, last = problem.reference_moves()
    for count, message in enumerate(before, 1):
        reply, reward, over, cut, _ = env.step(message)
        assert (reply, reward, over, cut) == (problem.respond(before[:count]).text, 0, False, False)
    _, reward, over, cut, info = env.step(last)
    assert (reward, over, cut, info) == (1.0, True, False, {"won": True})
    assert env.reset(seed=1)[0] == opening
    check_env(env.unwrapped)
    assert len([name for name in gymnasium.registry if name.startswith("rlve/")]) >= 20
