"""The environment behind the real OpenEnv server, through its real clients: `make test-openenv`."""

import asyncio
import json
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest

pytest.importorskip("openenv", reason="needs rlve[openenv]; run make test-openenv")

import requests
import uvicorn
from openenv.core import GenericEnvClient

from rlve import environment, environments
from rlve.contract import ILL_FORMED
from rlve.curricula import AdaptiveCurriculum
from rlve.errors import UserError
from rlve.formats import CHAT
from rlve.integrations.openenv import RlveAction, RlveClient, RlveEnvironment, create_app
from rlve.pool import Failure, Pool

HUB = Path(__file__).parents[3] / "hubs" / "openenv"
OPENENV = Path(sys.executable).parent / "openenv"
PAGE = Path(__file__).parents[3] / "docs" / "trainers" / "openenv.md"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="module")
def pool():
    with Pool(2) as pool:
        yield pool


@pytest.fixture(scope="module")
def url(pool):
    """The app on a real server, in a thread of its own."""
    config = uvicorn.Config(
        create_app(["Sorting", "EuclidGame"], sessions=8, pool=pool),
        host="127.0.0.1",
        port=free_port(),
        log_level="warning",
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.01)
    yield f"http://127.0.0.1:{config.port}"
    server.should_exit = True
    thread.join()


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


def test_rewards_are_the_verdicts_of_the_problem(client):
    for output in ("no idea", r"\boxed{1 2 3}", r"\boxed{}", "\x00" * 1000):
        first = client.reset(environment="Sorting", difficulty=2, seed=1).observation
        problem = environment("Sorting").generate(difficulty=2, seed=1)
        wanted = problem.verify(output, marker="boxed")
        found = client.step(RlveAction(output=output))
        assert first.seed == 1
        assert found.reward == wanted.reward
        assert found.observation.correct == wanted.correct
        assert found.observation.well_formed == wanted.well_formed


def test_without_arguments_a_problem_is_drawn_that_can_be_made_again(client):
    drawn = [client.reset().observation for _ in range(12)]
    assert {each.environment for each in drawn} == {"Sorting", "EuclidGame"}
    assert len({each.seed for each in drawn}) == 12
    for each in drawn[:3]:
        assert client.reset(seed=each.seed).observation == each
        assert client.step(RlveAction(output=reference(each))).reward == 1.0


def test_any_environment_can_be_named(client):
    assert client.reset(environment="Sudoku", difficulty=1).observation.environment == "Sudoku"


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
        ({"environment": "Sorting", "difficulty": "3"}, "a difficulty must be an integer"),
        ({"environment": "Sorting", "level": 3}, "not level"),
    ],
)
def test_a_wrong_reset_is_refused_and_the_session_goes_on(client, url, arguments, complaint):
    with pytest.raises(RuntimeError, match=re.escape(complaint)):
        client.reset(**arguments)
    assert client.reset(environment="Sorting", difficulty=0).observation.difficulty == 0
    answer = requests.post(f"{url}/reset", json=arguments, timeout=60)
    assert answer.status_code == 422
    assert complaint in answer.json()["detail"]


def test_difficulties_beyond_the_highest_are_refused(client):
    name = next(name for name in environments() if environment(name).max_difficulty is not None)
    highest = environment(name).max_difficulty
    with pytest.raises(RuntimeError, match=f"the highest difficulty of {name} is {highest}"):
        client.reset(environment=name, difficulty=highest + 1)


def test_a_step_needs_a_reset_and_only_one_is_taken(client, url):
    with pytest.raises(RuntimeError, match="reset first"):
        client.step(RlveAction(output="1"))
    client.reset(environment="Sorting", difficulty=0)
    client.step(RlveAction(output="1"))
    with pytest.raises(RuntimeError, match="has already been answered"):
        client.step(RlveAction(output="1"))
    answer = requests.post(f"{url}/step", json={"action": {"output": "1"}}, timeout=60)
    assert (answer.status_code, "reset first" in answer.json()["detail"]) == (422, True)


