"""Whole training steps of `rlve train` beside those of TRL's GRPOTrainer, on the same machine.

    python benchmarks/beside_trl.py --model PATH --vllm --trl '{"gradient_checkpointing": false}'

    rlve       our trainer, without oversampling
    TRL        GRPOTrainer with a plain reward function, as docs/trainers/trl.md has it
    TRL-rlve   GRPOTrainer with our adapter, which draws problems of the same kind itself

Each trains all weights and adapters, in a process of its own: 32 problems x 16 outputs of at most
640 tokens, one update, five steps after two that do not count. The first two have the same
problems. On a GPU all compute in bfloat16, and keep what is trained in single precision. rlve and
the adapter leave groups without signal out of the update, TRL does not: the table says how many
outputs were trained. --trl sets anything in a GRPOConfig. Without --vllm (in the same process) TRL
samples with transformers. Memory is what torch took at most. What is written already is not
measured again. (A file trl.py would be imported as TRL.)
"""

# The libraries leave many types unknown, and TRL has a virtual environment of its own.
# pyright: reportMissingImports=false, reportUnknownMemberType=false, reportPrivateUsage=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib.metadata import distributions
from importlib.resources import files
from pathlib import Path
from statistics import fmean
from typing import Any, TypeAlias

import torch

from rlve.curricula import CurriculumSettings
from rlve.reports.terminal import print_table
from rlve.train.presets import nano, small

WAYS, GPU = ("rlve", "TRL", "TRL-rlve"), torch.cuda.is_available()
STILL = 1e-6  # the learning rate: outputs shall stay as long as they are
Step: TypeAlias = dict[str, float]
"""What it took: seconds, of these for sampling and judging, tokens, outputs trained."""


def run_rlve(given: argparse.Namespace, rank: int, folder: Path) -> list[Step]:
    from rlve.train.trainer import Run

    base = nano() if given.model == "nano" else small()
    number, last = given.problems, given.warm_up + given.steps
    size = {"problems": number, "oversample": number, "rounds": 1, "group": given.group}
    config = replace(
        base,
        policy=replace(base.policy, model=given.model, lora_rank=rank),
        data=replace(base.data, dataset=given.folder / "problems.jsonl"),
        rollout=replace(base.rollout, **size, max_tokens=given.max_tokens),
        update=replace(base.update, learning_rate=STILL, warmup_steps=0),
        run=replace(base.run, folder=folder, steps=last, checkpoint_every=last + 1),
    )
    steps: list[Step] = []
    with Run(config) as training:
        for _ in range(last):
            begun, found = time.perf_counter(), training.train_step()
            step: Step = {"tokens": found.tokens}
            step["trained"] = found.trained_groups * given.group
            step |= {"seconds": time.perf_counter() - begun, "sampling": found.seconds["rollouts"]}
            steps.append(step)
    return steps


