"""An exported folder computes what the checkpoint computes; its card says what the run says."""

import errno
import json
import shutil
from contextlib import contextmanager
from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch
import yaml
from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaForCausalLM

import rlve
from rlve.cli import main
from rlve.models.config import PolicyConfig
from rlve.models.folders import new_folder
from rlve.models.locations import NANO
from rlve.models.policy import load_policy
from rlve.reports.accuracy import by_level, sentence
from rlve.reports.model_card import model_card
from rlve.train.config import Config
from rlve.train.config_files import overlay
from rlve.train.history import read_validations
from rlve.train.teaching import teach
from rlve.train.teaching.config import (
    LessonConfig,
    TeachingConfig,
    TeachingUpdateConfig,
    TeachingValidationConfig,
)
from rlve.train.trained_models import export_model, find_trained
from rlve.train.trainer import train
from support.markdown import blocks
from support.run_tiny import MEASURED, tiny_config

TOKENS = torch.tensor([[3, 7, 4, 9, 5]])
MODEL_FILES = {"config.json", "generation_config.json", "model.safetensors", "tokenizer.json"}


@pytest.fixture(scope="module")
def whole(tiny_policy, tmp_path_factory):
    """The folder of a run of all weights, with checkpoints after steps 3 and 4."""
    folder = tmp_path_factory.mktemp("runs") / "whole"
    train(tiny_config(tiny_policy, folder, steps=4, validation=MEASURED))
    return folder


@pytest.fixture(scope="module")
def adapted(tiny_policy, tmp_path_factory):
    """The same with adapters, not measured."""
    pytest.importorskip("peft", reason="adapters need rlve[lora]")
    folder = tmp_path_factory.mktemp("runs") / "adapted"
    config = tiny_config(tiny_policy, folder, steps=3)
    train(replace(config, policy=replace(config.policy, lora_rank=4)))
    return folder


@pytest.fixture(scope="module")
def taught(tiny_policy, tmp_path_factory):
    """A run of teaching."""
    folder = tmp_path_factory.mktemp("runs") / "taught"
    config = TeachingConfig(
        policy=PolicyConfig(model=str(tiny_policy), format="plain", device="cpu"),
        data=LessonConfig(
            environments=("Successor",),
            without=(),
            levels=(0, 3),
            examples=4,
            max_prompt_tokens=64,
            max_answer_tokens=20,
        ),
        update=TeachingUpdateConfig(learning_rate=1e-2),
        validation=TeachingValidationConfig(levels=(0, 3), problems=3),
    )
    teach(replace(config, run=replace(config.run, folder=folder, steps=2, workers=1)))
    return folder


def exported(run, folder, *words):
    assert main(["export", str(run), str(folder), *map(str, words)]) == 0
    return folder


def logits(model):
    with torch.no_grad():
        return model.eval()(TOKENS).logits


def loaded(folder):
    return AutoModelForCausalLM.from_pretrained(folder, trust_remote_code=False)


def front_matter(card):
    return next(yaml.safe_load_all(card.split("\n---\n")[0]))


# The model.


def test_all_weights_compute_what_the_checkpoint_computes(whole, tmp_path):
    folder = exported(whole, tmp_path / "out")
    assert {path.name for path in folder.iterdir()} >= {*MODEL_FILES, "README.md"}
    expected = loaded(whole / "checkpoints" / "step-000004" / "model")
    assert torch.equal(logits(loaded(folder)), logits(expected))
    text = "1 2 3"
    before = AutoTokenizer.from_pretrained(whole / "checkpoints" / "step-000004" / "model")
    assert AutoTokenizer.from_pretrained(folder)(text) == before(text)


