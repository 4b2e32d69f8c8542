"""The real GRPOTrainer in this process."""

import json
import shutil

import pytest

pytest.importorskip("trl", reason="needs rlve[trl]; run make test-trl")

import torch
from peft import LoraConfig
from transformers import TrainerCallback

from rlve.errors import UserError
from rlve.integrations.trl import recipe
from support.trl_training import make, weights


@pytest.fixture(autouse=True)
def nothing_is_downloaded(monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


def logs(trainer, name):
    return [log[name] for log in trainer.state.log_history if name in log]


def batches_of(trainer):
    """The batches that TRL is given, from now on."""
    inner, batches = trainer.rollout_func, []

    def watched(prompts, trainer):
        batches.append(inner(prompts, trainer))
        return batches[-1]

    trainer.rollout_func = watched
    return batches


def test_the_difficulty_rises_on_an_easy_environment(tmp_path):
    trainer = make(tmp_path, steps=8, names=["MinimalCyclicShift"])
    before = weights(trainer)
    trainer.train()
    high = logs(trainer, "rlve/h")
    assert len(high) == 8
    assert high == sorted(high)
    assert high[-1] >= 2
    assert trainer.rollout_func.gym.curriculum.bounds("MinimalCyclicShift")[1] == high[-1]
    assert weights(trainer) != before


def test_batches_are_groups_with_signal_and_their_rewards_reach_trl(tmp_path):
    trainer = make(tmp_path, steps=3, gym={"rounds": 20})
    batches = batches_of(trainer)
    trainer.train()
    assert len(batches) == 3
    for batch in batches:
        assert "env_mask" not in batch
        assert len(batch["completion_ids"]) == 32
        for start in range(0, 32, 8):
            rows = batch["rlve_row"][start : start + 8]
            assert len({row.item.position for row in rows}) == 1
            assert len({row.reward for row in rows}) > 1
            prompts = batch["prompt_ids"][start : start + 8]
            text = trainer.processing_class.decode(prompts[0], skip_special_tokens=True)
            assert rows[0].item.problem.prompt() in text
            assert prompts == prompts[:1] * 8
        for row, output in zip(batch["rlve_row"], batch["completion_ids"], strict=True):
            text = trainer.processing_class.decode(output, skip_special_tokens=True)
            assert row.item.problem.verify(text).reward == row.reward
    means = [sum(row.reward for row in batch["rlve_row"]) / 32 for batch in batches]
    assert logs(trainer, "rewards/rlve/mean") == pytest.approx(means, abs=1e-5)
    assert logs(trainer, "frac_reward_zero_std") == [0, 0, 0]
    assert logs(trainer, "rlve/trained") == [4, 4, 4]


def test_groups_without_signal_teach_nothing_and_are_counted(tmp_path):
    """Nearly greedy sampling gives the same output eight times over, so there is never signal."""
    trainer = make(tmp_path, steps=2, temperature=1e-4, weight_decay=0.0, gym={"rounds": 3})
    before = weights(trainer)
    batches = batches_of(trainer)
    trainer.train()
    assert logs(trainer, "rlve/groups") == [12, 12]  # three rounds of four
    assert logs(trainer, "rlve/effective_prompt_ratio") == [0, 0]
    assert logs(trainer, "rlve/trained") == [0, 0]
    assert all(not any(map(any, batch["env_mask"])) for batch in batches)
    assert weights(trainer) == before
    assert max(logs(trainer, "rlve/h")) > 0  # what is always solved moves the curriculum on


def test_filled_up_rows_do_not_change_the_loss(tmp_path):
    """A batch that is filled up trains as if it held nothing but its groups with signal."""

    def gradient(masked):
        trainer = make(tmp_path, steps=1, problems=2, per_device_train_batch_size=16)
        generated = {
            "prompt_ids": [[2, 3, 4]] * 16,
            "completion_ids": [[10 + i, 11, 12, 1][: 2 + i % 3] for i in range(16)],
            "logprobs": None,
        }
        rewards = [0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0] + [1.0] * 8  # no signal in the second
        if masked:
            lengths = map(len, generated["completion_ids"])
            generated["env_mask"] = [[int(i < 8)] * length for i, length in enumerate(lengths)]
        trainer.rollout_func = lambda prompts, trainer: dict(generated)
        trainer.reward_funcs = [lambda **columns: rewards]
        norms = []

        class Norm(TrainerCallback):
            def on_pre_optimizer_step(self, args, state, control, model, **others):
                norms.append([p.grad.clone() for p in model.parameters() if p.grad is not None])

        trainer.args.max_grad_norm = 0.0
        trainer.add_callback(Norm())
        trainer.train()
        tokens = sum(map(len, generated["completion_ids"]))
        kept = sum(map(len, generated["completion_ids"][:8]))
        return norms[0], tokens / kept

    plain, ratio = gradient(masked=False)
    filled, _ = gradient(masked=True)
    for one, other in zip(plain, filled, strict=True):
        torch.testing.assert_close(one * ratio, other, rtol=1e-3, atol=1e-6)


@pytest.mark.parametrize(
    ("settings", "updates", "steps"),
    [
        ({"num_iterations": 2}, 4, 2),
        ({"steps_per_generation": 4, "gradient_accumulation_steps": 2}, 4, 2),
        ({"steps_per_generation": 1, "gradient_accumulation_steps": 2}, 2, 4),
    ],
    ids=["a batch is used twice", "a batch for two updates", "two batches for an update"],
)
def test_the_curriculum_steps_once_for_each_generation_batch(tmp_path, settings, updates, steps):
    trainer = make(tmp_path, steps=updates, **settings)
    stepped = []
    step = trainer.rollout_func.gym.step
    trainer.rollout_func.gym.step = lambda: stepped.append(1) or step()
    trainer.train()
    assert trainer.state.global_step == updates
    assert len(stepped) == steps


def test_a_resumed_run_with_several_updates_for_a_batch(tmp_path):
    settings = {"num_iterations": 2, "save_strategy": "steps", "save_steps": 2}
    whole = make(tmp_path / "whole", steps=4, **settings)
    whole.train()
    shutil.copytree(tmp_path / "whole" / "checkpoint-2", tmp_path / "again" / "checkpoint-2")
    again = make(tmp_path / "again", steps=4, **settings)
    again.train(resume_from_checkpoint=True)
    assert again.rollout_func.gym.state_dict() == whole.rollout_func.gym.state_dict()
    assert weights(again) == weights(whole)


def test_a_run_goes_on_from_the_state_in_trls_own_checkpoint(tmp_path):
    """Also if transformers makes the callback again from its state, which it does if asked to."""
    trainer = make(tmp_path, steps=2, save_strategy="steps", save_steps=1)
    trainer.train()
    state = trainer.rollout_func.gym.state_dict()
    saved = json.loads((tmp_path / "checkpoint-2" / "trainer_state.json").read_text())
    assert saved["stateful_callbacks"]["RlveState"]["attributes"]["gym"] == state
    shutil.rmtree(tmp_path / "checkpoint-2")
    again = make(tmp_path, steps=2, restore_callback_states_from_checkpoint=True)
    again.train(resume_from_checkpoint=True)
    assert again.rollout_func.gym.state_dict() == state
    assert weights(again) == weights(trainer)


def test_lora_trains_its_adapters_alone(tmp_path):
    config = LoraConfig(r=4, lora_alpha=8, target_modules="all-linear")
    trainer = make(tmp_path, steps=2, peft_config=config, learning_rate=1e-3)
    before = {name: weight.clone() for name, weight in trainer.model.state_dict().items()}
    trainer.train()
    after = trainer.model.state_dict()
    moved = {name for name, weight in after.items() if (weight != before[name]).any()}
    assert moved
    assert all("lora_" in name for name in moved)


def test_a_checkpoint_without_a_curriculum_is_refused(tmp_path):
    trainer = make(tmp_path, steps=1, save_strategy="steps", save_steps=1)
    trainer.train()
    place = tmp_path / "checkpoint-1" / "trainer_state.json"
    state = json.loads(place.read_text())
    del state["stateful_callbacks"]["RlveState"]
    place.write_text(json.dumps(state))
    with pytest.raises(UserError, match="not made by rlve_trainer"):
        make(tmp_path, steps=2).train(resume_from_checkpoint=True)


def test_chat_models_and_long_prompts(tmp_path):
    trainer = make(tmp_path, steps=1, gym={"format": "chat", "max_prompt_tokens": 90})
    batches = batches_of(trainer)
    trainer.train()
    texts = trainer.processing_class.batch_decode(batches[0]["prompt_ids"])
    assert all("inside \\boxed{}" in text for text in texts)
    assert all(len(prompt) <= 90 for prompt in batches[0]["prompt_ids"])


def test_the_table_of_completions_says_what_was_asked(tmp_path):
    trainer = make(tmp_path, steps=1, log_completions=True)
    batches = batches_of(trainer)
    trainer.train()
    import pandas

    table = pandas.read_parquet(next(tmp_path.glob("completions/*.parquet")))
    rows = batches[0]["rlve_row"]
    assert list(table["environment"]) == [row.item.name for row in rows]
    assert list(table["difficulty"]) == [row.item.difficulty for row in rows]
    assert list(table["problem"]) == [row.item.problem.prompt() for row in rows]
    assert list(table["rlve"]) == pytest.approx([row.reward for row in rows])


def test_the_recipe_is_the_papers(tmp_path):
    args = recipe(output_dir=str(tmp_path), max_steps=10, use_cpu=True, bf16=False)
    assert args.num_generations == 16
    assert args.generation_batch_size == 128 * 16
    assert args.steps_per_generation == args.gradient_accumulation_steps == 2048
    assert (args.epsilon, args.epsilon_high, args.beta) == (0.2, 0.28, 0.0)
    assert (args.loss_type, args.scale_rewards, args.temperature) == ("dapo", "group", 1.0)
    assert (args.adam_beta1, args.adam_beta2, args.weight_decay) == (0.9, 0.98, 0.01)
    assert (args.vllm_importance_sampling_mode, args.vllm_importance_sampling_clip_max) == (
        "token_truncate",
        2.0,
    )
