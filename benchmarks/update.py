"""How fast the update is: a prompt computed once for all its outputs or not, padded or not.

And with adapters, beside full weights.

    python benchmarks/update.py                        the embedded policy, in nano's shapes
    python benchmarks/update.py --model FOLDER --device cuda --groups 64 --outputs 16 \\
        --prompt 300 --tokens 64 64
    python benchmarks/update.py --model FOLDER --device cuda --groups 1 --outputs 1 \\
        --prompt 300 --tokens 24276 24276 --gradient-checkpointing
    python benchmarks/update.py --model FOLDER --device cuda --groups 32 --outputs 16 \\
        --prompt 250 --tokens 40 400 --lora-rank 8 --micro-batch-tokens auto --warm-up 6

All ways take turns on the same groups of random tokens; only a GPU can do without padding. To
compare them, tokens are counted as if every output had its own row, including the prompt;
`computed` is what went through the model, without padding. Operations are those of matrix products
and attention that one update carries out, what it computes again included, and their share is of
what the GPU could do in the same time. Memory is what a way would take alone. If a folder has a
config.json but no weights, they are random: speed does not depend on them.
"""

# ruff: noqa: E402  torch's threads must be told to share the cores before torch is imported
# torch and transformers leave many of their types unknown.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

import copy
import json
import os
import platform
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import update_wrapper
from pathlib import Path
from random import Random
from statistics import median
from typing import Annotated, Any, Literal, cast

from rlve.models.threads import share_cores

share_cores()

import torch
import tyro
from torch.utils.flop_counter import FlopCounterMode
from tyro.conf import arg

from rlve.errors import UserError
from rlve.foundation.files import replacing
from rlve.models.config import PolicyConfig
from rlve.models.fusion import fuse_adapters, fuse_for_training
from rlve.models.locations import NANO
from rlve.models.policy import computing_in, hold_half, holds_half, with_adapters
from rlve.reports.terminal import print_table
from rlve.train.config import UpdateConfig
from rlve.train.update import TrainingRow, Updater, make_optimizer

PHASES: tuple[str, ...] = ("forward", "backward", "optimiser")


@dataclass
class Way:
    """One way to update, with its measurements."""

    name: str
    updater: Updater
    computed: int = 0  # tokens in one update
    seconds: list[float] = field(default_factory=list[float])
    phases: list[dict[str, float]] = field(default_factory=list[dict[str, float]])
    peak: int = 0  # bytes on the GPU
    pass_tokens: int = 0  # in one forward and backward pass
    operations: int = 0  # on floating-point numbers, in one update


