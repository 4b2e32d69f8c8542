"""Where the time of a training step goes, and how much memory it takes.

    python benchmarks/step.py                          the embedded policy, as `rlve train` runs it
    python benchmarks/step.py --steps 20 --rollout.group 16 -o step.json
    python benchmarks/step.py --policy.model PATH --policy.format chat --policy.device auto

A step samples rollouts, while the workers of the pool judge finished ones ("verdicts" is the time
spent waiting for them), and updates the weights. Medians over the steps are shown, without the
first steps, which are slower. A checkpoint is written at the end. benchmarks/update.py measures
the update alone.
"""

# ruff: noqa: E402  torch's threads must be told to share the cores before torch is imported
# torch and transformers leave many of their types unknown.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

import json
import os
import platform
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from functools import wraps
from pathlib import Path
from statistics import median
from typing import Annotated, Any

import msgspec

from rlve.models.threads import share_cores

share_cores()

import torch
import tyro
from tyro.conf import arg

from rlve.errors import UserError
from rlve.foundation.files import replacing
from rlve.models.config import PolicyConfig
from rlve.models.policy import Policy, load_policy
from rlve.reports.terminal import print_table
from rlve.train import runs
from rlve.train.config import Config
from rlve.train.presets import nano
from rlve.train.trainer import Run
from rlve.train.update import TrainingRow

NEVER = 10**9


@dataclass
class Stopwatch:
    """Seconds by phase; a call within another call counts only for its own phase."""

    seconds: dict[str, float] = field(default_factory=dict[str, float])
    _inner: list[float] = field(default_factory=list[float])

    def watch(self, phase: str, owner: Any, method: str) -> None:
        """Time all calls of a method of this object from now on."""
        function: Callable[..., Any] = getattr(owner, method)

        @wraps(function)
        def timed(*args: Any, **kwargs: Any) -> Any:
            self._inner.append(0.0)
            start = time.perf_counter()
            try:
                return function(*args, **kwargs)
            finally:
                spent = time.perf_counter() - start
                own = spent - self._inner.pop()
                self.seconds[phase] = self.seconds.get(phase, 0.0) + own
                if self._inner:
                    self._inner[-1] += spent

        setattr(owner, method, timed)


@dataclass(frozen=True)
class Step:
    """One measured step."""

    seconds: dict[str, float]  # by phase
    tokens: int  # in the outputs that finished in this step
    trained: int  # tokens trained on, including prompts, with one row per output

    @property
    def training(self) -> float:
        """Seconds of all phases except the checkpoint, which few steps write."""
        return sum(spent for phase, spent in self.seconds.items() if phase != "checkpoint")


def main(
    *,
    config: Annotated[Config, arg(name="")] = nano(),  # noqa: B008  frozen
    steps: int = 10,
    warm_up: int = 2,
    threads: int | None = None,
    fixed_length: bool = False,
    output: Annotated[
        Path | None, arg(aliases=["-o"], metavar="FILE", help_behavior_hint="")
    ] = None,
) -> int:
    """Measure the phases of training steps, tokens per second, and memory.

    Args:
        config: The run; the benchmark sets its folder, steps and checkpoints.
        steps: How many steps to measure.
        warm_up: Steps before those that are measured.
        threads: Threads of torch on a CPU; by default its own choice.
        fixed_length: Make every output reach the response limit, whatever the policy writes.
        output: Write all measurements to this JSON file.
    """
    if steps < 1 or warm_up < 0 or (threads is not None and threads < 1):
        raise UserError("--steps and --threads must be at least 1, --warm-up at least 0")
    if output is not None and not output.parent.is_dir():
        raise UserError(f"{output.parent} is not a folder")
    if threads is not None:
        torch.set_num_threads(threads)
    with tempfile.TemporaryDirectory(prefix="rlve-step-") as folder:
        run = replace(config.run, folder=Path(folder), steps=NEVER, checkpoint_every=NEVER)
        config = replace(config, run=run)
        config.check()
        if fixed_length:
            runs.load_policy = load_endless
        measured, device, peak = measure(config, steps, warm_up)
    memory = peak_memory(peak)
    show(measured, memory)
    if output is not None:
        write(output, config, device, measured, memory)
    return 0


