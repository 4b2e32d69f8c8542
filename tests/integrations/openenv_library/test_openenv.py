"""The environment behind the real OpenEnv server, through its real clients: `make test-openenv`."""

import asyncio
import json
import re
import shlex
import subprocess
import sys
import time
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest

pytest.importorskip("openenv", reason="needs rlve[openenv]; run make test-openenv")

from openenv.core import GenericEnvClient

from rlve import environment
from rlve.contract import ILL_FORMED
from rlve.formats import CHAT
from rlve.integrations.openenv import RlveAction, RlveClient, RlveEnvironment
from rlve.pool import Failure, Pool

HUB = Path(__file__).parents[3] / "hubs" / "openenv"
OPENENV = Path(sys.executable).parent / "openenv"
PAGE = Path(__file__).parents[3] / "docs" / "trainers" / "openenv.md"


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    """The server, started as the page says, on a port of its own."""
    [command] = re.findall(r"^    (uvicorn .*)\n", PAGE.read_text(), re.M)
    words = [sys.executable, "-m", *shlex.split(command.replace("8000", "0"))]
    log = tmp_path_factory.mktemp("server") / "log"
    with log.open("w") as file, subprocess.Popen(words, stderr=file) as server:
        while (found := re.search(r"running on (http://\S+)", log.read_text())) is None:
            assert server.poll() is None, log.read_text()
            time.sleep(0.1)
        yield found[1]
        server.terminate()


@pytest.fixture
def client(url):
    with RlveClient(base_url=url).sync() as client:
        yield client


def reference(observation):
    problem = environment(observation.environment).generate(
        difficulty=observation.difficulty, seed=observation.seed
    )
    return rf"\boxed{{{problem.reference()}}}"


def test_an_episode(client):
    first = client.reset(environment="Sorting", difficulty=3, seed=42, episode_id="mine")
    problem = environment("Sorting").generate(difficulty=3, seed=42)
    assert (first.done, first.reward) == (False, None)
    assert first.observation.correct is None
    ((role, content),) = [(turn["role"], turn["content"]) for turn in first.observation.prompt]
    assert role == "user"
    assert problem.prompt() in content

    last = client.step(RlveAction(output=reference(first.observation)))
    assert (last.done, last.reward) == (True, 1.0)
    assert (last.observation.correct, last.observation.well_formed) == (True, True)
    assert last.observation.prompt == first.observation.prompt

    state = client.state()
    assert (state.episode_id, state.step_count, state.done) == ("mine", 1, True)
    assert (state.environment, state.difficulty, state.seed) == ("Sorting", 3, 42)
    assert "answer" not in str(state)
    with pytest.raises(RuntimeError, match="has already been answered"):
        client.step(RlveAction(output="1"))


@pytest.mark.parametrize("name", ["GuessNumber", "Sorting_3Tries"])
def test_a_dialogue_takes_a_step_for_each_message(client, name):
    problem = environment(name).generate(difficulty=1, seed=5)
    result = client.reset(environment=name, difficulty=1, seed=5)
    moves = problem.reference_moves()
    script = [*(problem.turns - len(moves)) * ["no move"], *moves]
    prompt = CHAT.render(problem)
    for count, (message, said) in enumerate(zip(script, problem.replies(script), strict=True), 1):
        assert (result.done, result.reward) == (False, None)
        assert result.observation.prompt == prompt
        result = client.step(RlveAction(output=message))
        assert result.observation.reply == said.text
        assert client.state().step_count == count
        prompt = CHAT.follow(prompt, message, said.text)
    assert (result.done, result.reward, result.observation.correct) == (True, 1.0, True)
    with pytest.raises(RuntimeError, match="has already been answered"):
        client.step(RlveAction(output="1"))


def test_without_arguments_a_problem_is_drawn_that_can_be_made_again(client):
    drawn = [client.reset().observation for _ in range(4)]
    assert len({(each.environment, each.seed) for each in drawn}) == 4
    for each in drawn:
        assert client.reset(seed=each.seed).observation == each


def test_an_output_that_cannot_be_judged_has_no_reward_and_says_why(monkeypatch):
    monkeypatch.setattr(Pool, "judge", lambda *_, **__: [Failure("deadline", "it took too long")])
    with Pool(1) as pool:
        session = RlveEnvironment(pool, ["Sorting"], CHAT)
        session.reset()
        found = session.step(RlveAction(output="?"))
    assert (found.done, found.reward, found.failure) == (True, None, "deadline")
    assert (found.correct, found.well_formed) == (None, None)


def test_plain_dicts_will_do(url):
    with GenericEnvClient(base_url=url).sync() as client:
        first = client.reset(environment="Sorting", difficulty=0, seed=0)
        assert first.observation["environment"] == "Sorting"
        last = client.step({"output": "no idea"})
        assert (last.done, last.reward) == (True, ILL_FORMED.reward)
        assert last.observation["well_formed"] is False


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"environment": "Sortin"}, "did you mean 'Sorting'?"),
        ({"environment": "Sorting", "difficulty": -1}, "a difficulty must be an integer"),
        ({"environment": "Sorting", "level": 3}, "not level"),
    ],
)
def test_a_wrong_reset_is_refused_and_the_session_goes_on(client, arguments, complaint):
    with pytest.raises(RuntimeError, match="reset first"):
        client.step(RlveAction(output="1"))
    with pytest.raises(RuntimeError, match=re.escape(complaint)):
        client.reset(**arguments)
    assert client.reset(environment="Sudoku", difficulty=1).observation.difficulty == 1


def test_sessions_are_apart_from_each_other(url):
    async def one(seed):
        async with RlveClient(base_url=url) as client:
            observation = (await client.reset(environment="Sorting", seed=seed)).observation
            output = reference(observation) if seed % 2 else "no idea"
            return (await client.step(RlveAction(output=output))).reward

    async def all_of_them():
        return await asyncio.gather(*map(one, range(6)))

    assert asyncio.run(all_of_them()) == [-1.0, 1.0] * 3


def test_the_documented_scripts_run(url):
    names = {}
    for script in re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.M | re.S):
        exec(compile(script.replace("http://localhost:8000", url), PAGE.name, "exec"), names)
    assert names["result"].reward == 1.0
    assert names["curriculum"].bounds("Sorting")[1] >= 1


def test_openenv_finds_the_folder_for_its_hub_in_order():
    """All but the lock file, which is written when the folder is published."""
    done = subprocess.run([OPENENV, "validate", HUB, "--json"], capture_output=True, text=True)
    report = json.loads(done.stdout)
    assert report["issues"] == ["Missing uv.lock - run 'uv lock' to generate it"]
    project = tomllib.loads((HUB / "pyproject.toml").read_text())["project"]
    assert project["version"] == version("rlve")


def test_openenv_finds_the_server_in_order(url):
    done = subprocess.run([OPENENV, "validate", "--url", url], capture_output=True, text=True)
    assert json.loads(done.stdout)["passed"], done.stdout
