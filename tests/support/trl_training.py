"""A short run of the real GRPOTrainer with nano on the CPU, in this process or under torchrun.

    torchrun --standalone --nproc_per_node 2 training.py '{"folder": ..., "steps": 4}'

Every rank leaves what it ended with, and what it saw, in the folder.
"""

import hashlib
import json
import os
import sys
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import torch
from transformers import TrainerCallback

from rlve.curricula import CurriculumSettings
from rlve.integrations.trl import recipe, rlve_trainer

NAMES = ["Sorting", "MinimalCyclicShift", "ABProgramSimulation"]


def make(folder, *, steps, names=NAMES, peft_config=None, callbacks=None, gym=None, **settings):
    """A trainer with small batches: 4 problems, 8 rollouts each."""
    torch.set_num_threads(1)
    plain = {
        "problems": 4,
        "group": 8,
        "per_device_train_batch_size": 16,
        "max_completion_length": 48,
        "learning_rate": 1e-4,
        "save_strategy": "no",
        "use_cpu": True,
        "bf16": False,
        "gradient_checkpointing": False,
        "report_to": "none",
        "disable_tqdm": True,
    }
    args = recipe(output_dir=str(folder), max_steps=steps, **(plain | settings))
    curriculum = CurriculumSettings(tau_num=16, tau_acc=0.6)
    gym = {"format": "plain", "curriculum": curriculum, "workers": 1, "deadline": 60} | (gym or {})
    return rlve_trainer("nano", names, args, peft_config=peft_config, callbacks=callbacks, **gym)


def weights(trainer):
    """A digest of all weights, adapters included."""
    digest = hashlib.sha256()
    for name, weight in sorted(trainer.model.state_dict().items()):
        digest.update(name.encode() + weight.detach().cpu().float().numpy().tobytes())
    return digest.hexdigest()


def watch(trainer):
    """The verdicts that are found here, and what the curriculum is told, from now on."""
    gym = trainer.rollout_func.gym
    found, told = [], []
    judge, observe = gym.judge, gym.curriculum.observe_group

    def judged(outputs):
        pairs = list(outputs)
        verdicts = judge(pairs)
        found.extend(
            (type(problem).__name__, verdict.correct)
            for (problem, _), verdict in zip(pairs, verdicts, strict=True)
        )
        return verdicts

    def observed(name, difficulty, correct, rewards):
        told.extend((name, each) for each in correct)
        observe(name, difficulty, correct, rewards)

    gym.judge, gym.curriculum.observe_group = judged, observed
    return found, told


class Crash(TrainerCallback):
    """Kills the process after a step, as a power cut does."""

    def __init__(self, step):
        self.step = step

    def on_step_end(self, args, state, control, **others):
        if state.global_step == self.step:
            os._exit(17)


def main(folder, *, crash=None, resume=False, **settings):
    trainer = make(folder, callbacks=[Crash(crash)] if crash else None, **settings)
    found, told = watch(trainer)
    trainer.train(resume_from_checkpoint=resume or None)
    gym = trainer.rollout_func.gym
    logged = [{k: v for k, v in log.items() if "rlve" in k} for log in trainer.state.log_history]
    seen = {
        "weights": weights(trainer),
        "state": gym.state_dict(),
        "found": found,
        "told": told,
        "logged": [log for log in logged if log],
    }
    rank = int(os.environ.get("RANK", "0"))
    Path(folder, f"rank{rank}.json").write_text(json.dumps(seen))


if __name__ == "__main__":
    main(**json.loads(sys.argv[1]))