def run_trl(given: argparse.Namespace, rank: int, folder: Path, *, adapter: bool) -> list[Step]:
    from peft import LoraConfig
    from transformers import TrainerCallback
    from trl import GRPOConfig, GRPOTrainer

    from datasets import load_dataset
    from rlve.integrations.trl import recipe, reward, rlve_trainer

    problems, rows = given.folder / "problems.jsonl", given.problems * given.group
    passes = min(8, rows)  # TRL's default
    settings = {"output_dir": str(folder), "max_steps": given.warm_up + given.steps}
    settings |= {"max_completion_length": given.max_tokens, "use_vllm": given.vllm}
    settings |= {"per_device_train_batch_size": passes, "learning_rate": STILL}
    settings |= {"gradient_accumulation_steps": rows // passes, "save_strategy": "no"}
    settings |= {"report_to": "none", "logging_steps": 1, "use_cpu": not GPU, "bf16": GPU}
    if rank and GPU:  # as rlve holds the weights below adapters
        settings["model_init_kwargs"] = {"dtype": "bfloat16"}
    settings |= given.trl
    lora = LoraConfig(r=rank, lora_alpha=2 * rank, target_modules="all-linear") if rank else None
    if adapter:
        args = recipe(problems=given.problems, group=given.group, **settings)
        d0 = CurriculumSettings(static=(0, 0))
        gym: dict[str, Any] = {"format": given.format, "curriculum": d0, "rounds": 1}
        trainer = rlve_trainer(given.model, given.names, args, peft_config=lora, **gym)
    else:
        trainer = GRPOTrainer(
            model=str(files("rlve.models") / "nano") if given.model == "nano" else given.model,
            reward_funcs=reward,
            args=GRPOConfig(num_generations=given.group, **settings),
            train_dataset=load_dataset("json", data_files=str(problems), split="train"),
            peft_config=lora,
        )
    steps: list[Step] = []
    begun, now = time.perf_counter(), dict.fromkeys(("sampling", "tokens", "trained"), 0.0)
    generate, judge = trainer._generate, trainer._calculate_rewards

    def sample(method: Callable[..., Any], *words: Any) -> Any:
        start, found = time.perf_counter(), method(*words)
        now["sampling"] += time.perf_counter() - start
        if method == generate:
            outputs, masks = found[1], found[2]
            now["tokens"] += sum(map(len, outputs))
            now["trained"] += sum(map(any, masks)) if masks else len(outputs)
        return found

    class Ends(TrainerCallback):
        def on_step_end(self, *_: Any, **__: Any) -> None:
            nonlocal begun
            steps.append({"seconds": time.perf_counter() - begun, **now})
            begun = time.perf_counter()
            now.update(dict.fromkeys(now, 0.0))

    trainer._generate = partial(sample, generate)
    trainer._calculate_rewards = partial(sample, judge)
    trainer.add_callback(Ends())
    trainer.train()
    return steps


def measure(given: argparse.Namespace) -> int:
    way, _, rank = given.part.rpartition("-")
    run = run_rlve if way == "rlve" else partial(run_trl, adapter=way == "TRL-rlve")
    with tempfile.TemporaryDirectory() as folder:
        steps = run(given, int(rank), Path(folder))
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    part: dict[str, Any] = {"way": way, "rank": int(rank)}
    part |= {
        "device": torch.cuda.get_device_name() if GPU else "cpu",
        "versions": {each.name: each.version for each in distributions()},
        "settings": vars(given) | {"folder": str(given.folder)},
        "memory": torch.cuda.max_memory_reserved() if GPU else 1024 * own,
        "steps": steps[given.warm_up :],
    }
    (given.folder / f"{given.part}.json").write_text(json.dumps(part, indent=1) + "\n")
    return 0


def row(file: Path) -> list[str]:
    part = json.loads(file.read_text())
    mean = {name: fmean(step[name] for step in part["steps"]) for name in part["steps"][0]}
    seconds, sampling = mean["seconds"], mean["sampling"]
    shown = [f"{each:.2f}" for each in (seconds, sampling, seconds - sampling)]
    shown += [f"{mean['tokens'] / seconds:,.0f}", f"{mean['trained']:.0f}"]
    return [
        part["way"],
        str(part["rank"] or "all weights"),
        *shown,
        f"{part['memory'] / 2**30:.1f}",
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description="Whole steps beside TRL's.")
    add = parser.add_argument
    add("--model", default="nano", help="a folder, a hub name, or nano")
    add("--folder", type=Path, default=Path("runs/beside-trl"), help="where to write results")
    add("--names", nargs="+", default=["C256"], help="environments and collections")
    for name, size in (("problems", 32), ("group", 16), ("max-tokens", 640), ("steps", 5)):
        add(f"--{name}", type=int, default=size)
    add("--warm-up", type=int, default=2)
    add("--lora-rank", type=int, nargs="+", default=[0, 8], help="0: all weights")
    add("--vllm", action="store_true", help="TRL samples with vLLM in the same process")
    add("--trl", type=json.loads, default={}, metavar="JSON", help="settings of GRPOConfig")
    add("--part", help=argparse.SUPPRESS)
    given = parser.parse_args()
    given.format = "plain" if given.model == "nano" else "chat"
    given.folder.mkdir(parents=True, exist_ok=True)
    if given.part:
        return measure(given)
    problems = given.folder / "problems.jsonl"
    if not problems.exists():
        count = str(given.problems * (given.warm_up + given.steps))
        words = ["dataset", *given.names, "-n", count, "-d", "0", "--format", given.format]
        words += ["--seed", "1", "-o", str(problems)]
        subprocess.run([sys.executable, "-m", "rlve", *words], check=True)
    parts = [given.folder / f"{way}-{rank}.json" for rank in given.lora_rank for way in WAYS]
    for file in parts:
        if not file.exists():
            subprocess.run([sys.executable, *sys.argv, "--part", file.stem], check=False)
    done = [row(file) for file in parts if file.exists()]
    heads = ["s a step", "sampling and judging", "update and rest", "tokens/s"]
    print_table(["trainer", "rank", *heads, "outputs trained", "peak memory, GiB"], done)
    return int(len(done) < len(parts))


if __name__ == "__main__":
    sys.exit(main())
