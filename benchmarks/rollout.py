"""How fast the in-process engine samples, against `model.generate` on the same prompts.

    python benchmarks/rollout.py                       the embedded policy, groups of 16
    python benchmarks/rollout.py --model PATH --form chat --max-tokens 2048 -o rollout.json

Both sample from the same weights, for the same groups, with as many outputs at once; they take
turns, `repeats` times, and medians are compared. Only real tokens are counted: up to and including
the one that ends an output, and no padding. The engine also returns the log-probability of each
token, which `generate` is not asked for. Two cases:

    natural ends    outputs end where the policy ends them, or at the response limit
    fixed length    every output has as many tokens as the limit says: nothing ever leaves early
"""

# ruff: noqa: E402  torch comes after its threads have been told to share the cores
# torch and transformers leave many of their types unknown.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

import json
import os
import platform
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Annotated, Any, Literal

from rlve.models.threads import share_cores

share_cores()

import torch
import tyro
from tyro.conf import arg

from rlve.errors import UserError
from rlve.files import replacing
from rlve.levels import as_difficulties
from rlve.models.config import PolicyConfig
from rlve.models.engines.in_process import InProcessEngine
from rlve.models.policy import Policy, computing_in, load_policy
from rlve.models.rollouts import Rollout
from rlve.registry import environment
from rlve.reports.terminal import print_table


@dataclass(frozen=True)
class Case:
    """What is sampled."""

    name: str
    prompts: list[list[int]]
    stop_tokens: tuple[int, ...]
    max_tokens: int


@dataclass(frozen=True)
class Result:
    """How fast both were, by turn."""

    case: str
    prompts: int
    prompt_tokens: float  # mean
    output_tokens: float  # mean
    engine: list[float]  # tokens per second
    generate: list[float]

    @property
    def ratio(self) -> float:
        """How many times as fast the engine is."""
        return median(self.engine) / median(self.generate)


def main(
    *,
    model: str = "nano",
    form: Literal["chat", "base", "plain"] = "plain",
    environments: tuple[str, ...] = ("Sorting", "MinimalCyclicShift"),
    levels: Annotated[str, arg(aliases=["-d"], metavar="LIST")] = "2..6",
    problems: int = 32,
    group: int = 16,
    max_tokens: int = 192,
    fixed_tokens: int = 96,
    slots: int = 256,
    repeats: int = 5,
    threads: int | None = None,
    output: Annotated[
        Path | None, arg(aliases=["-o"], metavar="FILE", help_behavior_hint="")
    ] = None,
) -> int:
    """Measure tokens per second of the in-process engine and of model.generate.

    Args:
        model: The embedded policy `nano`, or a folder or hub name of a Hugging Face causal model.
        form: The format of its prompts.
        environments: Where the problems come from, in turn.
        levels: Difficulties, such as 3, or 0,4,8, or 2..6; each in turn.
        problems: How many; each is sampled `group` times.
        group: Outputs per problem.
        max_tokens: The response limit in the case with natural ends.
        fixed_tokens: The length of all outputs in the other case.
        slots: Outputs that are sampled at once, by both.
        repeats: Turns of each.
        threads: Of torch on a CPU; by default its own choice.
        output: Write all measurements to this JSON file.
    """
    counts = (problems, group, max_tokens, fixed_tokens, slots, repeats, threads or 1)
    if min(counts) < 1:
        raise UserError("all counts are at least 1")
    if slots < group:
        raise UserError(f"--slots ({slots}) is at least --group ({group})")
    if output is not None and not output.parent.is_dir():
        raise UserError(f"{output.parent} is not a folder")
    if threads is not None:
        torch.set_num_threads(threads)

    config = PolicyConfig(model=model, format=form)
    policy = load_policy(config, context=max(max_tokens, fixed_tokens))
    policy.model.eval()
    device = next(policy.model.parameters()).device
    computing = computing_in(config, device)
    prompts = prompts_of(policy, environments, as_difficulties(levels), problems)
    cases = [
        Case("natural ends", prompts, policy.stop_tokens, max_tokens),
        Case("fixed length", prompts, (), fixed_tokens),
    ]
    results = [
        measure(case, policy, computing, group=group, slots=slots, repeats=repeats)
        for case in cases
    ]
    show(results)
    if output is not None:
        settings = {
            "model": model,
            "environments": list(environments),
            "levels": levels,
            "problems": problems,
            "group": group,
            "slots": slots,
        }
        write(output, settings, device, results)
    return 0


def prompts_of(
    policy: Policy, names: Sequence[str], levels: Sequence[int], count: int
) -> list[list[int]]:
    """The prompts of `count` problems; environments change fastest, then levels, then seeds."""
    cells = [(environment(name), d) for d in levels for name in names]
    return [
        policy.encode(env.generate(difficulty=d, seed=i))
        for i in range(count)
        for env, d in [cells[i % len(cells)]]
    ]


