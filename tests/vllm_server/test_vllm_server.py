"""`rlve eval` against a real vLLM server with the embedded policy: `make test-vllm-server`."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

pytest.importorskip("vllm", reason="vLLM is not installed here; `make test-vllm-server` runs these")
pytest.importorskip("httpx", reason="asking a server needs rlve[eval]")

from rlve.evaluate.results import read_results
from rlve.models.locations import NANO

PATIENT = 600  # seconds for a server to start on a busy machine
QUESTIONS, SAMPLES = 60, 4


class Server:
    """vLLM in a process group of its own, so that killing it leaves nothing behind."""

    def __init__(self, folder):
        self.log = folder / "server.log"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/v1"
        self.process = None

    def start(self):
        words = ["-m", "vllm.entrypoints.openai.api_server", "--model", str(NANO)]
        words += ["--served-model-name", "nano", "--host", "127.0.0.1", "--port", str(self.port)]
        words += ["--gpu-memory-utilization", "0.2", "--dtype", "float32", "--enforce-eager"]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, *words],
                stdout=log,
                stderr=log,
                start_new_session=True,
                cwd=self.log.parent,  # not the repository, where folders shadow packages
                env=os.environ | {"OMP_NUM_THREADS": "1", "VLLM_CPU_KVCACHE_SPACE": "1"},
            )

    def wait(self):
        until = time.monotonic() + PATIENT
        while True:
            try:
                with urlopen(f"{self.url}/models", timeout=5):
                    return
            except (URLError, OSError):
                assert self.process.poll() is None, self.log.read_text()[-3000:]
                assert time.monotonic() < until, self.log.read_text()[-3000:]
                time.sleep(0.5)

    def kill(self):
        if self.process is not None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            self.process = None


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """One for all tests, because it takes long to start; some kill it and start it again."""
    server = Server(tmp_path_factory.mktemp("vllm"))
    server.start()
    try:
        server.wait()
        yield server
    finally:
        server.kill()


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = ("dataset", "Sorting", "-n", QUESTIONS, "-d", "0..1", "--format", "plain")
    assert run(*words, "-o", "suite.jsonl", "--workers", 1).returncode == 0
    return tmp_path


def started(*words):
    return subprocess.Popen(
        [sys.executable, "-m", "rlve", *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )


def run(*words):
    process = started(*words)
    process.out, process.err = process.communicate(timeout=PATIENT)
    return process


def flags(folder, *more, url=None, samples=SAMPLES):
    words = ["eval", "--model", "nano", "--suite", "suite.jsonl", "--folder", folder, "-n", samples]
    return [*words, "--workers", 1, *(["--url", url] if url else []), *more]


def lines(path):
    return [json.loads(line) for line in path.read_bytes().splitlines()] if path.exists() else []


def texts(folder):
    return {(x["id"], x["sample"]): x["output"] for x in lines(Path(folder) / "outputs.jsonl")}


def assert_complete(folder):
    ids = [line["id"] for line in lines(Path("suite.jsonl"))]
    wanted = Counter((id_, sample) for id_ in ids for sample in range(SAMPLES))
    for name in ("outputs.jsonl", "verdicts.jsonl"):
        assert Counter((x["id"], x["sample"]) for x in lines(Path(folder) / name)) == wanted


def kill_in_the_middle(server, process, folder):
    """When some outputs have arrived since, and before all have."""
    stored = len(lines(Path(folder) / "outputs.jsonl"))
    until = time.monotonic() + PATIENT
    while len(lines(Path(folder) / "outputs.jsonl")) < stored + 20:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < until
        time.sleep(0.02)
    server.kill()
    assert len(lines(Path(folder) / "outputs.jsonl")) < QUESTIONS * SAMPLES


@pytest.fixture
def greedy(place):
    """What nano says at temperature 0, sampled in one process without any trouble."""
    done = run(*flags("greedy", "--format", "plain", "--temperature", 0, "--device", "cpu"))
    assert done.returncode == 0, done.err
    return texts("greedy")


def test_the_server_says_what_the_model_says_in_process(server, greedy):
    words = ("--format", "plain", "--temperature", 0)
    done = run(*flags("served", *words, url=server.url))
    assert done.returncode == 0, done.err
    assert "context of 1,024 tokens, rather than to 32,768" in done.err
    assert_complete("served")
    assert texts("served") == greedy
    assert read_results(Path("served")).overall == read_results(Path("greedy")).overall


def test_sampling_is_alike_on_the_server_and_in_process(server, place):
    settings = ("--format", "plain", "--seed", 3)
    one = run(*flags("served", *settings, url=server.url, samples=24))
    other = run(*flags("here", *settings, "--device", "cpu", samples=24))
    assert (one.returncode, other.returncode) == (0, 0), one.err + other.err
    served, here = (read_results(Path(name)).overall for name in ("served", "here"))
    # The same questions, 1,440 samples on either side: the difference has a deviation of 1.5%.
    assert served.accuracy == pytest.approx(here.accuracy, abs=0.07)
    assert served.mean_tokens == pytest.approx(here.mean_tokens, rel=0.05)


def test_seeds_make_the_server_repeat_itself(server, place):
    for folder in ("one", "two"):
        words = ("--format", "plain", "--concurrency", 1 if folder == "one" else 4)
        assert run(*flags(folder, *words, url=server.url)).returncode == 0
    same = [texts("one")[key] == text for key, text in texts("two").items()]
    assert sum(same) >= 0.98 * len(same)  # all, but for the rounding of different batches


def test_messages_reach_the_chat_endpoint(server, place):
    suite = Path("suite.jsonl")
    rows = [{k: v for k, v in row.items() if k != "prompt"} for row in lines(suite)]
    suite.write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = run(*flags("chat", url=server.url))
    assert done.returncode == 0, done.err
    assert_complete("chat")
    assert "/v1/chat/completions" in server.log.read_text()


def test_a_wrong_name_is_answered_with_the_right_ones(server, place):
    words = ["eval", "--url", server.url, "-m", "nanoo", "--suite", "suite.jsonl", "--workers", "1"]
    done = run(*words)
    assert done.returncode == 2
    assert f"rlve: {server.url} has no model 'nanoo'; it has nano; 0 of 60 outputs" in done.err


def test_a_server_that_is_killed_and_restarted_loses_nothing(server, greedy):
    """Once under a command that waits for it, once under one that gives up and is repeated."""
    words = ("--format", "plain", "--temperature", 0, "--concurrency", 2)
    waiting = started(*flags("waits", *words, "--retries", 100, url=server.url))
    kill_in_the_middle(server, waiting, "waits")
    server.start()
    server.wait()
    out, err = waiting.communicate(timeout=PATIENT)
    assert waiting.returncode == 0, err
    assert "next try 2 of 101" in err
    assert_complete("waits")
    assert texts("waits") == greedy
    assert read_results(Path("waits")).overall == read_results(Path("greedy")).overall

    command = flags("gives-up", *words, "--retries", 1, url=server.url)
    impatient = started(*command)
    kill_in_the_middle(server, impatient, "gives-up")
    out, err = impatient.communicate(timeout=PATIENT)
    assert impatient.returncode == 2
    stored = len(lines(Path("gives-up/outputs.jsonl")))
    assert f"rlve: no answer from {server.url}/completions, tried 2 times in " in err
    assert f"{stored} of 240 outputs are stored in gives-up; the same command resumes" in err
    assert not Path("gives-up/results.json").exists()
    server.start()
    server.wait()
    again = run(*command)
    assert again.returncode == 0, again.err
    assert_complete("gives-up")
    assert texts("gives-up") == greedy
    assert out == ""
