"""The taskset in the real verifiers, driven by its own vf-eval: `make test-verifiers`."""

import asyncio
import json
import os
import re
import shlex
import subprocess
import sys
import threading
import tomllib
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("verifiers", reason="needs rlve[verifiers]; run make test-verifiers")

import verifiers.v1 as vf

import rlve.integrations.verifiers as adapter
from rlve import environment
from rlve.dialogue import conversation
from rlve.integrations.verifiers import RlveTaskset, RlveTasksetConfig
from rlve.pool import Failure, Pool
from support.model_server import ModelServer, Reply, said

PAGE = Path(__file__).parents[3] / "docs" / "trainers" / "verifiers.md"
HUB = Path(__file__).parents[3] / "hubs" / "verifiers"
NAMES = ["Sorting", "EuclidGame"]


def taskset(**changes):
    config = {"environments": NAMES, "low": 0, "high": 2} | changes
    return RlveTaskset(RlveTasksetConfig(id="rlve-taskset", **config))


def problem_of(task):
    return environment(task.data.environment).from_parameters(json.loads(task.data.parameters))


def asked(server):
    """The messages of each request."""
    return [body["messages"] for _, body in server.requests]


def no_idea(body):
    return Reply("no idea")


def references(tasks):
    """A policy that knows these tasks by their prompts and gives the reference."""
    known = {task.data.prompt: problem_of(task).reference() for task in tasks}
    return lambda body: Reply(
        rf"Let me think. \boxed{{{known[said(body)]}}}" if said(body) in known else "no idea"
    )


def command(name, folder, *flags, **variables):
    """Run a command of verifiers as a user does, with a home folder of its own."""
    return subprocess.run(
        [str(Path(sys.executable).parent / name), *flags],
        cwd=folder,
        env={**os.environ, "HOME": str(folder), "COLUMNS": "200", **variables},
        capture_output=True,
        text=True,
        timeout=300,
    )


def evaluate(folder, address, *flags, tasks=4, names=NAMES):
    return command(
        "vf-eval",
        folder,
        "rlve-taskset",
        *("--env.taskset.environments", json.dumps(names)),
        *("--env.taskset.high", "2", "-n", str(tasks), "-m", "test"),
        *("--client.base-url", address, "--client.api-key-var", "NO_KEY"),
        *("--no-push", "--no-rich", "-o", "runs", "--run.name", "run"),
        *flags,
    )


def traces(folder):
    """The traces that vf-eval wrote; a line holds an episode or a trace."""
    lines = (folder / "runs" / "run" / "traces.jsonl").read_text().splitlines()
    found = [json.loads(line) for line in lines]
    return [trace for line in found for trace in line.get("traces", [line])]


def total(trace):
    return sum(reward["score"] * reward["weight"] for reward in trace["rewards"].values())


def test_vf_eval_rewards_references_and_not_junk(tmp_path):
    tasks = list(taskset().take(4))
    known = {task.data.prompt for task in tasks[:2]}
    with ModelServer(references(tasks[:2])) as server:
        done = evaluate(tmp_path, server.url, "-r", "2")
    assert done.returncode == 0, done.stdout + done.stderr
    prompts = [last["content"] for *_, last in asked(server)]
    assert sorted(prompts) == sorted(2 * [task.data.prompt for task in tasks])
    found = traces(tmp_path)
    assert len(found) == 8
    for trace in found:
        solved = trace["task"]["data"]["prompt"] in known
        assert not trace.get("errors")
        assert total(trace) == (1.0 if solved else -1.0)
        assert trace["metrics"]["correct"] == trace["metrics"]["well_formed"] == float(solved)
        assert trace["metrics"]["difficulty"] == trace["task"]["data"]["difficulty"]


def test_vf_eval_carries_whole_dialogues(tmp_path):
    names = ["PlayNim", "Sorting_3Tries"]  # whose prompts show the whole problem
    problems = [problem_of(task) for task in taskset(environments=names).take(4)]
    scripts = {}  # junk as long as there is room for it, then what wins; or nothing but junk
    for number, problem in enumerate(problems):
        moves = problem.reference_moves() if number else []
        junk = [f"no move {turn}" for turn in range(problem.turns - len(moves))]
        scripts[problem.prompt()] = (problem, [*junk, *moves])

    def move(body):
        messages = body["messages"]
        problem, script = scripts[messages[0]["content"]]
        own = [each["content"] for each in messages if each["role"] == "assistant"]
        heard = [each["content"] for each in messages[1:] if each["role"] == "user"]
        assert own == script[: len(own)]
        assert heard == [reply.text for reply in problem.replies(own)]
        return Reply(script[len(own)])

    with ModelServer(move) as server:
        done = evaluate(tmp_path, server.url, names=names)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(server.requests) == sum(len(script) for _, script in scripts.values())
    found = traces(tmp_path)
    for trace in found:
        problem, script = scripts[trace["task"]["data"]["prompt"]]
        wanted = problem.verify(conversation(script))
        assert not trace.get("errors")
        assert (total(trace), trace["metrics"]["correct"]) == (wanted.reward, wanted.correct)
    assert sorted(map(total, found)) == [-1, 1, 1, 1]