def main(
    *,
    model: str = "nano",
    device: Literal["auto", "cpu", "cuda"] = "auto",
    groups: int = 24,
    outputs: int = 8,
    prompt: int = 60,
    tokens: tuple[int, int] = (8, 30),
    micro_batch_tokens: int | Literal["auto"] = 16_384,
    lora_rank: int = 0,
    gradient_checkpointing: bool = False,
    fused: bool = True,
    repeats: int = 5,
    warm_up: int = 2,
    tera: float = 989.0,
    threads: int | None = None,
    output: Annotated[
        Path | None, arg(aliases=["-o"], metavar="FILE", help_behavior_hint="")
    ] = None,
) -> int:
    """Measure tokens per second and memory of the update.

    Args:
        model: The embedded policy `nano`, or the folder of a Hugging Face causal model.
        device: auto is the GPU if there is one; a GPU computes in bfloat16.
        groups: Prompts per batch.
        outputs: Outputs per prompt.
        prompt: Tokens per prompt.
        tokens: The fewest and the most tokens of an output.
        micro_batch_tokens: Tokens in one forward and backward pass; `auto` chooses as `rlve train`
            does, on a GPU as many as memory allows after some turns.
        lora_rank: Also measure adapters of this rank, in the best of the ways.
        gradient_checkpointing: Compute activations again in the backward pass.
        fused: On a GPU, use our kernels where they replace several of the model's.
        repeats: Measured turns of each way.
        warm_up: Turns before those, which do not count.
        tera: 10^12 operations that the GPU can do in a second, for their share; an H200's in
            half precision by default.
        threads: Threads of torch on a CPU; by default its own choice.
        output: Write all measurements to this JSON file.
    """
    given = None if micro_batch_tokens == "auto" else micro_batch_tokens
    counts = (groups, outputs, prompt, *tokens, repeats, 1 if given is None else given)
    if min(*counts, threads or 1) < 1 or min(warm_up, lora_rank) < 0 or tera <= 0:
        raise UserError(
            "all counts must be at least 1, --warm-up and --lora-rank at least 0, and --tera above"
        )
    if tokens[0] > tokens[1]:
        raise UserError("--tokens must be the fewest and then the most")
    if output is not None and not output.parent.is_dir():
        raise UserError(f"{output.parent} is not a folder")
    if threads is not None:
        torch.set_num_threads(threads)
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    loaded = load(model, torch.device(device))
    settings = PolicyConfig(gradient_checkpointing=gradient_checkpointing)
    adapted = replace(settings, lora_rank=lora_rank)
    other = prepared(copy.deepcopy(loaded), adapted, fused=fused) if lora_rank else None
    policy = prepared(loaded, settings, fused=fused)
    batch = random_groups(policy.config.vocab_size, groups, outputs, prompt, tokens)
    config = UpdateConfig(micro_batch_tokens=given, learning_rate=1e-9)
    ways = [
        Way(name, make_updater(policy, replace(config, share_prompts=shared), flat=False))
        for name, shared in (("own rows", False), ("shared prompts", True))
    ]
    best = make_updater(policy, config)
    if best.score.flat:
        ways.append(Way("shared prompts, no padding", best))
    if other is not None:
        ways.append(Way(f"the same, adapters of rank {lora_rank}", make_updater(other, config)))
    for turn in range(warm_up + repeats):
        for way in ways:
            measure(way, batch, counted=turn >= warm_up)
    for way in ways:  # apart, since counting takes time, and when passes have grown
        way.pass_tokens = way.updater.passes.tokens
        with FlopCounterMode(display=False) as counter:
            way.updater.update(batch)
        way.operations = counter.get_total_flops()
    plain = sum(len(row) for group in batch for row in group)
    show(ways, plain, tera if device == "cuda" else None)
    if output is not None:
        write(output, model, ways, plain)
    return 0


def load(model: str, device: torch.device) -> Any:
    """The model for training, in single precision."""
    from transformers import AutoConfig, AutoModelForCausalLM

    folder = NANO if model == "nano" else Path(model)
    if not (folder / "config.json").is_file():
        raise UserError(f"{folder} is not the folder of a model: it has no config.json")
    kind = cast(Any, AutoModelForCausalLM)
    if any(folder.glob("*.safetensors")):
        return kind.from_pretrained(folder, dtype=torch.float32).to(device)
    torch.manual_seed(0)
    with device:
        config = cast(Any, AutoConfig).from_pretrained(folder)
        return kind.from_config(config, dtype=torch.float32)


def prepared(model: Any, config: PolicyConfig, *, fused: bool) -> Any:
    """The model as load_policy() would give it."""
    device = model.device.type
    if holds_half(config, device):
        hold_half(model.requires_grad_(requires_grad=False))
    fused = fused and device == "cuda"
    if fused:
        fuse_for_training(model)
    if config.lora_rank:
        model = with_adapters(model, config)
        if fused:
            fuse_adapters(model)
    if config.gradient_checkpointing:
        model.gradient_checkpointing_enable()
        model.enable_input_require_grads()
    return model


def random_groups(
    vocabulary: int, groups: int, outputs: int, prompt: int, tokens: tuple[int, int]
) -> list[list[TrainingRow]]:
    """Groups of random tokens; on average, no output is better than its neighbours."""
    rng = Random(0)

    def sequence(length: int) -> list[int]:
        return [rng.randrange(vocabulary) for _ in range(length)]

    batch: list[list[TrainingRow]] = []
    for _ in range(groups):
        asked = sequence(prompt)
        lengths = [rng.randint(*tokens) for _ in range(outputs)]
        batch.append(
            [TrainingRow(asked, sequence(n), [-1.0] * n, rng.uniform(-1, 1)) for n in lengths]
        )
    return batch


