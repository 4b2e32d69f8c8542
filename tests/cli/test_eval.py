import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import pytest

import rlve as package
from rlve.cli import eval as eval_command
from rlve.evaluate.results import read_results

pytest.importorskip("httpx", reason="asking a server needs rlve[eval]")

from rlve.evaluate.backends import transport as backend
from support.model_server import ModelServer, Reply, said

PATIENT = 60.0  # seconds that a busy machine is given
SUITE, FOLDER = "few.jsonl", Path("results")


@pytest.fixture(autouse=True)
def quick(monkeypatch, request):
    """Drawing takes most of the time, and has its own tests."""
    if request.node.name != "test_a_server_is_evaluated":
        monkeypatch.setattr(eval_command, "write_report", lambda folder: None)


@pytest.fixture
def suite(tmp_path, monkeypatch):
    """A suite in the current folder; returns the answers by prompt."""
    monkeypatch.chdir(tmp_path)
    return write_suite(SUITE, 12)


def write_suite(name, count):
    answers, lines = {}, []
    for seed in range(count):
        problem = package.environment("Sorting").generate(difficulty=seed % 2, seed=seed)
        prompt = problem.prompt()
        answers[prompt] = problem.reference()
        lines.append(
            {
                "id": f"s{seed}",
                "environment": "Sorting",
                "parameters": problem.parameters(),
                "prompt": prompt,
                "difficulty": seed % 2,
            }
        )
    Path(name).write_text("".join(json.dumps(line) + "\n" for line in lines))
    return answers


@pytest.fixture
def server(suite):
    """Half of its answers are right: those to requests with an even seed, in the format given."""

    def answer(body):
        right = body["seed"] % 2 == 0 and said(body) in suite
        return Reply(f"<answer>{suite[said(body)]}</answer>" if right else "hm")

    with ModelServer(answer) as server:
        yield server


@pytest.fixture
def evaluate(rlve, server):
    def run(*flags, folder=FOLDER, model="tiny", suite=SUITE):
        words = ("eval", "--url", server.url, "--model", model, "--suite", suite)
        return rlve(*words, "--folder", folder, "-n", 4, "--workers", 1, *flags)

    return run