def test_sessions_are_apart_from_each_other(url):
    async def one(seed):
        async with RlveClient(base_url=url) as client:
            observation = (await client.reset(environment="Sorting", seed=seed)).observation
            output = reference(observation) if seed % 2 else "no idea"
            return (await client.step(RlveAction(output=output))).reward

    async def all_of_them():
        return await asyncio.gather(*map(one, range(6)))

    assert asyncio.run(all_of_them()) == [-1.0, 1.0] * 3


def test_an_output_that_cannot_be_judged_has_no_reward_and_says_why(client, monkeypatch):
    monkeypatch.setattr(Pool, "judge", lambda *_, **__: [Failure("deadline", "it took too long")])
    client.reset(environment="Sorting")
    found = client.step(RlveAction(output="?"))
    assert (found.done, found.reward) == (True, None)
    assert found.observation.failure == "deadline"
    assert found.observation.correct is None
    assert found.observation.well_formed is None


def test_a_slow_verdict_keeps_nobody_else_waiting(url, pool, monkeypatch):
    judge, release = Pool.judge, threading.Event()

    def slow(self, items, **options):
        items = list(items)
        if items[0][1] == "slow":
            assert release.wait(60)
        return judge(self, items, **options)

    monkeypatch.setattr(Pool, "judge", slow)

    async def both():
        async with RlveClient(base_url=url) as one, RlveClient(base_url=url) as other:
            await one.reset(environment="Sorting")
            await other.reset(environment="Sorting")
            waiting = asyncio.create_task(one.step(RlveAction(output="slow")))
            quick = await other.step(RlveAction(output="quick"))
            assert not waiting.done()
            release.set()
            return quick.reward, (await waiting).reward

    assert asyncio.run(both()) == (-1.0, -1.0)


def test_a_curriculum_on_the_other_side_rises(client):
    curriculum = AdaptiveCurriculum(["Sorting"], tau_num=4)
    for _ in range(3):
        for _ in range(4):
            high = curriculum.bounds("Sorting")[1]
            first = client.reset(environment="Sorting", difficulty=high).observation
            last = client.step(RlveAction(output=reference(first))).observation
            curriculum.observe("Sorting", last.difficulty, last.correct)
        curriculum.step()
    assert curriculum.bounds("Sorting") == (0, 3)


def test_the_app_is_checked_when_it_is_made(pool):
    with pytest.raises(UserError, match="no environment"):
        create_app(["Sortin"], pool=pool)
    with pytest.raises(UserError, match="sessions must be at least 1"):
        create_app(sessions=0, pool=pool)


def test_the_answer_is_in_no_state(pool):
    session = RlveEnvironment(pool, ["Sorting"], CHAT)
    session.reset(seed=0)
    assert set(session.state.model_dump()) == {
        *("episode_id", "step_count", "environment", "difficulty", "seed", "done"),
    }


def test_the_documented_server_and_script_run():
    """The command line serves, and the script of the page, pointed at it, does what it says."""
    port = free_port()
    command = [sys.executable, "-m", "rlve.integrations.openenv", "--port", str(port)]
    with subprocess.Popen(
        [*command, "--workers", "1"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as server:
        lines = iter(server.stdout.readline, "")
        assert any("running on" in line for line in lines)
        drain = threading.Thread(target=lambda: list(lines), daemon=True)
        drain.start()
        names = {}
        for script in re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.M | re.S):
            exec(compile(script.replace("8000", str(port)), PAGE.name, "exec"), names)
        assert names["result"].reward == 1.0
        assert names["curriculum"].bounds("Sorting")[1] >= 1
        server.send_signal(signal.SIGINT)
        server.wait(60)
        drain.join(60)


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


def test_the_command_line_says_what_is_wrong():
    command = [sys.executable, "-m", "rlve.integrations.openenv", "--environments", "Sortin"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 2
    assert "did you mean 'Sorting'?" in done.stderr
    assert "Traceback" not in done.stderr