def test_an_earlier_checkpoint(whole, tmp_path):
    folder = exported(whole, tmp_path / "out", "--checkpoint", 3)
    earlier, later = (
        loaded(whole / "checkpoints" / f"step-00000{step}" / "model") for step in (3, 4)
    )
    assert torch.equal(logits(loaded(folder)), logits(earlier))
    assert not torch.equal(logits(earlier), logits(later))
    card = (folder / "README.md").read_text()
    assert "3 of 4 steps in " in card
    assert "This model is from step 3. Accuracy was last measured after step 2." in card
    assert "\nIn 3 steps and " in card


def policy_of(run):
    """The policy as a run would go on with it."""
    trained = find_trained(run)
    policy = load_policy(trained.config.policy, context=0)
    policy.load_weights(trained.checkpoint / "model")
    return policy


def test_adapters_are_merged_into_the_weights(adapted, tmp_path):
    folder = exported(adapted, tmp_path / "out")
    assert not list(folder.glob("adapter*"))
    expected = logits(policy_of(adapted).model)
    assert torch.allclose(logits(loaded(folder)), expected, atol=1e-5)
    original = loaded(find_trained(adapted).config.policy.model)
    assert not torch.allclose(logits(original), expected, atol=1e-3)


def test_adapters_alone(adapted, tmp_path, capsys):
    from peft import AutoPeftModelForCausalLM

    folder = exported(adapted, tmp_path / "out", "--adapter")
    assert not (folder / "model.safetensors").exists()
    model = AutoPeftModelForCausalLM.from_pretrained(folder)
    assert torch.allclose(logits(model), logits(policy_of(adapted).model), atol=1e-6)
    card = (folder / "README.md").read_text()
    assert front_matter(card)["library_name"] == "peft"
    assert "lora" in front_matter(card)["tags"]
    run_code(card, folder, capsys)


def test_half_precision_takes_half(whole, tmp_path):
    folder = exported(whole, tmp_path / "out", "--dtype", "bfloat16")
    model = loaded(folder)
    assert {parameter.dtype for parameter in model.parameters()} == {torch.bfloat16}
    expected = loaded(whole / "checkpoints" / "step-000004" / "model")
    assert torch.allclose(logits(model.float()), logits(expected), atol=0.1)


def test_it_samples_as_it_was_measured(whole, adapted, tmp_path):
    measured = json.loads((exported(whole, tmp_path / "a") / "generation_config.json").read_text())
    assert (measured["temperature"], measured["top_p"], measured["top_k"]) == (0.6, 0.95, 0)
    assert measured["do_sample"] is True
    assert measured["eos_token_id"] == 1
    plain = json.loads((exported(adapted, tmp_path / "b") / "generation_config.json").read_text())
    assert (plain["temperature"], plain["top_p"]) == (1.0, 1.0)  # those of training


# The card.


def run_code(card, folder, capsys):
    """Run the code of a card where it lies, and return what it prints."""
    code = [block.text for block in blocks(card) if block.language == "python"]
    assert len(code) == 1
    capsys.readouterr()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        exec(compile(code[0], "README.md", "exec"), {})
    return capsys.readouterr().out


def test_the_numbers_are_those_of_the_run(whole, tmp_path, capsys):
    folder = exported(whole, tmp_path / "tiny-model")
    card = (folder / "README.md").read_text()
    records = read_validations(whole)
    headings, rows = by_level(records)
    for row in (headings, *rows):
        assert f"\n| {' | '.join(row)} |\n" in card
    assert sentence(records) in card
    assert "# tiny-model" in card
    assert rlve.__version__ in card
    assert str(whole.parent) not in card
    assert str(find_trained(whole).config.policy.model) not in card
    run_code(card, folder, capsys)


def test_without_a_measurement_it_says_so(adapted):
    card = model_card(find_trained(adapted), "x")
    assert "Accuracy on test problems was not measured." in card
    assert "None" not in card