def started(server, *flags):
    """The command in a process of its own."""
    words = ["eval", "--url", server.url, "--model", "tiny", "--suite", SUITE]
    words += ["--folder", str(FOLDER), "-n", "4", "--workers", "1", *flags]
    return subprocess.Popen(
        [sys.executable, "-m", "rlve", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A shell lets what it runs in the background ignore this signal, tests included.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def lines(name, folder=FOLDER):
    path = folder / name
    return [json.loads(line) for line in path.read_bytes().splitlines()] if path.exists() else []


def wait_for(condition):
    until = time.monotonic() + PATIENT
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.01)


def assert_complete(folder=FOLDER):
    """Everything is there, and nothing twice."""
    for name in ("outputs.jsonl", "verdicts.jsonl"):
        keys = Counter((line["id"], line["sample"]) for line in lines(name, folder))
        assert keys == Counter((f"s{i}", sample) for i in range(12) for sample in range(4))


def test_a_server_is_evaluated(evaluate, server):
    result = evaluate()
    assert result.code == 0
    assert_complete()
    rows = [line.split() for line in result.out.splitlines()]
    right = sum(body["seed"] % 2 == 0 for _, body in server.requests)
    assert 10 <= right <= 38
    assert rows[2][:4] == ["Sorting", "12", "48", f"{right / 48:.1%}"]
    assert rows[4][:4] == ["all", "12", "48", f"{right / 48:.1%}"]
    assert f"tiny on few: Avg@4 {right / 48:.1%}" in result.out
    assert f"report: {FOLDER}/report.html" in result.out
    assert (FOLDER / "report.html").exists()
    assert "Pass@1" in result.out
    plan = json.loads((FOLDER / "plan.json").read_text())
    sampling = {"temperature": 0.6, "top_p": 0.95, "max_tokens": 32_768, "seed": 0}
    assert plan["sampling"] == sampling | {"stop_strings": [], "template_arguments": []}
    assert plan["format"] == "as given"
    assert "the prompts of few are used as given; --format makes them anew" in result.err
    assert all(body["top_p"] == 0.95 for _, body in server.requests)


def test_the_results_as_json(evaluate):
    result = evaluate("--json")
    found = json.loads(result.out)
    assert found == json.loads((FOLDER / "results.json").read_text())
    assert list(found["levels"]) == ["0", "1"]


def test_the_base_format_has_its_own_limit(evaluate, server):
    assert "the prompts of few are as given; made anew as base" in evaluate("--format", "base").err
    _, body = server.requests[0]
    assert body["max_tokens"] == 16_384
    assert body["prompt"].startswith("A conversation between User and Assistant.")
    assert json.loads((FOLDER / "plan.json").read_text())["format"] == "base"


@pytest.fixture
def checkpoint(suite):
    """Makes a checkpoint of a run with these settings of the policy."""

    def make(**policy):
        model = Path("runs/x/checkpoints/step-000004/model")
        model.mkdir(parents=True, exist_ok=True)
        (model / "chat_template.jinja").write_text("{{ messages }}")
        Path("runs/x/config.json").write_text(json.dumps({"policy": policy, "data": {}}))
        return str(model.parent)

    return make


@pytest.fixture
def open_suite(suite, server):
    """The same questions, but in the format of the evaluation; whoever asks gets no answer."""
    rows = [json.loads(line) for line in Path(SUITE).read_text().splitlines()]
    for row in rows:
        del row["prompt"]
    Path("open.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    server.answer = lambda body: Reply("hm</answer>")
    return "open.jsonl"


def settings_of(folder):
    plan = json.loads((Path(folder) / "plan.json").read_text())
    sampling = plan["sampling"]
    return (
        plan["format"],
        plan["system_prompt"],
        sampling["template_arguments"],
        sampling["stop_strings"],
    )


def test_a_checkpoint_is_asked_as_in_its_run(evaluate, checkpoint, open_suite, server):
    model = checkpoint(format="plain", stop_strings=["</answer>", "User:"])
    result = evaluate(model=model, suite=open_suite, folder="a")
    assert result.code == 0
    assert (
        "rlve: as in runs/x, of which this is a checkpoint: format plain, stop strings </answer> "
        "User:\n"
    ) in result.err
    assert settings_of("a") == ("plain", None, [], ["</answer>", "User:"])
    assert all(path == "/v1/completions" for path, _ in server.requests)
    assert all(body["stop"] == ["</answer>", "User:"] for _, body in server.requests)
    # What is given wins, and another format leaves the run behind.
    evaluate("--stop-strings", "END", model=model, suite=open_suite, folder="b")
    assert settings_of("b") == ("plain", None, [], ["END"])
    evaluate("--stop-strings", model=model, suite=open_suite, folder="c")
    assert settings_of("c") == ("plain", None, [], [])
    result = evaluate("--format", "base", model=model, suite=open_suite, folder="d")
    assert settings_of("d") == ("base", None, [], [])
    assert "of which this is a checkpoint" not in result.err


def test_the_chat_of_a_checkpoint_is_that_of_its_run(evaluate, checkpoint, open_suite, server):
    chat = {"system_prompt": "Be brief.", "template_arguments": ["enable_thinking=false"]}
    model = checkpoint(**chat)
    result = evaluate(model=f"{model}/model", suite=open_suite, folder="a")
    assert (
        "rlve: as in runs/x, of which this is a checkpoint: format chat, system prompt Be brief., "
        "template arguments enable_thinking=false\n"
    ) in result.err
    assert settings_of("a") == ("chat", "Be brief.", ["enable_thinking=false"], [])
    body = server.requests[0][1]
    assert body["messages"][0] == {"role": "system", "content": "Be brief."}
    assert body["chat_template_kwargs"] == {"enable_thinking": False}
    flags = ("--system-prompt", "", "--template-arguments", "a=1", "b=x")
    evaluate(*flags, model=model, suite=open_suite, folder="b")
    assert settings_of("b") == ("chat", None, ["a=1", "b=x"], [])


def test_any_model_can_be_asked_so(evaluate, open_suite, server):
    flags = ("--system-prompt", "Be brief.", "--stop-strings", "</answer>", "END")
    assert evaluate(*flags, suite=open_suite).code == 0
    assert settings_of(FOLDER) == ("chat", "Be brief.", [], ["</answer>", "END"])
    assert server.requests[0][1]["messages"][0]["content"] == "Be brief."
    result = evaluate(*flags, "--format", "plain", suite=open_suite, folder="other")
    assert result.code == 2
    assert "are for chats, but the format plain is text" in result.err


def test_several_suites_have_a_folder_each(evaluate, suite, server):
    suite.update(write_suite("more.jsonl", 5))
    result = evaluate("--suite", "more.jsonl", "--json")
    few, more = json.loads(result.out)
    assert (few["suite"], more["suite"]) == ("few", "more")
    assert_complete(FOLDER / "few")
    assert len(lines("outputs.jsonl", FOLDER / "more")) == 20
    result = evaluate("--suite", "./few.jsonl")
    assert result.code == 2
    assert "two of the suites have the same name" in result.err


def test_the_folder_is_named_after_model_and_suite(rlve, server):
    words = ("eval", "--url", server.url, "-m", "org/tiny", "--suite", SUITE, "--workers", 1)
    assert rlve(*words).code == 0
    assert len(lines("outputs.jsonl", Path("evals/org-tiny/few"))) == 12


def test_the_same_command_asks_nobody_twice(evaluate, server):
    first = evaluate()
    asked = len(server.requests)
    server.stop()
    again = evaluate()
    assert again.out == first.out
    assert f"rlve: all outputs were already in {FOLDER}; nothing was sampled" in again.err
    assert "nothing was sampled" not in first.err
    assert len(server.requests) == asked
    result = evaluate("--temperature", 1)
    assert result.code == 2
    assert "holds another evaluation: temperature is 0.6 there and 1.0 here" in result.err


def test_a_server_that_dies_for_good_loses_nothing(evaluate, server, monkeypatch):
    monkeypatch.setattr(backend, "FIRST_WAIT", 0.01)
    answer = server.answer

    def deadly(body):
        if len(server.requests) > 20:
            server.stop()
        return answer(body)

    server.answer = deadly
    result = evaluate("--concurrency", 1, "--retries", 2)
    assert result.code == 2
    assert f"rlve: no answer from {server.url}/completions, tried 3 times" in result.err
    assert "20 of 48 outputs are stored in results; the same command resumes" in result.err
    assert not (FOLDER / "results.json").exists()
    server.answer = answer
    server.start()
    before = len(server.requests)
    assert evaluate().code == 0
    assert len(server.requests) - before == 28
    assert_complete()


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_command_goes_on(server, evaluate, sign):
    answer, stopped = server.answer, threading.Event()

    def held(body):
        if len(server.requests) > 20:
            stopped.wait(PATIENT)
        return answer(body)

    server.answer = held
    process = started(server, "--concurrency", "2")
    wait_for(lambda: len(lines("outputs.jsonl")) >= 10 or process.poll() is not None)
    process.send_signal(sign)
    _, err = process.communicate(timeout=PATIENT)
    stopped.set()
    stored = len(lines("outputs.jsonl"))
    assert 10 <= stored <= 20
    if sign == signal.SIGINT:
        assert process.returncode == 130
        assert err.splitlines()[-1] == (
            f"rlve: interrupted; {stored} of 48 outputs are stored in results; the same command "
            "resumes"
        )
    server.answer = answer
    before = len(server.requests)
    assert evaluate("--concurrency", 2).code == 0
    assert len(server.requests) - before == 48 - stored
    assert_complete()


def test_the_key_comes_from_the_environment_and_goes_nowhere_else(evaluate, server, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-1")
    assert evaluate().code == 0
    monkeypatch.setenv("MY_KEY", "sk-secret-2")
    assert evaluate("--api-key-env", "MY_KEY", folder="other").code == 0
    sent = Counter(headers["Authorization"] for headers in server.headers)
    assert sent == {"Bearer sk-secret-1": 48, "Bearer sk-secret-2": 48}
    for folder, _, files in os.walk("."):
        for file in files:
            assert b"sk-secret" not in (Path(folder) / file).read_bytes()


@pytest.mark.parametrize("key", ["sk-secret\n", "sk-s\u00e9cret"])
def test_a_key_is_never_printed(evaluate, monkeypatch, key):
    monkeypatch.setenv("OPENAI_API_KEY", key)
    result = evaluate()
    assert result.code == (0 if key.isascii() else 2)
    assert "cret" not in result.out + result.err


def test_a_named_key_that_is_not_set(evaluate):
    result = evaluate("--api-key-env", "NO_SUCH_KEY")
    assert result.code == 2
    assert "the environment variable NO_SUCH_KEY is not set" in result.err


def test_stored_outputs_are_scored_again(rlve, evaluate, server):
    first = evaluate()
    server.stop()
    (FOLDER / "verdicts.jsonl").unlink()
    (FOLDER / "results.json").unlink()
    again = rlve("score", FOLDER, "--workers", 1)
    assert again.code == 0
    assert first.out.startswith(again.out)
    assert_complete()
    assert read_results(FOLDER).overall.outputs == 48
    as_json = rlve("score", FOLDER, "--workers", 1, "--json")
    assert json.loads(as_json.out) == json.loads((FOLDER / "results.json").read_text())
    both = rlve("score", FOLDER, SUITE)
    assert both.code == 2
    assert "judged in place; leave out --output, and judge files separately" in both.err
    other = rlve("score", ".")
    assert other.code == 2
    assert "rlve: . is not the folder of an evaluation: it has no plan.json" in other.err


def test_what_cannot_be_meant(rlve, evaluate, suite):
    assert "no suite was given" in rlve("eval", "--model", "nano").err
    Path("broken.jsonl").write_text(Path(SUITE).read_text() + "{oops\n")
    assert "broken.jsonl:13: not JSON: " in evaluate(suite="broken.jsonl").err
    assert "no suite is named held-in" in evaluate(suite="held-in").err
    assert (
        "must begin with http://" in rlve("eval", "-m", "m", "--url", "a:1", "--suite", SUITE).err
    )
    assert "max-tokens must be at least 1" in evaluate("--max-tokens", 0).err
    assert not FOLDER.exists()


def test_nano_is_evaluated_in_this_process(rlve, tmp_path, monkeypatch):
    torch = pytest.importorskip("torch", reason="a model in this process needs rlve[train]")
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    monkeypatch.chdir(tmp_path)
    for name in ("chat", "plain"):
        file = Path(name, SUITE)
        file.parent.mkdir()
        rlve("dataset", "Sorting", "-n", 8, "-d", 0, "--format", name, "-o", file, "--workers", 1)
    flags = ("-m", "nano", "-n", 2, "--workers", 1, "--json", "--device", "cpu", "--suite")
    result = rlve("eval", *flags, f"chat/{SUITE}", "--folder", "a")
    assert result.code == 0
    assert "the prompts of few are chat; made anew as plain" in result.err
    assert "limited to what the prompt leaves of nano's context of 1,024 tokens" in result.err
    found = json.loads(result.out)
    assert found["overall"]["outputs"] == 16
    assert found["overall"]["ill_formed"] < 0.5  # it has learnt to mark its answers
    assert json.loads(Path("a/plan.json").read_text())["format"] == "plain"
    # The same samples, whatever the file's prompts, and whatever else is sampled beside them.
    again = rlve("eval", *flags, f"plain/{SUITE}", "--folder", "b", "--concurrency", 3)
    assert "made anew" not in again.err
    assert json.loads(again.out) == found
    texts = [
        {
            (line["id"], line["sample"]): line["output"]
            for line in lines("outputs.jsonl", Path(name))
        }
        for name in "ab"
    ]
    assert texts[0] == texts[1]
    torch.set_num_threads(threads)