def measure(
    case: Case,
    policy: Policy,
    computing: AbstractContextManager[Any],
    *,
    group: int,
    slots: int,
    repeats: int,
) -> Result:
    """Let both sample the case in turn."""
    engine = InProcessEngine(
        policy.model,
        stop_tokens=case.stop_tokens,
        max_tokens=case.max_tokens,
        slots=slots,
        computing=computing,
    )

    def by_engine() -> int:
        rollouts = [Rollout(prompt) for prompt in case.prompts for _ in range(group)]
        engine.submit(rollouts)
        while engine.collect():
            pass
        return sum(len(rollout.tokens) for rollout in rollouts)

    def by_generate() -> int:
        return generate(case, policy, computing, group=group, at_once=slots // group)

    device = next(policy.model.parameters()).device
    for sample in (by_engine, by_generate):  # the first time is slower: memory, kernels
        sample()
    counted: list[int] = []
    speeds: dict[str, list[float]] = {"engine": [], "generate": []}
    for _ in range(repeats):
        for name, sample in (("engine", by_engine), ("generate", by_generate)):
            tokens, seconds = timed(sample, device)
            counted.append(tokens)
            speeds[name].append(tokens / seconds)
    return Result(
        case=case.name,
        prompts=len(case.prompts),
        prompt_tokens=sum(map(len, case.prompts)) / len(case.prompts),
        output_tokens=sum(counted) / len(counted) / (len(case.prompts) * group),
        engine=speeds["engine"],
        generate=speeds["generate"],
    )


def timed(sample: Callable[[], int], device: torch.device) -> tuple[int, float]:
    """What it returns, and how long it took."""
    start = time.perf_counter()
    tokens = sample()
    if device.type == "cuda":
        torch.cuda.synchronize()
    return tokens, time.perf_counter() - start


@torch.inference_mode()
def generate(
    case: Case,
    policy: Policy,
    computing: AbstractContextManager[Any],
    *,
    group: int,
    at_once: int,
) -> int:
    """Sample with model.generate, `at_once` prompts at a time; returns the number of tokens."""
    device = next(policy.model.parameters()).device
    pad = policy.tokenizer.pad_token_id or 0
    stops = torch.tensor(case.stop_tokens, dtype=torch.long, device=device)
    tokens = 0
    for start in range(0, len(case.prompts), at_once):
        prompts = case.prompts[start : start + at_once]
        longest = max(map(len, prompts))
        ids = [[pad] * (longest - len(prompt)) + prompt for prompt in prompts]
        mask = [[0] * (longest - len(prompt)) + [1] * len(prompt) for prompt in prompts]
        with computing:
            sampled = policy.model.generate(
                input_ids=torch.tensor(ids, device=device),
                attention_mask=torch.tensor(mask, device=device),
                num_return_sequences=group,
                do_sample=True,
                temperature=1.0,
                top_k=0,
                top_p=1.0,
                max_new_tokens=case.max_tokens,
                min_new_tokens=None if case.stop_tokens else case.max_tokens,
                eos_token_id=list(case.stop_tokens) or None,
                pad_token_id=pad,
            )[:, longest:]
        # A token counts if no token before it ended its output.
        ended = torch.isin(sampled, stops).long()
        tokens += int((ended.cumsum(1) - ended == 0).sum())
    return tokens


def show(results: Sequence[Result]) -> None:
    """Print a row per case."""
    columns = ["case", "prompts", "tokens each", "tokens out"]
    columns += ["engine, tokens/s", "generate, tokens/s", "times as fast"]
    print_table(
        columns,
        [
            [
                result.case,
                result.prompts,
                f"{result.prompt_tokens:.0f}",
                f"{result.output_tokens:.0f}",
                f"{median(result.engine):,.0f}",
                f"{median(result.generate):,.0f}",
                f"{result.ratio:.2f}",
            ]
            for result in results
        ],
    )


def write(
    output: Path, settings: dict[str, Any], device: torch.device, results: Sequence[Result]
) -> None:
    """All measurements as JSON; written whole or not at all."""
    document = {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        "torch": torch.__version__,
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "device": torch.cuda.get_device_name() if device.type == "cuda" else "cpu",
        **settings,
        "cases": [{**asdict(result), "ratio": result.ratio} for result in results],
    }
    with replacing(output) as file:
        file.write(json.dumps(document, indent=1).encode() + b"\n")


if __name__ == "__main__":
    try:
        sys.exit(tyro.cli(main, config=(tyro.conf.OmitArgPrefixes,)))
    except UserError as error:
        print(f"rollout.py: {error}", file=sys.stderr)
        sys.exit(2)
