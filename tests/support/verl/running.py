"""Runs the real main_ppo on the CPU, and reads what it left behind."""

import json
import os
import subprocess
from collections import defaultdict
from pathlib import Path

import torch

from rlve.contract import Verdict
from rlve.gym import Gym
from rlve.integrations.verl.launch import command
from rlve.integrations.verl.recipe import Recipe

HERE = Path(__file__).parent

SMALL = {
    "actor_rollout_ref.rollout.name": "cpu",
    "actor_rollout_ref.rollout.dtype": "float32",
    "actor_rollout_ref.rollout.agent.num_workers": 1,
    "actor_rollout_ref.actor.use_torch_compile": False,
    "actor_rollout_ref.actor.fsdp_config.use_torch_compile": False,
    "actor_rollout_ref.model.use_remove_padding": False,
    "actor_rollout_ref.model.enable_gradient_checkpointing": False,
    "+actor_rollout_ref.model.override_config.attn_implementation": "sdpa",
    "+trainer.v1.sampler.sampler_kwargs.poll_interval": 0.1,
    "trainer.device": "cpu",
    "transfer_queue.backend.SimpleStorage.num_data_storage_units": 1,
    "reward.num_workers": 1,
    "ray_kwargs.ray_init.num_cpus": 32,
    "+ray_kwargs.ray_init.include_dashboard": False,
    "+ray_kwargs.ray_init.object_store_memory": 200_000_000,
}


def recipe(folder: Path, **others) -> Recipe:
    """nano, on what it was taught, in batches of 4 problems x 4 rollouts."""
    settings = {
        "model": "nano",
        "environments": ("Sorting", "MinimalCyclicShift"),
        "gpus": 1,
        "format": "plain",
        "problems": 4,
        "oversample": 8,
        "group": 4,
        "max_prompt_tokens": 512,
        "max_tokens": 48,
        "workers": 1,
        "log_to": ("console", "file"),
    }
    return Recipe(folder=folder, **settings | others)


def train(plan: Recipe, ray_folder: Path, seconds_per_token: float = 0) -> list[dict[str, float]]:
    """Run main_ppo with the recipe, and return the metrics of its steps."""
    place = plan.place
    place.mkdir(parents=True, exist_ok=True)
    given = SMALL | {
        "+ray_kwargs.ray_init.num_gpus": plan.gpus,
        "+ray_kwargs.ray_init._temp_dir": ray_folder,  # short: Ray puts sockets there
        "reward.custom_reward_function.path": HERE / "watching.py",
        "trainer.v1.sampler.custom_sampler.path": HERE / "watching.py",
    }
    metrics = place / "metrics.jsonl"
    environment = os.environ | {
        "PYTHONPATH": str(HERE),
        "OMP_NUM_THREADS": "1",
        "HF_HUB_OFFLINE": "1",
        "VERL_USE_EXTERNAL_MODULES": "cpu_platform",
        "VERL_PLATFORM": "cpu",
        "VERL_ENGINE_DEVICE": "cuda",
        "VERL_FILE_LOGGER_PATH": str(metrics),
        "WATCH": str(place),
        "SECONDS_PER_TOKEN": str(seconds_per_token),
    }
    words = command(plan, [f"{key}={value}" for key, value in given.items()])
    done = subprocess.run(
        words,
        env=environment,
        check=False,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=900,
    )
    (place / "output.log").write_text(done.stdout)
    assert done.returncode == 0, done.stdout[-5000:]
    return [line["data"] for line in _lines(metrics)]


def saved(plan: Recipe, step: int) -> dict:
    """The state of the gym in verl's checkpoint of a step."""
    data = torch.load(plan.place / f"global_step_{step}" / "data.pt", weights_only=False)
    return data["dataset_state"]


def judged(plan: Recipe) -> dict[int, list[dict]]:
    """What the reward workers judged, by the position of the problem in the stream."""
    groups = defaultdict(list)
    for line in _lines(plan.place / "judged.jsonl"):
        groups[line["position"]].append(line)
    return groups


def counted(plan: Recipe) -> list[dict]:
    """What the replay buffer counted, and all groups it was shown."""
    return _lines(plan.place / "counted.jsonl")


def replayed(plan: Recipe, groups: list[int]) -> dict:
    """The state that a gym by itself comes to, given the verdicts that were judged.

    `groups` are the numbers of groups that finished in each step. Steps must not overlap.
    """
    outcomes = judged(plan)
    with Gym(
        plan.environments,
        group=plan.group,
        seed=plan.seed,
        format=plan.format,
        curriculum=plan,
        workers=1,
    ) as gym:
        for count in groups:
            for item in gym.take(count):
                its = outcomes.pop(item.position)
                drawn = {(each["environment"], each["difficulty"], each["seed"]) for each in its}
                assert drawn == {(item.name, item.difficulty, item.seed)}
                assert len(its) == plan.group
                verdicts = [Verdict(**each["verdict"]) for each in its]
                gym.count(item.name, item.difficulty, verdicts)
            gym.step()
        assert not outcomes, "rollouts were judged that no step counted"
        return gym.state_dict()


def _lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]
