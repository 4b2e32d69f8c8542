"""What a command suggests next works as it is printed."""

import re
import shlex
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="training needs rlve[train]")


from rlve.cli._next_steps import after_export, after_teaching, after_training, typed
from rlve.cli.teach import prepare as prepare_teaching
from rlve.train.config import Config, DataConfig, RolloutConfig
from rlve.train.presets import preset
from rlve.train.teaching.config import LessonConfig, TeachingConfig, teaching_config

TEACHING = """--policy.model {model} --policy.format plain --policy.device cpu
    --data.environments own_tasks:Echo --data.examples 2 --data.levels 0 1
    --data.max-prompt-tokens 60 --data.max-answer-tokens 8 --update.warmup-steps 0
    --validation.every 0 --run.steps 1 --run.workers 1 --run.folder taught"""
SHORT = """--policy.device cpu --data.max-prompt-tokens 60 --rollout.problems 1
    --rollout.oversample 1 --rollout.group 2 --rollout.max-tokens 8 --validation.every 0
    --run.steps 1 --run.workers 1 --run.folder trained"""


@pytest.fixture(scope="module")
def tiny_policy(tmp_path_factory):
    from support.tiny import save_tiny_policy

    return save_tiny_policy(tmp_path_factory.mktemp("tiny"))


def suggested(result):
    """The commands after the last Next:, as words."""
    assert result.code == 0, result.err
    last = result.out.rpartition("Next: ")[2]
    commands = re.split(r", or | and then |\n", last.strip())
    assert all(command.startswith("rlve ") for command in commands)
    return [shlex.split(command)[1:] for command in commands]


@pytest.mark.parametrize("rank", [0, 2])
def test_from_teaching_to_an_evaluation_by_what_is_printed(rank, rlve, own_tasks, tiny_policy):
    if rank:
        pytest.importorskip("peft", reason="adapters need rlve[lora]")
    adapters = ["--policy.lora-rank", rank]
    taught = rlve("teach", *TEACHING.format(model=tiny_policy).split(), *adapters)
    *before, train = suggested(taught)
    assert [words[0] for words in before] == ["export"] * (rank > 0)
    assert train[:3] == ["train", "--preset", "smollm2-135m"]
    for words in before:
        assert rlve(*words).code == 0
    commands = suggested(rlve(*train, *SHORT.split(), *adapters))
    kinds = ["rollouts", "export", "frontier"] if rank else ["rollouts", "frontier"]
    assert [words[0] for words in commands] == kinds
    assert "--outputs" not in commands[-1]
    few = ["--outputs", 8, "--device", "cpu"]
    for words in commands:
        result = rlve(*words, *(few if words[0] == "frontier" else ()))
        assert result.code == 0, (words, result.err)
    # What was exported is measured by itself, too.
    (measure,) = suggested(rlve("export", "trained", "model"))
    assert measure[:2] == ["frontier", "model"]
    assert rlve(*measure, *few).code == 0


def test_what_makes_sense_depends_on_what_was_done(tmp_path):
    place = tmp_path / "checkpoints" / "step-000001"
    place.mkdir(parents=True)
    (place / "complete").touch()

    def told(**data):
        return after_training(Config(data=DataConfig(**data)), tmp_path, "chat")

    assert " --suite held-out" in told(environments=("C16",))
    assert " --suite dialogues" in told(environments=("D4",))
    assert " --suite held-out" in told(dataset=Path("questions.jsonl"))
    assert "rlve frontier " in told(environments=("Sorting",))
    assert "--max-tokens" not in told()
    assert "rlve frontier " in after_training(
        preset("nano"), tmp_path, "plain"
    )  # taught three tasks
    brief = Config(rollout=RolloutConfig(max_tokens=64))
    assert after_export(brief, tmp_path, "base").endswith("--max-tokens 64 --format base")
    assert "rlve train --preset nano " in after_teaching(teaching_config(), tmp_path, 10**6)
    lesson = TeachingConfig(data=LessonConfig(environments=("ALL",)))
    assert "--data.environments" not in after_teaching(lesson, tmp_path, 10**10)


def test_a_command_is_printed_as_it_can_be_typed(tmp_path, monkeypatch):
    own, other = tmp_path / "own" / "rlve", tmp_path / "other" / "rlve"
    for program in (own, other):
        program.parent.mkdir()
        program.touch(mode=0o755)
    monkeypatch.setattr(sys, "argv", [str(own)])
    for path, expected in (("", own), (own.parent, "rlve"), (other.parent, own)):
        monkeypatch.setenv("PATH", str(path))
        assert typed("list", "a b") == f"{expected} list 'a b'"
    monkeypatch.setattr(sys, "argv", ["pytest"])
    assert typed("list") == "rlve list"


def test_a_new_environment_is_taught_first(rlve, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = rlve("new", "RomanSum")
    (words,) = [line.split() for line in made.out.splitlines() if line.startswith("  rlve teach")]
    config = prepare_teaching(words[2:]).keywords["config"]
    assert config.policy.model == "nano"
    assert words[2:] == ["--data.environments", "roman_sum.py:RomanSum"]
