"""Adapters of evaluation frameworks under hostile outputs, with stand-ins for the libraries.

The libraries' own tests, in the folders beside this file, need them installed; these need none.
"""

import asyncio
import importlib.util
import sys
from importlib import metadata
from pathlib import Path
from random import Random
from types import ModuleType, SimpleNamespace

import msgspec
import pytest

import rlve
from rlve import integrations
from rlve.datasets.rows import ProblemRow

HOSTILE = {
    "huge": "x" * 20_000_000,
    "markers": "<answer>" * 500_000,
    "digits": f"<answer>{'9' * 1_000_000}</answer>",
    "surrogate": "\ud800<answer>\udfff</answer>",
    "controls": "\x00\x1b]0;PWN\x07<answer>\x9b</answer>",
    "empty": "",
}
WRONG = {"correct": 0.0, "forgiving": 0.0}


def stand_in(name, **members):
    module = ModuleType(name)
    vars(module).update(members)
    return module


def load(monkeypatch, path, version, *modules):
    """An adapter, as it is with these modules in place of its library."""
    for module in modules:
        monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(metadata, "version", lambda name: version)
    place = Path(integrations.__file__).parent / path
    spec = importlib.util.spec_from_file_location(f"attacked_{place.stem}", place)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def row():
    problem = rlve.environment("Sorting").generate(difficulty=1, seed=2)
    return ProblemRow(id="few", environment="Sorting", parameters=problem.parameters())


@pytest.fixture
def inspect(monkeypatch):
    def decorator(*given, **_):
        return given[0] if given else lambda function: function

    def record(**fields):
        return SimpleNamespace(**fields)

    async def run_sync(function, *arguments):
        return function(*arguments)

    class Generate:
        pass

    kinds = dict.fromkeys(("Score", "Sample", "Task", "GenerateConfig", "ChatMessageUser"), record)
    annotations = dict.fromkeys(("Scorer", "Target", "Solver", "TaskState"), Generate)
    return load(
        monkeypatch,
        "inspect.py",
        "0.3.200",
        stand_in("anyio", to_thread=SimpleNamespace(run_sync=run_sync)),
        stand_in("anyio.to_thread", run_sync=run_sync),
        stand_in("inspect_ai", task=decorator, **kinds),
        stand_in("inspect_ai.dataset", MemoryDataset=lambda rows, name: rows, **kinds),
        stand_in(
            "inspect_ai.model",
            ChatMessage=Generate,
            ChatMessageSystem=record,
            **kinds,
        ),
        stand_in(
            "inspect_ai.scorer",
            scorer=decorator,
            mean=lambda: None,
            stderr=lambda: None,
            **kinds,
            **annotations,
        ),
        stand_in(
            "inspect_ai.solver",
            generate=lambda: None,
            **annotations,
        ),
    )


@pytest.mark.parametrize("output", HOSTILE)
def test_inspect_counts_it_as_wrong(output, inspect):
    state = SimpleNamespace(
        metadata={"row": msgspec.to_builtins(row())},
        output=SimpleNamespace(completion=HOSTILE[output]),
    )
    score = asyncio.run(inspect.verdict()(state, None))
    assert score.value.items() >= WRONG.items()
    assert score.explanation is None


def test_inspect_says_why_a_row_cannot_be_judged(inspect):
    bad = msgspec.structs.replace(row(), parameters={"A": "\x1b" * 10_000_000})
    state = SimpleNamespace(
        metadata={"row": msgspec.to_builtins(bad)},
        output=SimpleNamespace(completion="<answer>1</answer>"),
    )
    score = asyncio.run(inspect.verdict()(state, None))
    assert score.value == WRONG | {"reward": -1.0}
    assert "not the parameters of a Sorting problem" in score.explanation
    assert len(score.explanation) < 1_000


@pytest.fixture
def lm_eval(monkeypatch):
    return load(
        monkeypatch,
        "lm_eval/__init__.py",
        "0.4.13",
        stand_in("datasets", Dataset=SimpleNamespace(from_list=list)),
    )


@pytest.mark.parametrize("output", [*HOSTILE, None])
def test_lm_eval_counts_it_as_wrong(output, lm_eval):
    document = {"row": msgspec.json.encode(row()).decode(), "format": "chat"}
    values = lm_eval.verdict(document, [None if output is None else HOSTILE[output]])
    assert values.items() >= WRONG.items()


def test_lm_eval_reads_a_hostile_file(lm_eval, tmp_path):
    file = tmp_path / "few.jsonl"
    for text in ("", "[]\n", '{"environment": "\\u001b"}\n', "[" * 100_000, "\x00"):
        file.write_text(text)
        with pytest.raises(rlve.UserError):
            lm_eval.questions(file=str(file))


@pytest.fixture
def text_environment(monkeypatch):
    class Env:
        def __class_getitem__(cls, _):
            return cls

        def reset(self, *, seed=None):
            self.np_random = SimpleNamespace(integers=Random(seed).randrange)

    spaces = stand_in("gymnasium.spaces", Text=lambda *_, **__: None)
    library = stand_in("gymnasium", Env=Env, spaces=spaces)
    loaded = load(monkeypatch, "gymnasium/environment.py", "1.0", library, spaces)
    return loaded.TextEnvironment("GuessNumber", difficulty=1)


def test_gymnasium_takes_any_message(text_environment):
    with pytest.raises(rlve.UserError, match="reset"):
        text_environment.step("")
    _, info = text_environment.reset(seed=1)
    replies = []
    over = False
    while not over:
        message = [*HOSTILE.values()][len(replies) % len(HOSTILE)]
        reply, reward, over, cut, _ = text_environment.step(message)
        assert reply.isascii()
        assert len(reply) <= 100_000
        replies.append(reply)
    assert len(replies) == info["turns"]
    assert (reward, cut) == (-1.0, False)
    with pytest.raises(rlve.UserError, match="over"):
        text_environment.step("<answer>1</answer>")


@pytest.mark.parametrize("message", [None, 7, b"<answer>1</answer>", ["x"]])
def test_gymnasium_forgets_what_is_no_message(message, text_environment):
    text_environment.reset(seed=1)
    with pytest.raises(TypeError):
        text_environment.step(message)
    reply, *_ = text_environment.step("<answer>1</answer>")
    assert "left" in reply