def measure(
    config: Config, steps: int, warm_up: int
) -> tuple[list[Step], torch.device, int | None]:
    """Train for a few steps, and time them; the device, and the most bytes of a GPU in use."""
    measured: list[Step] = []
    with Run(config) as run:
        trained: list[int] = []

        def count(groups: Sequence[Sequence[TrainingRow]]) -> dict[str, float]:
            trained.append(sum(len(row) for group in groups for row in group))
            return update(groups)

        watch = Stopwatch()
        watch.watch("problems", run.gym, "take")
        watch.watch("sampling", run.engine, "collect")
        watch.watch("sampling", run.engine, "stop")
        watch.watch("verdicts", run.collector, "collect")  # its time without the phases above
        watch.watch("update", run.updater, "update")
        watch.watch("new weights", run.engine, "update")
        watch.watch("rest", run, "train_step")
        watch.watch("checkpoint", run, "checkpoint")
        update, run.updater.update = run.updater.update, count
        for _ in range(warm_up + steps):
            watch.seconds = {}
            trained.clear()
            metrics = run.train_step()
            measured.append(Step(watch.seconds, metrics.tokens, sum(trained)))
        watch.seconds = measured[-1].seconds  # one checkpoint is enough: it takes long
        run.checkpoint()
        peak = run.updater.passes.peak if run.device.type == "cuda" else None
    return measured[warm_up:], run.device, peak


def load_endless(config: PolicyConfig, *, context: int) -> Policy:
    """A policy that only the response limit stops."""
    return replace(load_policy(config, context=context), stop_tokens=(), stop_strings=())


def peak_memory(gpu: int | None) -> dict[str, int]:
    """The most bytes in use at once, by process."""
    unit = 1 if sys.platform == "darwin" else 1024
    peaks = {
        "trainer": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit,
        "largest worker": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * unit,
    }
    if gpu is not None:
        peaks["GPU"] = gpu
    return peaks


def show(steps: Sequence[Step], memory: dict[str, int]) -> None:
    """Print a row per phase, and the totals."""
    whole = median(step.training for step in steps)
    phases = list(dict.fromkeys(phase for step in steps for phase in step.seconds))
    order = ["problems", "sampling", "verdicts", "update", "new weights", "rest", "checkpoint"]
    rows: list[list[str]] = []
    for phase in sorted(phases, key=order.index):
        seconds = median(step.seconds[phase] for step in steps if phase in step.seconds)
        share = "" if phase == "checkpoint" else f"{100 * seconds / whole:.0f} %"
        rows.append([phase, f"{seconds:.3f}", share])
    print_table(
        ["phase", "seconds", "of a step"],
        rows,
        total=["step without checkpoint", f"{whole:.3f}", ""],
    )
    tokens = sum(step.tokens for step in steps)
    sampling = sum(step.seconds.get("sampling", 0.0) for step in steps)
    training = sum(step.training for step in steps)
    trained = sum(step.trained for step in steps)
    updating = sum(step.seconds.get("update", 0.0) for step in steps)
    print(
        f"\n{tokens / len(steps):,.0f} tokens per step; {tokens / max(sampling, 1e-9):,.0f} "
        f"tokens/s while sampling, {tokens / training:,.0f} tokens/s overall. The update processes "
        f"{trained / max(updating, 1e-9):,.0f} tokens/s, including prompts."
    )
    parts = [f"{who} {size / 2**20:,.0f} MiB" for who, size in memory.items()]
    print(f"Peak memory: {', '.join(parts)}.")


def write(
    output: Path,
    config: Config,
    device: torch.device,
    steps: Sequence[Step],
    memory: dict[str, int],
) -> None:
    """Write all measurements as JSON."""
    document = {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        "torch": torch.__version__,
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "device": torch.cuda.get_device_name() if device.type == "cuda" else "cpu",
        "config": msgspec.to_builtins(config, enc_hook=str),
        "peak_memory": memory,
        "steps": [asdict(step) for step in steps],
    }
    with replacing(output) as file:
        file.write(json.dumps(document, indent=1).encode() + b"\n")


if __name__ == "__main__":
    try:
        sys.exit(tyro.cli(main))
    except UserError as error:
        print(f"step.py: {error}", file=sys.stderr)
        sys.exit(2)