def make_updater(model: Any, config: UpdateConfig, *, flat: bool | None = None) -> Updater:
    """An updater like the trainer's."""
    device = next(model.parameters()).device
    computing = computing_in(PolicyConfig(), device)
    optimizer = make_optimizer(model, config)
    return Updater(model, optimizer, config, temperature=1.0, computing=computing, flat=flat)


def held(updater: Updater) -> int:
    """Bytes of a model and its optimiser."""
    moments = [value for state in updater.optimizer.state.values() for value in state.values()]
    return sum(tensor.nbytes for tensor in (*updater.model.parameters(), *moments))


def measure(way: Way, batch: Sequence[Sequence[TrainingRow]], *, counted: bool) -> None:
    """Time one update and its phases, by wrapping the calls between them."""
    device = next(way.updater.model.parameters()).device
    phases = dict.fromkeys(PHASES, 0.0)
    computed = 0
    score, step = way.updater.score, way.updater.optimizer.step

    def now() -> float:
        if device.type == "cuda":
            torch.cuda.synchronize()
        return time.perf_counter()

    def timed_score(rows: Any) -> Any:
        nonlocal computed
        begin = now()
        scores = score(rows)
        phases["forward"] += now() - begin
        computed += sum(map(len, rows))
        return scores

    def timed_step() -> None:
        begin = now()
        step()
        phases["optimiser"] += now() - begin

    way.updater.score = cast(Any, update_wrapper(timed_score, score))  # with its attributes
    cast(Any, timed_score).attention, cast(Any, timed_score).passes = score.attention, score.passes
    way.updater.optimizer.step = cast(Any, timed_step)
    before = 0
    if device.type == "cuda":
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()  # all ways' models and optimisers
    begin = now()
    way.updater.update(batch)
    seconds = now() - begin
    way.updater.score, way.updater.optimizer.step = score, cast(Any, step)
    phases["backward"] = seconds - sum(phases.values())
    if counted:
        way.computed = computed
        way.seconds.append(seconds)
        way.phases.append(phases)
    if device.type == "cuda":
        way.peak = max(way.peak, way.updater.passes.peak - before + held(way.updater))


def show(ways: Sequence[Way], plain: int, tera: float | None) -> None:
    """Print a row per way; `tera` is what a GPU can do, in 10^12 operations a second."""
    rows = [
        [
            way.name,
            f"{median(way.seconds):.3f}",
            *(f"{median(turn[phase] for turn in way.phases):.3f}" for phase in PHASES),
            f"{plain / median(way.seconds):,.0f}",
            f"{way.computed:,}",
            f"{way.computed / median(way.seconds):,.0f}",
            f"{way.pass_tokens:,}",
            f"{way.operations / 1e12:,.3f}",
            f"{way.operations / 1e10 / median(way.seconds) / tera:.1f}%" if tera else "",
            f"{way.peak / 2**30:.1f} GiB" if way.peak else "",
        ]
        for way in ways
    ]
    heads = ["update with", "seconds", *PHASES, "tokens/s", "computed", "computed/s", "a pass"]
    print_table([*heads, "10^12 operations", "of the peak", "GPU memory"], rows)
    own, *others = (median(way.seconds) for way in ways)
    faster = [f"{w.name}, {own / s:.2f} times" for w, s in zip(ways[1:], others, strict=True)]
    print(f"\n{plain:,} tokens per batch. As fast as {ways[0].name}: {'; '.join(faster)}.")


def write(output: Path, model: str, ways: Sequence[Way], plain: int) -> None:
    """Write all measurements as JSON."""
    document = {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": sys.argv,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "GPU": torch.cuda.get_device_name() if torch.cuda.is_available() else None,
        "model": model,
        "tokens": plain,
        "ways": [
            {key: value for key, value in vars(way).items() if key != "updater"} for way in ways
        ],
    }
    with replacing(output) as file:
        file.write(json.dumps(document, indent=1).encode() + b"\n")


if __name__ == "__main__":
    try:
        sys.exit(tyro.cli(main))
    except UserError as error:
        print(f"update.py: {error}", file=sys.stderr)
        sys.exit(2)