def test_a_run_of_teaching(taught, tmp_path, capsys):
    folder = exported(taught, tmp_path / "out", "--license", "apache-2.0", "--base-model", "a/b")
    expected = loaded(taught / "checkpoints" / "step-000002" / "model")
    assert torch.equal(logits(loaded(folder)), logits(expected))
    card = (folder / "README.md").read_text()
    assert sentence(read_validations(taught)) in card
    assert "Trained from a/b on right answers" in card
    assert front_matter(card) == {
        "base_model": "a/b",
        "base_model_relation": "finetune",
        "library_name": "transformers",
        "pipeline_tag": "text-generation",
        "license": "apache-2.0",
        "tags": ["rlve", "sft"],
    }
    run_code(card, folder, capsys)


def test_a_model_hub_reads_the_front_matter(whole, tmp_path):
    from huggingface_hub import ModelCard

    folder = exported(whole, tmp_path / "out")
    found = ModelCard.load(folder / "README.md").data
    assert found.library_name == "transformers"
    assert found.tags == ["rlve", "reinforcement-learning", "dapo"]
    assert found.get("license") is None
    assert found.get("base_model") is None  # it was a folder
    assert found.get("datasets") is None


def settings_of(card):
    return yaml.safe_load(card.split("```yaml\n")[1].split("\n```\n")[0])


def test_the_settings_make_the_same_run_again(whole):
    config = find_trained(whole).config
    card = model_card(find_trained(whole), "x")
    again = overlay(Config(), settings_of(card), what="the card")
    model, run = config.policy.model, replace(config.run, folder=None)
    assert replace(again, policy=replace(again.policy, model=model)) == replace(config, run=run)


def test_no_code_is_loaded_that_the_settings_name_and_no_folder_is_told(whole, tmp_path):
    run = shutil.copytree(whole, tmp_path / "run")
    (tmp_path / "own.py").write_text(f"open({str(tmp_path / 'mark')!r}, 'w')")
    stored = json.loads((run / "config.json").read_text())
    stored["data"]["environments"] = [f"{tmp_path}/own.py:Mine", "NoLongerHere"]
    stored["data"]["curriculum"] = f"{tmp_path}/own.py:Theirs"
    stored["policy"]["stop_strings"] = ["</answer>"]
    (run / "config.json").write_text(json.dumps(stored))
    trained = find_trained(run)
    data = replace(trained.config.data, dataset=tmp_path / "questions.jsonl")
    card = model_card(replace(trained, config=replace(trained.config, data=data)), "x")
    assert not (tmp_path / "mark").exists()
    told = settings_of(card)
    assert told["data"]["environments"] == ["own.py:Mine", "NoLongerHere"]
    assert told["data"]["curriculum"] == "own.py:Theirs"
    assert told["data"]["dataset"] == "questions.jsonl"
    assert told["policy"]["stop_strings"] == ["</answer>"]
    assert str(tmp_path) not in card


def chatting(folder, **policy):
    """nano, put to a chat template of its own for a step."""
    shutil.copytree(NANO, folder / "model")
    template = "{% for m in messages %}{{ m.role }}: {{ m.content }} {% endfor %}{{ extra }}"
    (folder / "model" / "chat_template.jinja").write_text(template)
    config = tiny_config(folder / "model", folder / "run", steps=1)
    config = replace(
        config,
        policy=replace(config.policy, format="auto", **policy),
        data=replace(config.data, environments=("Successor", "Sorting"), max_prompt_tokens=512),
        rollout=replace(config.rollout, problems=2, oversample=2, group=2, max_tokens=4),
    )
    train(config)
    return folder / "run"


def test_the_code_puts_a_problem_as_it_was_put_in_training(tmp_path, capsys):
    run = chatting(
        tmp_path,
        system_prompt='Say "{problem}".',
        template_arguments=("extra=7",),
        stop_strings=("</answer>",),
    )
    folder = exported(run, tmp_path / "out")
    card = (folder / "README.md").read_text()
    assert "stop_strings=['</answer>']" in card
    asked = {}
    generate = LlamaForCausalLM.generate

    def spied(model, *arguments, input_ids, **options):
        asked["tokens"] = input_ids[0].tolist()
        return generate(model, *arguments, input_ids=input_ids, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LlamaForCausalLM, "generate", spied)
        run_code(card, folder, capsys)
    problem = rlve.environment("Sorting").generate(difficulty=0, seed=0)
    assert asked["tokens"] == policy_of(run).encode(problem)


