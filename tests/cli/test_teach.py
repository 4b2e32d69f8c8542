import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="teaching needs rlve[train]")
pytest.importorskip("gguf", reason="GGUF files need rlve[gguf]")

import torch
from safetensors.torch import load_file

from rlve.cli import _runs
from rlve.cli import teach as cli_teach
from rlve.cli import train as cli_train
from rlve.evaluate import suite as suites
from rlve.models.config import PolicyConfig
from rlve.models.policy import load_policy
from rlve.reports import live
from rlve.reports.teaching import headline
from rlve.train import costs
from rlve.train.runs import BaseRun
from rlve.train.teaching import TeachingRun
from rlve.train.teaching.config import teaching_config
from rlve.train.teaching.history import read_teaching_history
from support.gguf_files import END, TEMPLATE, tiny_llama, write_gguf

FILES = {
    ".lock",
    "checkpoints",
    "config.json",
    "examples.jsonl",
    "metrics.jsonl",
    "report.html",
    "validation.jsonl",
}
SETTINGS = """
    --policy.device cpu --data.environments own_tasks:Echo --data.examples 4 --data.levels 0 1
    --data.max-prompt-tokens 300 --data.max-answer-tokens 20 --update.learning-rate 1e-2
    --update.warmup-steps 0 --validation.levels 0 --validation.problems 2 --run.workers 1
"""


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(live, "SECONDS_BETWEEN_LINES", 0.0)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def tiny_gguf(tmp_path_factory):
    place = tmp_path_factory.mktemp("gguf") / "tiny.gguf"
    return write_gguf(place, tiny_llama(tied=True), template=TEMPLATE)


@pytest.fixture
def taught(own_tasks, rlve):
    def teach(model, folder, *flags, steps=3):
        where = f"--policy.model {model} --run.folder {folder} --run.steps {steps}"
        return rlve("teach", *SETTINGS.split(), *where.split(), *flags)

    return teach


def test_a_file_is_made_a_model_and_taught(own_tasks, rlve, taught, tiny_gguf):
    made = rlve("model", tiny_gguf, "tiny")
    assert made.code == 0, made.err
    assert "rlve teach --policy.model tiny" in made.out

    result = taught("tiny", "taught")
    assert result.code == 0, result.err
    folder = own_tasks / "taught"
    assert {path.name for path in folder.iterdir()} == FILES
    assert re.findall(r"^step (\d)/3  loss ", result.out, re.MULTILINE) == ["1", "2", "3"]
    assert re.findall(r"^test problems \(step (\d)\)", result.out, re.MULTILINE) == ["0", "3"]
    history = read_teaching_history(folder)
    assert f"\n{headline(history)}\n\nThe report is {Path('taught/report.html')}\n" in result.out
    losses = [step.loss for step in history.steps]
    assert losses[-1] < losses[0]
    for sample in history.samples:
        number = re.search(r"Say (\d)\.", sample.prompt)[1]
        assert sample.answer == f"\\boxed{{{number}}}{END}"
        assert sample.prompt.endswith("<assistant>")

    assert "The model is taught/checkpoints/step-000003/model\n" in result.out
    assert "All 3 steps are done" in rlve("teach", "--resume", "taught").out
    assert rlve("report", "taught").code == 0


PAGE = Path(__file__).parents[2] / "docs" / "teaching.md"
PAGE_COMMANDS = re.findall(
    r"^    (rlve (?:model|teach|train|eval) .*)$",
    PAGE.read_text().partition("## What is taught")[0],
    re.MULTILINE,
)
CONTEXT = 1000  # of a model whose every byte is a token: below the limits of both runs


@pytest.fixture
def frugal(monkeypatch):
    """Commands whose defaults are cheap; what decides whether they work is as it is."""
    lesson, recipe, suite = cli_teach.teaching_config, cli_train.preset, suites.held_out_suite
    monkeypatch.setattr(cli_teach, "teaching_config", lambda model: frugal_lesson(lesson(model)))
    monkeypatch.setattr(cli_train, "preset", lambda name: frugal_recipe(recipe(name)))
    monkeypatch.setattr(suites, "held_out_suite", lambda: some_of(suite))
    learnt = {"loss": 1.0, "entropy": 1.0, "padding": 0.0}
    monkeypatch.setattr(TeachingRun, "_gradient", lambda self, batch: learnt)
    monkeypatch.setattr(_runs, "_report", lambda folder: None)


def frugal_lesson(config):
    return replace(
        config,
        data=replace(config.data, examples=1, levels=(0,)),
        validation=replace(config.validation, every=0),
        run=replace(config.run, workers=1),
    )


def frugal_recipe(config):
    rollout = replace(config.rollout, problems=1, oversample=1, rounds=1, group=2)
    run = replace(config.run, steps=1, workers=1)
    unmeasured = replace(config.validation, every=0)
    return replace(config, rollout=rollout, validation=unmeasured, run=run)


def some_of(suite):
    drawn = suite(count=1)
    return replace(drawn, questions=drawn.questions[:2])


def test_the_commands_of_the_page_run_as_printed(rlve, frugal, tmp_path, monkeypatch, caplog):
    model = tiny_llama(tied=True)
    model.config.max_position_embeddings = CONTEXT
    file = write_gguf(tmp_path / "tiny.gguf", model, template=TEMPLATE)
    file.rename(tmp_path / "SmolLM2-135M-Instruct.Q4_1.gguf")
    monkeypatch.chdir(tmp_path)
    assert [words.split()[1] for words in PAGE_COMMANDS] == ["model", "teach", "train", "eval"]
    for command in PAGE_COMMANDS:
        result = rlve(*command.split()[1:])
        assert result.code == 0, (command, result.err)
    cut = [message for message in caplog.messages if f"{CONTEXT:,} tokens" in message]
    assert len(cut) == 2  # in teaching and in training
    longer = rlve(*command.split()[1:-2], "--folder", "evals/longer")  # without --max-tokens
    assert "outputs are limited" in longer.err


