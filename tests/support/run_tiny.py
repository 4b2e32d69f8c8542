"""Train the tiny policy in a process of its own, so that a test can kill it."""

import sys
from pathlib import Path

import torch

import rlve
from rlve.models.config import PolicyConfig
from rlve.train.config import (
    Config,
    DataConfig,
    RolloutConfig,
    RunConfig,
    UpdateConfig,
    ValidationConfig,
)
from rlve.train.trainer import train
from support.successor import Successor

UNMEASURED = ValidationConfig(every=0)
MEASURED = ValidationConfig(levels=(0, 3), problems=6, every=2, temperatures=(1.0, 0.6))


def tiny_config(
    policy: Path,
    folder: Path | None,
    *,
    steps: int = 12,
    validation: ValidationConfig = UNMEASURED,
    **data,
) -> Config:
    return Config(
        policy=PolicyConfig(model=str(policy), format="plain", device="cpu"),
        data=DataConfig(environments=("Successor",), max_prompt_tokens=64, tau_acc=0.5, **data),
        # With 24 problems under way for a batch of 8, most steps leave partial rollouts behind.
        rollout=RolloutConfig(
            problems=8, oversample=24, group=8, max_tokens=20, rounds=2, slots=40
        ),
        update=UpdateConfig(learning_rate=1e-2, weight_decay=0.0, micro_batch_tokens=512),
        validation=validation,
        run=RunConfig(folder=folder, steps=steps, checkpoint_every=3, samples_every=4, workers=1),
    )


if __name__ == "__main__":
    torch.set_num_threads(1)
    rlve.register(Successor)
    policy, folder, resume = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3] == "resume"
    train(tiny_config(policy, folder, validation=MEASURED), resume=resume)
