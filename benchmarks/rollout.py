"""How fast our engines, `model.generate` and, if it is installed, vLLM sample rollouts.

    python benchmarks/rollout.py                       the embedded policy, groups of 16
    python benchmarks/rollout.py --model PATH --form chat --max-tokens 2048 -o rollout.json
    python benchmarks/rollout.py --shape smollm2 --rows 256 1024 4096 --new-tokens 64 512

All sample from the same weights, for the same groups, with the same number of outputs at once. They
take turns, `repeats` times, and medians are compared. Only real tokens count: up to and including
the one that ends an output, without padding. The engines also return the log-probability of each
token, which `generate` is not asked for: `gap` is how far those of a few outputs are on average
from the trained model's own, and `new weights` the time that an engine takes for them. Without
--rows there are two cases, on the gym's problems:

    natural ends    outputs end where the policy ends them, or at the response limit
    fixed length    every output reaches the limit: no row is freed early

With --rows there is a case of fixed length for each number of rows and of new tokens, with prompts
of random tokens. --shape is a Llama with random weights, which is good enough to measure speed.

The memory limit is the speed if a step took only as long as reading what it must: the weights in
the engine's precision, each group's prompt once and each row's own positions. It does not include
the time for prompts.
"""

# ruff: noqa: E402  torch's threads must be told to share the cores before torch is imported
# torch and transformers leave many of their types unknown.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

import argparse
import copy
import gc
import json
import os
import platform
import signal
import sys
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

from rlve.models.threads import share_cores

share_cores()

import torch

from rlve.errors import UserError
from rlve.formats import prompt_format
from rlve.foundation.files import replacing
from rlve.levels import as_difficulties
from rlve.models.config import PolicyConfig
from rlve.models.engines import Engine
from rlve.models.engines.in_process import InProcessEngine
from rlve.models.engines.paged import PagedEngine
from rlve.models.engines.vllm import VllmEngine
from rlve.models.logprobs import logprobs_of
from rlve.models.policy import Policy, computing_in, load_policy
from rlve.models.rollouts import Rollout
from rlve.registry import environment

SAMPLERS = ("in-process", "paged", "paged-torch", "generate", "vllm")
COMPARED = 8  # outputs whose log-probabilities are compared
SHAPES: dict[str, dict[str, Any]] = {
    "smollm2": {  # SmolLM2-135M
        "vocab_size": 49_152,
        "hidden_size": 576,
        "intermediate_size": 1_536,
        "num_hidden_layers": 30,
        "num_attention_heads": 9,
        "num_key_value_heads": 3,
        "max_position_embeddings": 8_192,
    },
    "0.5b": {  # Qwen2.5-0.5B
        "vocab_size": 151_936,
        "hidden_size": 896,
        "intermediate_size": 4_864,
        "num_hidden_layers": 24,
        "num_attention_heads": 14,
        "num_key_value_heads": 2,
        "max_position_embeddings": 32_768,
    },
    "1.5b": {  # Qwen2.5-1.5B
        "vocab_size": 151_936,
        "hidden_size": 1_536,
        "intermediate_size": 8_960,
        "num_hidden_layers": 28,
        "num_attention_heads": 12,
        "num_key_value_heads": 2,
        "max_position_embeddings": 32_768,
    },
    "tiny": {  # for trying out
        "vocab_size": 256,
        "hidden_size": 64,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "num_key_value_heads": 1,
        "max_position_embeddings": 1_024,
    },
}


@dataclass(frozen=True)
class Case:
    """What to sample."""

    name: str
    prompts: list[list[int]]
    stop_tokens: tuple[int, ...]
    max_tokens: int
    rows: int  # at once
    group: int

    @property
    def context(self) -> int:
        """The most tokens of a prompt and its output."""
        return max(map(len, self.prompts)) + self.max_tokens

    def rollouts(self) -> list[Rollout]:
        """Fresh rollouts."""
        return [Rollout(prompt) for prompt in self.prompts for _ in range(self.group)]