LAPTOP = 600.0, 300.0  # tokens of SmolLM2-135M that are read and sampled in a second: 160 GFLOPS


class Enough(Exception):
    """What a run costs is known."""


def test_the_runs_of_the_page_fit_a_laptop(rlve, tmp_path, monkeypatch, tiny_gguf):
    found = []

    def finish(run):
        found.append(run.cost)
        raise Enough

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(costs, "speeds", lambda engine, make: LAPTOP)
    monkeypatch.setattr(costs, "examples", lambda policy: [[1] * 200])  # as many as SmolLM2 reads
    monkeypatch.setattr(BaseRun, "finish", finish)
    for command in PAGE_COMMANDS:
        if command.split()[1] in ("teach", "train"):
            words = [tiny_gguf if "/" in w or w == "smollm2" else w for w in command.split()[1:]]
            words[words.index("--run.folder") + 1] = tmp_path / command.split()[1]
            with pytest.raises(Enough):
                rlve(*words)
    taught, trained = found
    assert max(taught.measuring, trained.measuring) < 600
    assert taught.seconds < 3600
    assert trained.seconds < 2 * 3600


def test_a_gguf_file_is_taught_and_trained_as_it_is(taught, rlve, tiny_gguf, own_tasks):
    assert taught(tiny_gguf, "taught", "--validation.every", "0", steps=1).code == 0
    trained = rlve(
        *f"""train --policy.model {tiny_gguf} --policy.device cpu --data.environments
        own_tasks:Echo --data.max-prompt-tokens 300 --rollout.problems 2 --rollout.oversample 2
        --rollout.group 2 --rollout.rounds 1 --rollout.max-tokens 8 --validation.every 0
        --run.steps 1 --run.workers 1 --run.folder trained""".split()
    )
    assert trained.code == 0, trained.err


def test_what_is_wrong_is_one_clear_line(taught, tiny_gguf, own_tasks, rlve):
    for flags, message in (
        (["--data.environments", "Sortin"], "did you mean"),
        (["--data.without", "own_tasks:Echo"], "data.without leaves out everything"),
        (
            "--data.environments FBI_BinaryTree --data.levels 9999".split(),
            "no environment has any of",
        ),
        (["--resume", "nowhere"], "nowhere is not the folder of a run of teaching"),
    ):
        result = taught(tiny_gguf, "taught", *flags, steps=1)
        assert result.code == 2, flags
        assert result.err.startswith("rlve: ")
        assert result.err.count("\n") == 1
        assert message in result.err
    assert not (own_tasks / "taught").exists()


def test_the_defaults_are_those_of_the_model(rlve):
    assert "Sorting MinimalCyclicShift" in " ".join(rlve("teach", "--help").out.split())
    shown = " ".join(rlve("teach", "--policy.model", "some/model", "--help").out.split())
    assert "ALL" in shown
    assert teaching_config("some/model").data.without == ("HELD_OUT",)


# rlve model


def test_a_folder_has_all_that_a_model_needs(rlve, tmp_path, tiny_gguf):
    folder = tmp_path / "tiny"
    assert rlve("model", tiny_gguf, folder).code == 0
    names = {path.name for path in folder.iterdir()}
    assert {
        "config.json",
        "generation_config.json",
        "model.safetensors",
        "tokenizer.json",
        "tokenizer_config.json",
    } <= names
    settings = json.loads((folder / "config.json").read_text())
    assert settings["model_type"] == "llama"
    assert "quantization_config" not in settings
    read = load_policy(PolicyConfig(model=str(folder), device="cpu"), context=0)
    expected = load_policy(PolicyConfig(model=str(tiny_gguf), device="cpu"), context=0)
    assert read.format.name == "chat"
    assert read.stop_tokens == expected.stop_tokens
    assert load_file(folder / "model.safetensors").keys() <= expected.model.state_dict().keys()
    for name, weight in expected.model.state_dict().items():
        assert torch.equal(read.model.state_dict()[name], weight)


def test_a_folder_can_be_in_half_precision(rlve, tmp_path, tiny_gguf):
    assert rlve("model", tiny_gguf, tmp_path / "half", "--dtype", "bfloat16").code == 0
    assert rlve("model", tiny_gguf, tmp_path / "whole").code == 0
    half, whole = (load_file(tmp_path / name / "model.safetensors") for name in ("half", "whole"))
    assert {weight.dtype for weight in half.values()} == {torch.bfloat16}
    assert all(torch.equal(half[name], weight.bfloat16()) for name, weight in whole.items())
    read = load_policy(PolicyConfig(model=str(tmp_path / "half"), device="cpu"), context=0)
    assert read.model.dtype == torch.float32  # as everything that is trained


def test_what_cannot_be_made_is_said(rlve, tmp_path, tiny_gguf):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    (tmp_path / "broken.gguf").write_bytes(tiny_gguf.read_bytes()[:-1000])
    for source, folder, message in (
        (tiny_gguf, "full", "already exists; choose a new folder"),
        (tmp_path / "none.gguf", "new", "there is no file"),
        (tmp_path / "broken.gguf", "new", "broken.gguf"),
    ):
        result = rlve("model", source, tmp_path / folder)
        assert result.code == 2
        assert message in result.err
    assert not (tmp_path / "new").exists()
    assert not list(tmp_path.glob(".new*"))