def test_earlier_runs_are_followed_to_their_beginning(taught, whole, tmp_path, monkeypatch):
    def card_of(model):
        trained = find_trained(whole)
        policy = replace(trained.config.policy, model=str(model))
        return model_card(replace(trained, config=replace(trained.config, policy=policy)), "x")

    begin = json.loads((taught / "config.json").read_text())["policy"]["model"].split("/")[-1]
    after = card_of(taught / "checkpoints" / "step-000002" / "model")
    assert f"Trained from {begin} by" in after
    assert front_matter(card_of("nano"))["license"] == "mit"
    assert "Trained from gone by" in card_of("gone/checkpoints/step-000007/model")
    itself = tmp_path / "itself" / "checkpoints" / "step-000001" / "model"
    itself.mkdir(parents=True)
    settings = {"kind": "train", "policy": {"model": str(itself)}}
    (tmp_path / "itself" / "config.json").write_text(json.dumps(settings))
    assert "Trained from itself by" in card_of(itself)
    # Only what the hub knows is named as a model of the hub.
    monkeypatch.setattr("huggingface_hub.get_hf_file_metadata", lambda url, *, timeout: None)
    assert front_matter(card_of("some/model"))["base_model"] == "some/model"

    def unreachable(url, *, timeout):
        raise OSError("no network")

    monkeypatch.setattr("huggingface_hub.get_hf_file_metadata", unreachable)
    assert "base_model" not in front_matter(card_of("some/model"))


# What cannot be exported.


@pytest.mark.parametrize(
    ("spoil", "words", "complaint"),
    [
        (lambda run: None, ["--checkpoint", "9"], "no checkpoint of step 9; it has those of 3, 4"),
        (lambda run: shutil.rmtree(run / "checkpoints"), [], "has no checkpoint yet"),
        (lambda run: (run / "config.json").unlink(), [], "is not the folder of a training run"),
        (
            lambda run: (run / "config.json").write_text('{"policy": {}}'),
            [],
            "is not the folder of a training run, a run of teaching",
        ),
        (
            lambda run: (run / "checkpoints/step-000004/model/model.safetensors").write_text("?"),
            [],
            "step-000004 is damaged (model/model.safetensors has changed since it was written)",
        ),
        (lambda run: None, ["--adapter"], "has no adapter: it trained all weights"),
        (shutil.rmtree, [], "there is no folder"),
    ],
)
def test_what_cannot_be_exported_is_refused(whole, tmp_path, capsys, spoil, words, complaint):
    run = shutil.copytree(whole, tmp_path / "run")
    spoil(run)
    assert main(["export", str(run), str(tmp_path / "out"), *words]) == 2
    assert complaint in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
    assert not list(tmp_path.glob(".out*"))


def test_a_folder_that_is_not_empty_is_left_alone(whole, tmp_path, capsys):
    (tmp_path / "mine").write_text("precious")
    assert main(["export", str(whole), str(tmp_path)]) == 2
    assert "already exists; choose a new folder" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_what_breaks_off_leaves_nothing(whole, tmp_path, monkeypatch):
    trained = find_trained(whole)
    broken = SimpleNamespace(encode=lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        export_model(trained, tmp_path / "out", card=broken)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "error", [OSError(errno.ENOSPC, "No space left on device"), Exception("No space left")]
)
def test_a_full_disk_is_said_and_leaves_nothing(tmp_path, error):
    @contextmanager
    def failing():
        with new_folder(tmp_path / "made") as draft:
            (draft / "tokenizer.json").touch()
            yield

    with pytest.raises(rlve.UserError, match="made could not be written: No space left"), failing():
        raise error
    assert not list(tmp_path.iterdir())