def test_vf_eval_resumes_what_failed(tmp_path):
    tasks = list(taskset().take(4))
    right, refused = references(tasks), {task.data.prompt for task in tasks[2:]}

    def answer(body):
        return Reply(status=400) if said(body) in refused else right(body)

    with ModelServer(answer) as server:
        evaluate(tmp_path, server.url)
        assert sum(not trace.get("errors") for trace in traces(tmp_path)) == 2
        missing = sorted(refused)
        refused.clear()
        server.requests.clear()
        config = tmp_path / "runs" / "run" / "configs" / "resolved" / "eval.json"
        done = command("vf-eval", tmp_path, "@", str(config), "--resume")
    assert done.returncode == 0, done.stdout + done.stderr
    assert sorted(last["content"] for *_, last in asked(server)) == missing
    assert [total(trace) for trace in traces(tmp_path)] == [1.0] * 4


def test_the_documented_commands_run(tmp_path):
    found = re.findall(r"^    (vf-eval rlve-taskset.*?[^\\])\n", PAGE.read_text(), re.M | re.S)
    assert len(found) == 2
    for line, rollouts in zip(found, (2 * 4, 2), strict=True):
        words = shlex.split(line.replace("\\\n", " "))
        with ModelServer(no_idea) as server:
            replaced = {"http://localhost:8000/v1": server.url, "32": "2"}
            done = command(words[0], tmp_path, *(replaced.get(word, word) for word in words[1:]))
        assert done.returncode == 0, done.stdout + done.stderr
        openings = [messages for messages in asked(server) if len(messages) == 1]
        assert len(openings) == rollouts


def test_the_documented_script_runs(capsys):
    (script,) = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.M | re.S)
    exec(compile(script, PAGE.name, "exec"), {})
    assert len(capsys.readouterr().out.splitlines()) == 3


@pytest.mark.parametrize(
    ("flags", "complaint"),
    [
        (["--env.taskset.environments", '["Sortin"]'], "did you mean 'Sorting'?"),
        (["--env.taskset.low", "3", "--env.taskset.high", "1"], "low <= high, not [3, 1]"),
    ],
)
def test_what_is_wrong_is_said_before_anything_runs(tmp_path, flags, complaint):
    done = command("vf-eval", tmp_path, "rlve-taskset", *flags, "-n", "1", "--no-push")
    assert done.returncode != 0
    assert complaint in " ".join((done.stdout + done.stderr).replace("│", " ").split())
    assert "Traceback" not in done.stderr


def test_vf_validate_finds_every_reference_of_the_package_for_the_hub_correct(tmp_path):
    project = tomllib.loads((HUB / "pyproject.toml").read_text())
    assert project["project"]["version"] == version("rlve")
    [module] = project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert module == project["project"]["name"].replace("-", "_")
    done = command(
        "vf-validate",
        tmp_path,
        project["project"]["name"],
        *("--taskset.environments", json.dumps([*NAMES, "PlayNim"]), "-n", "4", "--only-gold"),
        *("--runtime.type", "subprocess", "-o", "checks", "--run.name", "run"),
        PYTHONPATH=os.pathsep.join([str(HUB), *sys.path]),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (rows,) = tmp_path.glob("checks/**/results.jsonl")
    assert [json.loads(row)["valid"] for row in rows.read_text().splitlines()] == [True] * 4


def test_tasks_are_endless_reproducible_and_at_the_levels_asked_for():
    first = list(islice(taskset(low=1, high=3), 60))
    again = list(islice(taskset(low=1, high=3), 60))
    assert [task.data for task in first] == [task.data for task in again]
    assert [task.data for task in first] != [task.data for task in taskset(seed=1).take(60)]
    assert {task.data.environment for task in first} == set(NAMES)
    assert {task.data.difficulty for task in first} == {1, 2, 3}
    assert not taskset().bounded
    for task in first[:5]:
        made = environment(task.data.environment).generate(
            difficulty=task.data.difficulty, seed=task.data.seed
        )
        assert problem_of(task) == made
        assert made.prompt() in task.data.prompt
        assert task.data.id == f"{task.data.name}/{task.data.difficulty}/{task.data.seed}"


def test_a_task_survives_the_wire():
    (task,) = taskset().take(1)
    data = type(task.data).model_validate_json(task.data.model_dump_json())
    copy = adapter.RlveTask(data)
    answer = rf"\boxed{{{problem_of(copy).reference()}}}"
    assert asyncio.run(copy.judge(answer)).correct
    assert not asyncio.run(copy.judge("nothing")).well_formed


def test_judging_leaves_the_event_loop_free(monkeypatch):
    """While a verdict is awaited, others go on."""
    (task,) = taskset().take(1)
    release = threading.Event()

    def slow(row, output, *, deadline):
        assert release.wait(60)
        return Pool.judge(pool, [(problem_of(task), output)], marker=row.marker)[0]

    async def both():
        waiting = asyncio.create_task(task.judge("nothing"))
        await asyncio.sleep(0.01)
        assert not waiting.done()
        release.set()
        return await waiting

    monkeypatch.setattr(adapter, "judge", slow)
    with Pool(1) as pool:
        assert not asyncio.run(both()).correct


def test_a_rollout_that_cannot_be_judged_has_no_reward(monkeypatch):
    (task,) = taskset().take(1)

    def late(row, output, *, deadline):
        return Failure("deadline", "it took too long")

    monkeypatch.setattr(adapter, "judge", late)
    trace = SimpleNamespace(last_reply="?", metrics={}, rewards={})
    with pytest.raises(vf.TaskError, match="cannot be judged, deadline: it took too long"):
        asyncio.run(task.verdict(trace))


def test_verifiers_finds_the_taskset_by_name():
    assert vf.load_taskset(taskset().config).take(1).bounded
    assert vf.task_type("rlve-taskset") is adapter.RlveTask
    assert vf.default_harness_id("rlve-taskset") == "rlve-taskset"
    assert vf.environment_class("rlve-taskset") is adapter.RlveEnv
