"""`rlve serve` and `rlve studio` as processes: how they start, what they say, how they end."""

import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import httpx
import pytest

from support.studio_folders import make_run

PATIENT = 60.0  # seconds that a busy machine is given


@contextmanager
def started(*words, cwd):
    command = [sys.executable, "-m", "rlve", *map(str, words)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=cwd) as process:
        try:
            url = re.search(r"http://\S+:\d+", process.stdout.readline())[0]
            yield process, url
        finally:
            if process.poll() is None:
                process.kill()


def until(condition):
    """Wait for it."""
    limit = time.monotonic() + PATIENT
    while not condition():
        assert time.monotonic() < limit, "waited in vain"
        time.sleep(0.01)


def closed(url):
    try:
        httpx.get(f"{url}/health", timeout=PATIENT)
    except httpx.ConnectError:
        return True
    except httpx.TransportError:  # accepted, and closed without an answer
        return False
    return False


def test_what_is_under_way_is_answered_before_the_gym_closes(own_tasks):
    """The verdict comes once a file is there, which is when the gym no longer listens."""
    with (
        started(
            "serve", "own_tasks.py:Echo", "--port", 0, "--workers", 1, "--deadline", PATIENT,
            cwd=own_tasks,
        ) as (process, url),
        ThreadPoolExecutor(1) as threads,
    ):  # fmt: skip
        item = {"environment": "Echo", "parameters": {"n": 666}, "output": "<answer>666</answer>"}
        asked = threads.submit(
            httpx.post, f"{url}/v1/verify", json={"items": [item]}, timeout=PATIENT
        )
        until(lambda: httpx.get(f"{url}/health").json()["requests"] == 2)
        process.send_signal(signal.SIGTERM)
        until(lambda: closed(url))
        (own_tasks / "released").touch()
        (verdict,) = asked.result().json()["verdicts"]
        assert verdict["correct"]
        assert process.stdout.read() == "The gym is closed.\n"
        assert process.wait(60) == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["serve", "--host", "0.0.0.0"], "set a token with RLVE_TOKEN or --token-file"),
        (["serve", "--host", "0.0.0.0", "--token-file", "none"], "cannot read a token from none"),
        (["serve", "--port", "99999"], "cannot listen on 127.0.0.1:99999"),
        (["serve", "--concurrency", "0"], "--concurrency must be at least 1, not 0"),
        (["serve", "--batch", "-5"], "--batch must be at least 1, not -5"),
        (["serve", "--body", "0"], "--body must be at least 1, not 0"),
        (["serve", "nowhere.py:Chess"], "there is no Python file nowhere.py"),
        (["studio", "nowhere"], "there is no folder nowhere"),
        (["studio", "--port", "99999"], "choose another port with --port"),
    ],
)
def test_misuse(rlve, words, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RLVE_TOKEN", raising=False)
    result = rlve(*words)
    assert result.code == 2
    assert said in result.err
    assert result.err.count("\n") == 1


def test_the_studio_shows_the_runs_of_the_folder_it_is_started_in(tmp_path):
    make_run(tmp_path / "runs" / "mine", steps=1)
    with started("studio", "--no-browser", "--port", 0, "--workers", 1, cwd=tmp_path) as (
        process,
        url,
    ):
        assert 'href="/runs/mine"' in httpx.get(f"{url}/runs").text
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
