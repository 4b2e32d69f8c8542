"""A trainer in Python gets from a server what the gym in this process says."""

import asyncio

import httpx
import pytest

import rlve
from rlve.errors import UserError
from rlve.server.client import GymClient
from rlve.server.service import create_service
from support.serving import serving

WHICH = {"environment": "Sorting", "difficulty": 2, "seed": 7}
TOKEN = "correct horse battery staple"


@pytest.fixture(scope="module")
def gym(gym_url):
    with GymClient(gym_url, retries=0) as found:
        yield found


def test_it_says_what_the_gym_says(gym):
    problem = rlve.environment("Sorting").generate(difficulty=2, seed=7)
    assert [each["name"] for each in gym.environments()["environments"]] == rlve.environments()
    [made] = gym.generate([WHICH], parameters=True, reference=True)
    assert made["prompt"] == problem.prompt()
    assert made["parameters"] == problem.parameters()
    right, wrong = f"<answer>{made['reference']}</answer>", "\\boxed{7}"
    items = [WHICH | {"output": output} for output in (right, wrong, "\ud800")]
    assert [each["correct"] for each in gym.verify(items)] == [True, False, False]
    assert [each["well_formed"] for each in gym.verify(items, marker="boxed")] == [
        False,
        True,
        False,
    ]
    assert gym.explain(items)[1]["reason"] == problem.explain(wrong).reason
    [scored] = gym.score([WHICH | {"outputs": [right, wrong]}])
    assert scored["accuracy"] == 0.5
    dialogue = {"environment": "GuessNumber", "difficulty": 1, "seed": 4}
    [reply] = gym.respond([dialogue | {"messages": ["<answer>10</answer>"]}])
    assert reply["text"].startswith("higher")


def test_it_works_where_a_loop_is_running(gym_url):
    async def notebook():
        with GymClient(gym_url) as gym:
            return gym.generate([WHICH])

    assert asyncio.run(notebook())[0]["seed"] == 7


def test_what_the_server_refuses_is_said_in_a_sentence(gym, gym_url, pool):
    with pytest.raises(UserError, match=f"the gym at {gym_url}: .*did you mean 'Sorting'"):
        gym.generate([{"environment": "Sortin"}])
    with (
        serving(create_service(pool, token=TOKEN)) as url,
        GymClient(url) as stranger,
        GymClient(url, token=TOKEN) as known,
    ):
        assert known.generate([WHICH])
        with pytest.raises(UserError, match="needs its token"):
            stranger.generate([WHICH])


def test_a_request_that_fails_is_sent_again(gym_url, monkeypatch):
    monkeypatch.setattr("rlve.evaluate.backends.transport.FIRST_WAIT", 0.01)
    stream, failed = httpx.AsyncClient.stream, []

    def sometimes(*given, **more):
        if len(failed) < 2:
            failed.append(given)
            raise httpx.ConnectError("the server is being started")
        return stream(*given, **more)

    monkeypatch.setattr(httpx.AsyncClient, "stream", sometimes)
    with GymClient(gym_url, retries=2) as gym:
        assert gym.generate([WHICH])
    assert len(failed) == 2


def test_a_server_that_is_no_gym_is_named():
    with GymClient("http://127.0.0.1:9", retries=0) as gym, pytest.raises(UserError) as raised:
        gym.environments()
    assert "no answer from http://127.0.0.1:9" in str(raised.value)
