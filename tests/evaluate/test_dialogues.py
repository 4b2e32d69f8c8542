"""Conversations with a model on a server: turn by turn, interrupted, and judged again."""

import json
import re

import pytest

pytest.importorskip("httpx", reason="asking a server needs rlve[eval]")

import rlve
from rlve.dialogue import messages_of
from rlve.evaluate.backends import BackendError
from rlve.evaluate.backends import transport as transport_module
from rlve.evaluate.backends.openai import OpenAIBackend
from rlve.evaluate.questions import Suite
from rlve.evaluate.runner import evaluate, make_plan, rejudge
from support.evaluation_folders import question
from support.model_server import ModelServer, Reply

SUITE = Suite("talks", [question("GuessNumber", 1, 1), question("Sorting", 0, 2)])
SORTED = f"\\boxed{{{SUITE.questions[1].answer}}}"


def halve(body):
    """Plays GuessNumber by halving, from what has been said so far; and sorts."""
    messages = body["messages"]
    if "Sort" in messages[0]["content"]:
        return Reply(SORTED)
    low, high = 1, int(re.search(r"from 1 to (\d+)", messages[0]["content"])[1])
    for guess, reply in zip(messages[1::2], messages[2::2], strict=True):
        said = int(re.search(r"\d+", guess["content"])[0])
        low, high = (said + 1, high) if "higher" in reply["content"] else (low, said - 1)
    return Reply(f"<answer>{(low + high) // 2}</answer>")


def plan(**changes):
    settings = {"model": "tiny", "backend": "openai", "format": "chat", "samples": 3}
    return make_plan(SUITE, **(settings | {"url": "http://there"} | changes))


def outputs(folder):
    found = map(json.loads, (folder / "outputs.jsonl").read_text().splitlines())
    return {(each["id"], each["sample"]): each for each in found}


def test_a_server_is_asked_turn_by_turn_and_a_stopped_evaluation_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr(transport_module, "FIRST_WAIT", 0.01)
    folder = tmp_path / "eval"
    with ModelServer() as server:
        asked = []

        def answer(body):
            asked.append(body)
            return halve(body) if len(asked) < 7 else Reply(status=400)

        server.answer = answer
        backend = OpenAIBackend(server.url, "tiny", concurrency=1)
        with pytest.raises(BackendError):
            evaluate(SUITE, plan(), backend, folder, workers=1)
        before = outputs(folder)
        assert 0 < len(before) < 6
        server.answer = halve
        results = evaluate(SUITE, plan(), backend, folder, workers=1)
    after = outputs(folder)
    assert before.items() <= after.items()
    assert results.overall.accuracy == 1
    assert results.environments["GuessNumber"].mean_reward == 1
    problem = rlve.environment("GuessNumber").from_parameters(SUITE.questions[0].parameters)
    for sample in range(3):
        stored = after["GuessNumber/1/1", sample]
        assert messages_of(stored["output"]) == problem.reference_moves()
        assert stored["tokens"] == len(problem.reference_moves())
        assert after["Sorting/0/2", sample]["output"] == SORTED
    assert rejudge(folder, workers=1) == results
