"""The recipes of other trainers carry every setting of the curriculum, as it is."""

import json

import pytest

from rlve.errors import UserError
from rlve.foundation.files import settings_from
from rlve.integrations.slime.recipe import Recipe as SlimeRecipe
from rlve.integrations.slime.settings import Settings
from rlve.integrations.verl.recipe import Recipe as VerlRecipe

OWN = """
import rlve


class Mine(rlve.StaticCurriculum):
    def __init__(self, names, settings):
        super().__init__(names, 0, 3)
"""

CHOICE = {
    "curriculum": "two-way",
    "target": 0.6,
    "rehearsal": 0.2,
    "weights": {"Sorting": 2.0, "Division": 0.5},
}


def test_slime_is_told_of_the_curriculum():
    recipe = SlimeRecipe(model="m", environments=("C4",), **CHOICE)
    recipe.check()
    told = settings_from(Settings, json.loads(recipe.variables()["RLVE_SLIME"]), what="it")
    assert {name: getattr(told, name) for name in CHOICE} == CHOICE
    assert told.build(["Sorting", "Division"], group=4).names


def test_verl_is_told_of_the_curriculum():
    words = VerlRecipe(model="m", environments=("C4",), **CHOICE).overrides()
    assert "+data.rlve.curriculum=two-way" in words
    assert "+data.rlve.rehearsal=0.2" in words
    assert "+data.rlve.weights={Sorting:2.0,Division:0.5}" in words
    assert "+data.rlve.weights={}" in VerlRecipe(model="m", environments=("C4",)).overrides()


@pytest.mark.parametrize("recipe", [SlimeRecipe, VerlRecipe])
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"curriculum": "none"}, "the curricula are adaptive, two-way"),
        ({"weights": {"SAT": 2}}, "which is not trained on"),
        ({"environments": ()}, "no environments were given"),
        ({"environments": ("Sortin",)}, "did you mean 'Sorting'"),
        ({"problems": 400}, r"--oversample \(384\) must be at least --problems \(400\)"),
        ({"tensor_parallel": 3}, "8 GPUs do not divide into groups of --tensor-parallel 3"),
        ({"group": 1}, "--group must be at least 2, not 1"),
    ],
)
def test_what_cannot_work_is_said_before_anything_starts(recipe, settings, message):
    with pytest.raises(UserError, match=message):
        recipe(**{"model": "m", "environments": ("C4",)} | settings).check()


@pytest.mark.parametrize("recipe", [SlimeRecipe, VerlRecipe])
def test_a_class_of_ones_own_is_found_from_every_folder(recipe, tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    made = recipe(model="m", environments=("C4",), curriculum="mine.py:Mine")
    made.check()
    assert made.options()["curriculum"] == f"{tmp_path / 'mine.py'}:Mine"


def test_a_value_of_other_letters_is_quoted_for_verl():
    words = VerlRecipe(model="modèle", environments=("C4",)).overrides()
    assert "actor_rollout_ref.model.path='modèle'" in words


@pytest.mark.parametrize("recipe", [SlimeRecipe, VerlRecipe])
def test_limits_are_cut_to_the_context_of_a_model_that_is_here(recipe, tmp_path, caplog):
    asked = recipe(model=str(tmp_path), environments=("C4",))
    assert asked.fitted() is asked  # nothing is known of the model
    for settings in ({"max_position_embeddings": 8192}, {"max_position_embeddings": 40_000}):
        (tmp_path / "config.json").write_text(json.dumps(settings))
        fitted = asked.fitted()
        wide = settings["max_position_embeddings"] == 40_000
        limits = (4096, 24_576) if wide else (4096, 4096)
        assert (fitted.max_prompt_tokens, fitted.max_tokens) == limits
    assert caplog.text.count("limited to 4,096 and outputs to 4,096, rather than to 4,096 and") == 1
    (tmp_path / "config.json").write_text('{"text_config": {"max_position_embeddings": 100}}')
    assert asked.fitted().max_tokens == 50