@dataclass
class Result:
    """How fast one sampler was in one case, by turn."""

    case: str
    rows: int
    new_tokens: int
    sampler: str
    prompts: int
    prompt_tokens: float  # mean
    output_tokens: float = 0.0  # mean
    speeds: list[float] = field(default_factory=list[float])  # tokens per second
    limit: float = 0.0  # tokens per second that memory allows
    memory: int = 0  # peak bytes on the GPU, beyond those of the trained model
    gap: float | None = None  # to the trained model's log-probabilities, in nats
    handover: float | None = None  # seconds until the engine has new weights
    trouble: str = ""

    @property
    def speed(self) -> float:
        return median(self.speeds) if self.speeds else 0.0


class OutOfTime(Exception):
    """A sampler has used up its time."""


def main(
    *,
    model: str = "nano",
    shape: str | None = None,
    form: str = "plain",
    environments: Sequence[str] = ("Sorting", "MinimalCyclicShift"),
    levels: str = "2..6",
    problems: int = 32,
    group: int = 16,
    max_tokens: int = 192,
    fixed_tokens: int = 96,
    slots: int = 256,
    rows: Sequence[int] = (),
    prompt_tokens: int = 300,
    new_tokens: Sequence[int] = (64,),
    samplers: Sequence[str] = (),
    repeats: int = 5,
    limit: float = 600.0,
    memory: float = 0.4,
    threads: int | None = None,
    profile: bool = False,
    output: Path | None = None,
) -> int:
    """Measure tokens per second; --help explains the settings."""
    counts = (problems, group, max_tokens, fixed_tokens, slots, repeats, threads or 1)
    if min(*counts, prompt_tokens, *new_tokens, *rows) < 1 or limit <= 0:
        raise UserError("all counts must be at least 1")
    if not 0 < memory < 1:
        raise UserError(f"--memory ({memory:g}) must be between 0 and 1")
    fewest = min(rows) if rows else slots
    if fewest < group:
        flag = "--rows" if rows else "--slots"
        raise UserError(f"{flag} ({fewest}) must be at least --group ({group})")
    unknown = [name for name in samplers if name not in SAMPLERS]
    if unknown:
        raise UserError(
            f"no sampler is named {unknown[0]!r}; the samplers are {', '.join(SAMPLERS)}"
        )
    if shape is not None and (shape not in SHAPES or not rows):
        raise UserError(f"--shape must be one of {', '.join(SHAPES)}, and needs --rows")
    if output is not None and not output.parent.is_dir():
        raise UserError(f"{output.parent} is not a folder")
    difficulties = as_difficulties(levels)
    if threads is not None:
        torch.set_num_threads(threads)

    if shape is not None:
        policy = random_policy(shape)
    else:
        config = PolicyConfig(model=model, format=form)  # pyright: ignore[reportArgumentType]
        policy = load_policy(config, context=max(max_tokens, fixed_tokens))
    policy.model.eval()
    device = next(policy.model.parameters()).device
    if rows:
        cases = [
            fixed_case(policy, count, group, prompt_tokens, length)
            for length in new_tokens
            for count in rows
        ]
    else:
        prompts = prompts_of(policy, environments, difficulties, problems)
        cases = [
            Case("natural ends", prompts, policy.stop_tokens, max_tokens, slots, group),
            Case("fixed length", prompts, (), fixed_tokens, slots, group),
        ]
    on_gpu = device.type == "cuda"
    defaults = ["paged" if on_gpu else "in-process", "generate"]
    chosen = samplers or (defaults + ["vllm"] * (on_gpu and find_spec("vllm") is not None))
    bandwidth = measured_bandwidth(device)
    print(f"{device_name(device)}: copies memory at {bandwidth / 1e12:.2f} TB/s", flush=True)
    settings = {
        "model": shape or model,
        "environments": [] if rows else list(environments),
        "levels": "" if rows else levels,
        "group": group,
        "bandwidth": bandwidth,
    }
    results: list[Result] = []
    engines = Engines(policy, cases, memory)
    show_header()
    try:
        for case in cases:
            new = measure(
                case, engines, chosen, bandwidth=bandwidth, repeats=repeats, seconds=limit
            )
            results += new
            show(new)
            if output is not None:
                write(output, settings, device, results)
    finally:
        engines.close()
    if profile:
        show_kernels(cases[0], engines)
    return 0


