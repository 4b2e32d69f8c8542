"""A whole dialogue through Gymnasium itself."""

import pytest

pytest.importorskip("gymnasium", reason="the adapter needs rlve[gymnasium]")

import gymnasium
from gymnasium.utils.env_checker import check_env

import rlve
import rlve.integrations.gymnasium  # registers the dialogues
from rlve.registry import dialogues
from support.hostile import HOSTILE


def test_a_dialogue_is_a_text_environment():
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
    assert {f"rlve/{name}-v0" for name in dialogues()} <= {*gymnasium.registry}


def test_any_message_is_taken_until_it_is_over():
    env = gymnasium.make("rlve/GuessNumber-v0", difficulty=1).unwrapped
    with pytest.raises(rlve.UserError, match="reset"):
        env.step("")
    _, info = env.reset(seed=1)
    with pytest.raises(TypeError):
        env.step(None)  # no message, so not one of its turns
    for turn in range(info["turns"]):
        message = [*HOSTILE.values()][turn % len(HOSTILE)]
        reply, reward, over, cut, _ = env.step(message)
        assert reply in env.observation_space
    assert (reward, over, cut) == (-1.0, True, False)
    with pytest.raises(rlve.UserError, match="over"):
        env.step("<answer>1</answer>")
