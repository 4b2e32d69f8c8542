import json
from dataclasses import asdict

import pytest
import torch

import rlve
from rlve.models.config import PolicyConfig
from rlve.models.locations import NANO
from rlve.models.policy import load_policy
from rlve.train.teaching import TeachingRun
from support.programs import load

nano_recipe = load("tools/nano.py")

TINY = nano_recipe.NanoConfig(
    environments=("Sorting",),
    highest=1,
    steps=2,
    batch=4,
    hidden=32,
    layers=1,
    vocabulary=600,
    context=512,
)


@pytest.fixture
def little_to_read(monkeypatch):
    monkeypatch.setattr(nano_recipe, "C16", ("Sorting",))
    monkeypatch.setattr(nano_recipe, "HELD_OUT", ())


def test_nano_is_made_by_teaching(little_to_read, tmp_path, monkeypatch):
    taught = []

    def teach(config, show):
        taught.append(config)
        return nano_recipe_teach(config)

    nano_recipe_teach = nano_recipe.teach
    monkeypatch.setattr(nano_recipe, "teach", teach)
    nano_recipe.make(TINY, tmp_path / "nano")
    [config] = taught
    assert (config.run.steps, config.update.schedule_steps) == (2, 500)
    assert config.data.names() == ["Sorting"]
    assert json.loads((tmp_path / "nano" / "made_with.json").read_text()) == {
        **asdict(TINY),
        "environments": ["Sorting"],
    }
    policy = load_policy(
        PolicyConfig(model=str(tmp_path / "nano"), format="plain", device="cpu"), context=512
    )
    problem = rlve.environment("Sorting").generate(difficulty=0, seed=1)
    assert len(policy.encode(problem)) < len(problem.prompt()) / 3  # it reads its own language
    assert policy.model.config.hidden_size == 32


def test_it_begins_from_nothing(little_to_read, tmp_path):
    tokenizer = nano_recipe.make_tokenizer(TINY)
    models = [nano_recipe.make_model(TINY, tokenizer) for _ in range(2)]
    assert all(map(torch.equal, models[0].parameters(), models[1].parameters()))
    models[0].save_pretrained(tmp_path / "start")
    tokenizer.save_pretrained(tmp_path / "start")
    config = nano_recipe.lesson(TINY, tmp_path / "start", tmp_path / "run")
    with TeachingRun(config) as run:
        first = run.train_step()
    assert first.loss == pytest.approx(torch.tensor(float(len(tokenizer))).log().item(), abs=0.5)
    assert first.left_out == {}


def test_the_embedded_nano_was_made_by_these_settings():
    made_with = json.loads((NANO / "made_with.json").read_text())
    assert made_with == {
        **asdict(nano_recipe.NanoConfig()),
        "environments": list(nano_recipe.NanoConfig().environments),
    }