def random_policy(shape: str) -> Policy:
    """A Llama with random weights: what it says does not affect its speed."""
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(0)
    config = LlamaConfig(**SHAPES[shape], tie_word_embeddings=True)
    with torch.device("cuda" if torch.cuda.is_available() else "cpu"):
        model = LlamaForCausalLM(config)
    torch.backends.cuda.enable_cudnn_sdp(False)  # it would compile a plan for every new shape
    return Policy(model, None, prompt_format("plain"), (0,))


def fixed_case(policy: Policy, rows: int, group: int, prompt: int, length: int) -> Case:
    """As many prompts of random tokens as fill the rows."""
    rng = Random(0)
    size = policy.model.config.get_text_config().vocab_size
    prompts = [[rng.randrange(size) for _ in range(prompt)] for _ in range(rows // group)]
    return Case("fixed length", prompts, (), length, rows, group)


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
    engines: "Engines",
    samplers: Sequence[str],
    *,
    bandwidth: float,
    repeats: int,
    seconds: float,
) -> list[Result]:
    """Have all samplers sample the case in turn, each for at most `seconds`."""
    policy = engines.policy
    device = next(policy.model.parameters()).device
    mean = sum(map(len, case.prompts)) / len(case.prompts)
    results = [
        Result(case.name, case.rows, case.max_tokens, name, len(case.prompts), mean)
        for name in samplers
    ]
    left = dict.fromkeys(samplers, seconds)
    latest = dict.fromkeys(samplers, 0.0)  # seconds of the latest turn
    ready: dict[str, Sampler] = {}
    outputs = len(case.prompts) * case.group

    @contextmanager
    def timed(result: Result) -> Generator[None]:
        start = time.perf_counter()
        try:
            with within(left[result.sampler]):
                yield
        except OutOfTime:
            result.trouble = f"not done in {seconds:g} s"
        except torch.OutOfMemoryError:
            result.trouble = "out of memory"
        except UserError as error:
            result.trouble = str(error)
        finally:
            latest[result.sampler] = time.perf_counter() - start
            left[result.sampler] -= latest[result.sampler]

    for result in results:
        before = allocated(device)
        with timed(result):
            ready[result.sampler] = sampler(result.sampler, case, engines)
            ready[result.sampler].sample()  # the first time is slower: memory, kernels
        result.memory = allocated(device) - before
    held = {result.sampler: result.memory for result in results}
    for turn in range(repeats):
        for result in results:
            if result.trouble or (turn and left[result.sampler] < latest[result.sampler]):
                continue
            before = allocated(device)
            with timed(result):
                start = time.perf_counter()
                tokens = ready[result.sampler].sample()
                result.speeds.append(tokens / (time.perf_counter() - start))
                result.output_tokens += (tokens / outputs - result.output_tokens) / (turn + 1)
            if device.type == "cuda":
                peak = torch.cuda.max_memory_allocated(device) - before
                result.memory = max(result.memory, held[result.sampler] + peak)
    for result in results:
        result.limit = memory_limit(case, policy, result.output_tokens, bandwidth)
        engine = None if result.trouble else ready[result.sampler].engine
        if engine is not None:
            with timed(result):
                result.gap = gap_of(ready[result.sampler].rollouts, policy)
                result.handover = handover_of(engine, policy)
    for name, each in ready.items():
        if name == "vllm" and each.engine is not None:
            each.engine.stop()  # the next case uses it, too
        elif each.engine is not None:
            each.engine.close()
    ready.clear()
    gc.collect()  # recorded steps and their engine refer to each other
    if device.type == "cuda":
        torch.cuda.empty_cache()
    return results


@dataclass
class Sampler:
    """Samples the case once and returns the number of tokens."""

    sample: Callable[[], int]
    engine: Engine | None = None
    rollouts: list[Rollout] = field(default_factory=list[Rollout])  # the latest


def sampler(name: str, case: Case, engines: "Engines") -> Sampler:
    """The sampler of that name, ready to sample the case."""
    policy, device = engines.policy, engines.device
    if name == "generate":
        # In the same precision as the engines.
        model = policy.model
        if device.type == "cuda":
            model = copy.deepcopy(model).to(torch.bfloat16)
        return Sampler(lambda: generate(case, model))
    engine = engines.of(name, case)

    def by_engine() -> int:
        made.rollouts = case.rollouts()
        engine.submit(made.rollouts)
        while engine.collect():
            pass
        return sum(len(rollout.tokens) for rollout in made.rollouts)

    made = Sampler(by_engine, engine)
    return made


def gap_of(rollouts: Sequence[Rollout], policy: Policy) -> float:
    """How far log-probabilities of sampled tokens are from the trained model's own, on average."""
    device = next(policy.model.parameters()).device
    gaps: list[float] = []
    for rollout in rollouts[:COMPARED]:
        with computing_in(PolicyConfig(), device):
            own = logprobs_of(policy.model, [*rollout.prompt, *rollout.tokens])
        own = own[len(rollout.prompt) - 1 :].tolist()
        gaps += [abs(a - b) for a, b in zip(own, rollout.logprobs, strict=True)]
    return sum(gaps) / len(gaps)


def handover_of(engine: Engine, policy: Policy) -> float:
    """Seconds until an engine samples from the trained model's weights."""
    device = next(policy.model.parameters()).device
    synchronise(device)
    begin = time.perf_counter()
    engine.update(policy.model)
    synchronise(device)
    return time.perf_counter() - begin


class Engines:
    """Makes the engines. vLLM takes a minute to start, so cases that end alike share one."""

    def __init__(self, policy: Policy, cases: Sequence[Case], memory: float) -> None:
        self.policy = policy
        self.cases = cases
        self.memory = memory
        self.device = next(policy.model.parameters()).device
        self._shared: dict[tuple[int, ...], VllmEngine | UserError] = {}

    def of(self, name: str, case: Case) -> Engine:
        """An engine that is ready to sample the case."""
        if name == "vllm":
            if case.stop_tokens not in self._shared:
                try:
                    self._shared[case.stop_tokens] = self._vllm(case.stop_tokens)
                except UserError as error:  # it would fail in the next case as well
                    self._shared[case.stop_tokens] = error
            engine = self._shared[case.stop_tokens]
            if isinstance(engine, UserError):
                raise engine
            engine.max_tokens = case.max_tokens
            return engine
        settings: dict[str, Any] = {
            "stop_tokens": case.stop_tokens,
            "max_tokens": case.max_tokens,
            "slots": case.rows,
        }
        if name == "in-process":
            computing = computing_in(PolicyConfig(), self.device)
            return InProcessEngine(self.policy.model, **settings, computing=computing)
        return PagedEngine(
            self.policy.model,
            **settings,
            context=case.context,
            group=case.group,
            attention="torch" if name == "paged-torch" else "auto",
            memory=self.memory,
        )

    def _vllm(self, stop_tokens: tuple[int, ...]) -> VllmEngine:
        alike = [case for case in self.cases if case.stop_tokens == stop_tokens]
        return VllmEngine(
            # What ends an output is the case's, so that all samplers sample as much.
            replace(self.policy, stop_tokens=stop_tokens, stop_strings=()),
            max_tokens=max(case.max_tokens for case in alike),
            slots=max(case.rows for case in alike),
            context=max(case.context for case in alike),
            memory=self.memory,
        )

    def close(self) -> None:
        for engine in self._shared.values():
            if isinstance(engine, VllmEngine):
                engine.close()


@torch.inference_mode()
def generate(case: Case, model: Any) -> int:
    """Sample with model.generate, with as many rows at once; return the number of tokens."""
    device = next(model.parameters()).device
    pad = model.config.get_text_config().pad_token_id or 0
    stops = torch.tensor(case.stop_tokens, dtype=torch.long, device=device)
    at_once = case.rows // case.group
    tokens = 0
    for start in range(0, len(case.prompts), at_once):
        prompts = case.prompts[start : start + at_once]
        longest = max(map(len, prompts))
        ids = [[pad] * (longest - len(prompt)) + prompt for prompt in prompts]
        mask = [[0] * (longest - len(prompt)) + [1] * len(prompt) for prompt in prompts]
        sampled = model.generate(
            input_ids=torch.tensor(ids, device=device),
            attention_mask=torch.tensor(mask, device=device),
            num_return_sequences=case.group,
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


def memory_limit(case: Case, policy: Policy, length: float, bandwidth: float) -> float:
    """Tokens per second if a step took only as long as reading what it must."""
    config = policy.model.config.get_text_config()
    heads = getattr(config, "num_key_value_heads", None) or config.num_attention_heads
    size = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    bytes_each = 2 if next(policy.model.parameters()).is_cuda else 4
    position = 2 * heads * size * config.num_hidden_layers * bytes_each
    weights = bytes_each * sum(parameter.numel() for parameter in policy.model.parameters())
    rows = min(case.rows, len(case.prompts) * case.group)
    prompt = sum(map(len, case.prompts)) / len(case.prompts)
    read = weights + position * (rows / case.group * prompt + rows * length / 2)
    return rows * bandwidth / read


def measured_bandwidth(device: torch.device) -> float:
    """Bytes per second that a copy reads and writes."""
    count = 2**31 if device.type == "cuda" else 2**26
    source = torch.ones(count, dtype=torch.uint8, device=device)
    target = torch.empty_like(source)
    seconds: list[float] = []
    for _ in range(5):
        synchronise(device)
        start = time.perf_counter()
        target.copy_(source)
        synchronise(device)
        seconds.append(time.perf_counter() - start)
    return 2 * count / min(seconds)


def show_kernels(case: Case, engines: Engines) -> None:
    """Where the time of the paged engine goes, kernel by kernel."""
    from torch.profiler import ProfilerActivity, profile

    sample = sampler("paged", case, engines).sample
    sample()
    kinds = [ProfilerActivity.CPU]
    kinds += [ProfilerActivity.CUDA] if torch.cuda.is_available() else []
    with profile(activities=kinds) as profiler:
        sample()
    order = "cuda_time_total" if torch.cuda.is_available() else "cpu_time_total"
    print(profiler.key_averages().table(sort_by=order, row_limit=40, max_name_column_width=60))


@contextmanager
def within(seconds: float) -> Generator[None]:
    """Raise OutOfTime if the block takes longer."""

    def ring(_signal: int, _frame: Any) -> None:
        raise OutOfTime

    if seconds <= 0:
        raise OutOfTime
    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def synchronise(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def allocated(device: torch.device) -> int:
    """Bytes in use on the GPU now; also restarts the count of its peak."""
    if device.type != "cuda":
        return 0
    torch.cuda.reset_peak_memory_stats(device)
    return torch.cuda.memory_allocated(device)


def device_name(device: torch.device) -> str:
    return torch.cuda.get_device_name() if device.type == "cuda" else "cpu"


COLUMNS = (
    ("case", 12),
    ("sampler", 12),
    ("rows", 6),
    ("prompt", 7),
    ("out", 6),
    ("tokens/s", 12),
    ("of the limit", 12),
    ("memory", 9),
    ("gap", 7),
    ("new weights", 11),
    ("times generate", 14),
)


def show_header() -> None:
    print("  ".join(f"{name:>{width}}" for name, width in COLUMNS))


def show(results: Sequence[Result]) -> None:
    """A line per sampler."""
    generated = next((r.speed for r in results if r.sampler == "generate"), 0.0)
    for result in results:
        cells = [
            result.case,
            result.sampler,
            f"{result.rows:,}",
            f"{result.prompt_tokens:.0f}",
            f"{result.output_tokens:.0f}",
            f"{result.speed:,.0f}",
            f"{result.speed / result.limit:.1%}" if result.limit else "-",
            f"{result.memory / 2**30:.1f} GiB" if result.memory else "-",
            "-" if result.gap is None else f"{result.gap:.4f}",
            "-" if result.handover is None else f"{result.handover:.3f} s",
            f"{result.speed / generated:.2f}" if generated else "-",
        ]
        if result.trouble:
            cells[5:] = [result.trouble]
        pairs = zip(cells, COLUMNS, strict=False)
        print("  ".join(f"{cell:>{width}}" for cell, (_, width) in pairs), flush=True)


def write(
    output: Path, settings: dict[str, Any], device: torch.device, results: Sequence[Result]
) -> None:
    """Write all measurements as JSON."""
    import transformers

    document = {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        "torch": torch.__version__,
        "transformers": transformers.__version__,
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "device": device_name(device),
        **settings,
        "cases": [{**asdict(result), "speed": result.speed} for result in results],
    }
    with replacing(output) as file:
        file.write(json.dumps(document, indent=1).encode() + b"\n")


def settings_of(words: Sequence[str] | None = None) -> dict[str, Any]:
    """The command line as arguments of main()."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    flags: dict[str, tuple[str, dict[str, Any]]] = {
        "model": ("nano, or a Hugging Face causal model: a folder or a hub name", {}),
        "shape": (f"a Llama with random weights instead: {', '.join(SHAPES)}", {}),
        "form": ("the format of the prompts: chat, base or plain", {}),
        "environments": ("where the problems come from, in turn", {"nargs": "+"}),
        "levels": ("difficulties: 3, or 0,4,8, or 2..6; each in turn", {}),
        "problems": ("how many problems; each is sampled `group` times", {"type": int}),
        "group": ("outputs per prompt", {"type": int}),
        "max-tokens": ("the response limit in the case with natural ends", {"type": int}),
        "fixed-tokens": ("the length of all outputs in the other case", {"type": int}),
        "slots": ("how many outputs to sample at once", {"type": int}),
        "rows": ("the same, for cases with prompts of random tokens", {"nargs": "+", "type": int}),
        "prompt-tokens": ("the length of those prompts", {"type": int}),
        "new-tokens": ("the length of the outputs to them", {"nargs": "+", "type": int}),
        "samplers": (f"one or more of {', '.join(SAMPLERS)}", {"nargs": "+"}),
        "repeats": ("how many turns each sampler has, if there is time", {"type": int}),
        "limit": (
            "seconds that a sampler may take per case, including its warm-up",
            {"type": float},
        ),
        "memory": ("the share of the GPU's memory that an engine may take", {"type": float}),
        "threads": ("threads of torch on a CPU; by default its own choice", {"type": int}),
        "profile": (
            "show the kernels of the paged engine in the first case",
            {"action": "store_true"},
        ),
        "output": ("write all measurements to this JSON file", {"type": Path}),
    }
    for name, (text, extra) in flags.items():
        short = ["-o"] if name == "output" else ["-d"] if name == "levels" else []
        parser.add_argument(f"--{name}", *short, help=text, default=argparse.SUPPRESS, **extra)
    return vars(parser.parse_args(words))


if __name__ == "__main__":
    try:
        sys.exit(main(**settings_of()))
    except UserError as error:
        print(f"rollout.py: {error}", file=sys.stderr)
        sys.exit(2)
