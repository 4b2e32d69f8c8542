"""Every option that changes what is computed, alone and in the pairs that meet, on a GPU.

    cd tests && python -m gpu.matrix                      on the GPU; about 80 short runs
    cd tests && python -m gpu.matrix --device cpu         the same paths with stand-ins for kernels
    cd tests && python -m gpu.matrix --only lora --list

It needs what training needs, and nothing else: models are tiny, random, and made on the spot. Every
case compares something with a plain computation on the CPU, in single precision, without adapters'
fused kernels, shared prompts or packed rows: of a run, its first update and its last. Rewards,
learning rates and levels are worked out anew from what was sampled. Before the first step all that
is trained is moved, or adapters would add nothing and KL would be 0. A table at the end says how
far they are apart.
"""

import argparse
import json
import shutil
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from functools import partial
from io import StringIO
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any, NamedTuple

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import AutoModelForCausalLM, PreTrainedTokenizerFast

import rlve
from rlve.cli import main as command
from rlve.contract import Verdict
from rlve.foundation.run_folders import latest_checkpoint
from rlve.models import logprobs, policy
from rlve.models.config import PolicyConfig
from rlve.models.engines.choice import make_engine
from rlve.models.pass_sizes import LEAST
from rlve.models.policy import load_policy
from rlve.models.rollouts import Rollout
from rlve.train.collect import Batch
from rlve.train.config import (
    Config,
    DataConfig,
    RolloutConfig,
    RunConfig,
    UpdateConfig,
    ValidationConfig,
)
from rlve.train.history import StepMetrics, read_steps
from rlve.train.loss import LOSSES
from rlve.train.teaching import TeachingRun
from rlve.train.teaching.config import (
    LessonConfig,
    TeachingConfig,
    TeachingUpdateConfig,
    TeachingValidationConfig,
)
from rlve.train.teaching.examples import answer_loss
from rlve.train.trainer import Run
from rlve.train.update import Updater
from support.families import FAMILIES, OTHERS, tiny_model
from support.sampling import complete
from support.successor import Successor

TEMPLATE = (
    "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}"
    "{% if mood %}({{ mood }}){% endif %}<assistant>"
)
CONTEXT = 1024
STEPS = 2
PEAK = 1e-3
MOVED = 0.05  # by which weights are moved; those of the models have a spread of 0.1

MODELS = {  # family, and what is special about it
    "llama": "llama",
    "qwen2": "qwen2",
    "gemma3": "gemma3",  # tied embeddings, and layers with a window
    "mistral": "mistral, window",  # a window in every layer
    "qwen3_moe": "qwen3_moe",  # experts
    "gpt2": "gpt2",  # no rotations, other linear layers, tied embeddings
}


class Limits(NamedTuple):
    """How far a case may be from the plain computation."""

    gap: float  # of log-probabilities, between sampler and update, on average over a step
    value: float  # of loss and entropy
    norm: float  # of the gradient, relative
    angle: float  # one minus the cosine between the gradients


EXACT = Limits(1e-3, 1e-3, 1e-2, 1e-3)
HALF = Limits(0.02, 0.05, 0.15, 0.05)


@dataclass(frozen=True)
class Case:
    """A run: its model, and settings that are not the usual ones, by section.

    rates   the learning rates of its steps, relative to the peak; by default they stay there
    alike   settings of the update with which a plain computation gives the same
    packed  whether rows go without padding where a GPU can do that
    begin   what to do before the first step
    check   compares more of what the run did with a plain computation of it
    """

    model: str = "llama"
    policy: dict[str, Any] | None = None
    data: dict[str, Any] | None = None
    rollout: dict[str, Any] | None = None
    update: dict[str, Any] | None = None
    validation: dict[str, Any] | None = None
    rates: tuple[float, ...] = (1.0,) * STEPS
    alike: dict[str, Any] | None = None
    packed: bool = True
    begin: Callable[[Run], None] | None = None
    check: Callable[[Config, "Recorder"], None] | None = None

    def __or__(self, other: "Case") -> "Case":
        joined = {
            part: {**(getattr(self, part) or {}), **(getattr(other, part) or {})}
            for part in ("policy", "data", "rollout", "update", "validation")
        }
        packed = self.packed and other.packed
        return replace(other, model=self.model, packed=packed, **joined)


# Of a whole run


def check(agree: bool, fault: str) -> None:
    if not agree:
        raise AssertionError(fault)


@torch.no_grad()
def move(run: Any) -> None:
    """Move all that is trained away from what was loaded, and tell the sampler."""
    generator = torch.Generator().manual_seed(1)
    for weight in run.policy.model.parameters():
        if weight.requires_grad:
            noise = torch.randn(weight.shape, generator=generator)
            weight.add_(MOVED * noise.to(weight.device))
    run.engine.update(run.policy.model)


def rewards_anew(config: Config, kept: "Recorder") -> None:
    """Rewards, signal and advantages of the first batch, from the texts of its outputs."""
    rollout, decode = config.rollout, kept.run.policy.decode
    marker, scale = kept.run.policy.format.marker, config.update.normalisation or "deviation"
    if ":" in config.update.loss:
        scale = "nothing"
    batch, other_readings = kept.batches[0], 0
    for group in batch.finished:
        texts = [decode(each.tokens) for each in group.rollouts]
        verdicts, exact = (
            [group.item.problem.verify(text, marker=marker, reading=reading) for text in texts]
            for reading in (rollout.reading, "exact")
        )
        other_readings += sum(a != b for a, b in zip(verdicts, exact, strict=True))
        rewards = [worth(verdict, rollout.signal) for verdict in verdicts]
        check(group.outcome.rewards == rewards, "rewards are not those of the texts")
        check(group.outcome.signal == (len(set(rewards)) > 1), "signal is taken for none")
        if group.outcome.signal:
            mean = fmean(rewards)
            divisor = {"deviation": pstdev(rewards), "mean": mean, "nothing": 1.0}[scale]
            pairs = zip(group.outcome.advantages, rewards, strict=True)
            apart = max(abs(found - (reward - mean) / divisor) for found, reward in pairs)
            check(apart < 1e-4, f"advantages are {apart:.1g} off")
    trained = [[row.advantage for row in rows] for rows in kept.updates[0].groups]
    expected = [group.outcome.advantages for group in batch.groups]
    check(trained == expected, "outputs are trained with other advantages")
    check(bool(other_readings) == (rollout.reading == "forgiving"), "answers are not read so")


def worth(verdict: Verdict, signal: str) -> float:
    return {
        "reward": verdict.reward,
        "correct": float(verdict.correct),
        "form": float(verdict.well_formed),
    }[signal]


TAU = 8  # rollouts that decide


def start_high(run: Run) -> None:
    """Mastered up to level 3, where a model that knows nothing fails."""
    for level in range(3):
        run.gym.curriculum.observe_group("Successor", level, [True] * TAU, [1.0] * TAU)
        run.gym.curriculum.step()


def both_ways(config: Config, kept: "Recorder") -> None:
    """The ranges of all steps, by the rule written out."""
    high, correct, total = 3, 0, 0
    for step, batch in zip(kept.steps, kept.batches, strict=True):
        for group in batch.finished:
            if group.item.difficulty == high:
                total += len(group.judged)
                correct += sum(verdict.correct for _, verdict in group.learnable)
        if total >= TAU:
            share, correct, total = correct / total, 0, 0
            if share >= config.data.target + 0.2:
                high += 1
            elif share <= config.data.target - 0.2:
                high = max(0, high - 1)
        expected = {"Successor": (max(0, high - 3), high)}
        check(step.bounds == expected, f"{step.bounds} instead of {expected}")
    check(high < 3, "the level has not fallen")


def in_the_mood(config: Config, kept: "Recorder") -> None:
    """Prompts as the template writes them."""
    tokenizer = kept.run.policy.tokenizer
    for group in kept.batches[0].groups:
        wrapped = kept.run.policy.format.wrap(group.item.problem.prompt())
        text = f"<user>{wrapped[0]['content']}(brief)<assistant>"
        expected = tokenizer(text, add_special_tokens=False)["input_ids"]
        check(group.rollouts[0].prompt == expected, "the template was given no mood")


def held_in_half(config: Config, kept: "Recorder") -> None:
    """What is trained in single precision, and the layers below it in half."""
    for name, weight in kept.start.items():
        half = name.endswith("base_layer.weight") or "lm_head" in name
        held = weight.dtype == torch.bfloat16
        check(held == half, f"{name} is held in {weight.dtype}")


@torch.no_grad()
def in_the_nucleus(config: Config, kept: "Recorder") -> None:
    """Measured outputs, by the chances that the model itself gives their tokens."""
    top_p, unlikely = config.validation.top_p, 0
    check(bool(kept.narrowed), "nothing was sampled with top-p")
    for rollouts, temperature, weights in kept.narrowed:
        model = plain_model(config.policy, weights).eval()
        for rollout in rollouts:
            logits = model(torch.tensor([rollout.context])).logits[0, len(rollout.prompt) - 1 : -1]
            chances = (logits / temperature).softmax(-1)
            chosen = chances.gather(1, torch.tensor(rollout.tokens).unsqueeze(1))
            likelier = float(chances.where(chances > chosen, 0).sum(-1).max())
            check(likelier < top_p + 0.02, f"top-p has kept a token after {likelier:.2f}")
            unlikely += int((chosen < chances.amax(-1, keepdim=True)).sum())
    check(unlikely > 0, "nothing but the likeliest tokens was drawn")


def exhaust(device: torch.device) -> None:
    """Run out of memory, on a GPU truly."""
    if device.type == "cuda":
        whole = torch.cuda.get_device_properties(device).total_memory
        torch.empty(2 * whole, dtype=torch.uint8, device=device)
    raise torch.OutOfMemoryError("a stand-in")


def run_out_of_memory(run: Run) -> None:
    """In the second pass of an update, and in the second burst of the sampler."""
    run.updater.passes.chosen, run.updater.passes.tokens = True, 2 * LEAST  # as on a GPU
    passes, bursts = [0], [0]
    body, _ = run.updater.score.parts
    decode = run.engine._passes.decode

    def second_pass(*_: Any) -> None:
        passes[0] += torch.is_grad_enabled()
        if torch.is_grad_enabled() and passes[0] == 2:
            exhaust(run.device)

    def second_burst(*arguments: Any, **settings: Any) -> Any:
        bursts[0] += 1
        if bursts[0] == 2:
            exhaust(run.device)
        return decode(*arguments, **settings)

    body.register_forward_pre_hook(second_pass)
    run.engine._passes.decode = second_burst


def smaller_passes(config: Config, kept: "Recorder") -> None:
    tokens = kept.run.updater.passes.tokens
    check(tokens == LEAST, f"passes have {tokens} tokens after memory ran out")


COUNTING = "AddMultiple_Divisible_Counting"  # whose first answers are digits
LORA = Case(policy={"lora_rank": 4})
MEETS_LORA = {
    "checkpointing": Case(policy={"gradient_checkpointing": True}),
    "kl": Case(update={"kl": 0.5}),
    "two updates": Case(update={"updates_per_step": 2}),
    "dialogue": Case(  # whose messages end with an answer, so that replies follow
        policy={"stop_strings": ("</answer>",)},
        data={"environments": (f"{COUNTING}_2Tries",)},
        rollout={"max_tokens": 300},
    ),
    "stop strings": Case(policy={"stop_strings": ("</answer>",)}),
    "dataset": Case(data={"environments": ("C1",), "dataset": Path("questions.jsonl")}),
    "base format": Case(policy={"format": "base"}),
    "chat format": Case(policy={"format": "chat", "system_prompt": "Be brief."}),
    "float32": Case(policy={"dtype": "float32"}),
    "eager": Case(policy={"attention": "eager"}, packed=False),
    "unshared prompts": Case(update={"share_prompts": False}),
    "small passes": Case(update={"micro_batch_tokens": 256}),
}
ALONE = {
    "bfloat16": Case(policy={"dtype": "bfloat16"}),
    "in-process engine": Case(rollout={"engine": "in-process"}),
    "a share of memory": Case(rollout={"memory": 0.2}),
    "temperature 0.7": Case(rollout={"temperature": 0.7}),
    "correctness": Case(rollout={"signal": "correct"}, check=rewards_anew),
    "form": Case(rollout={"signal": "form"}, check=rewards_anew),
    "forgiving": Case(rollout={"reading": "forgiving"}, check=rewards_anew),
    "divided by the mean": Case(
        rollout={"signal": "form"}, update={"normalisation": "mean"}, check=rewards_anew
    ),
    "a loss of one's own": Case(
        update={"loss": "gpu.own_loss:LOSS"}, alike={"loss": "cispo"}, check=rewards_anew
    ),
    "no partial rollouts": Case(rollout={"partial": False}),
    "overlong masked": Case(rollout={"overlong": "mask"}),
    "overlong penalised": Case(rollout={"overlong": "penalise", "overlong_buffer": 8}),
    "sample aggregation": Case(update={"aggregation": "sample"}),
    "warm-up and cosine": Case(
        update={"warmup_steps": 2, "schedule": "cosine"}, rates=(0.5, 1.0, 1.0, 0.5)
    ),
    "linear": Case(update={"schedule": "linear"}, rates=(1.0, 2 / 3, 1 / 3)),
    "static difficulty": Case(data={"static": (1, 3)}),
    "two-way": Case(
        data={"curriculum": "two-way", "tau_num": TAU},
        rates=(1.0,) * 3,
        begin=start_high,
        check=both_ways,
    ),
    "template arguments": Case(
        policy={"format": "chat", "template_arguments": ("mood=brief",)}, check=in_the_mood
    ),
    "measured with top-p": Case(
        validation={"every": 1, "levels": (0,), "problems": 4, "top_p": 0.5}, check=in_the_nucleus
    ),
    "out of memory": Case(begin=run_out_of_memory, check=smaller_passes),
    "lora in bfloat16": LORA | Case(policy={"dtype": "bfloat16"}, check=held_in_half),
    "lora of two layers": LORA | Case(policy={"lora_targets": ("q_proj", "v_proj")}),
    "lora with an alpha": LORA | Case(policy={"lora_alpha": 3.0}),
}


def all_cases() -> dict[str, Case]:
    found = {"as it is": Case(), "lora": LORA}
    for name in [model for model in MODELS if model != "llama"]:
        found[name] = Case(name, packed=name != "qwen3_moe")
        found[f"lora x {name}"] = found[name] | LORA
    found |= {f"loss {name}": Case(update={"loss": name}) for name in LOSSES if name != "dapo"}
    found |= ALONE | MEETS_LORA
    found |= {f"lora x {name}": LORA | case for name, case in MEETS_LORA.items()}
    found["kl x two updates"] = MEETS_LORA["kl"] | MEETS_LORA["two updates"]
    found["checkpointing x small passes"] = MEETS_LORA["checkpointing"] | MEETS_LORA["small passes"]
    found["dialogue x unshared prompts"] = MEETS_LORA["dialogue"] | MEETS_LORA["unshared prompts"]
    return found


# What is compared


@dataclass
class Found:
    """What a run computed, and what a plain computation of the same gives."""

    gap: float | None = None
    value: float | None = None
    norm: float | None = None
    angle: float | None = None
    note: str = ""

    def faults(self, limits: Limits) -> list[str]:
        pairs = [(name, getattr(self, name), getattr(limits, name)) for name in limits._fields]
        return [
            f"{name} {value:.2g} above {limit:g}"
            for name, value, limit in pairs
            if value is not None and not value <= limit
        ]


@dataclass
class Step:
    """What an update of a run began with, and what came of it."""

    groups: Any
    weights: dict[str, torch.Tensor]
    moments: dict[int, dict[str, torch.Tensor]]
    metrics: dict[str, float] | None = None
    gradient: torch.Tensor | None = None  # the first, if it takes several


class Recorder:
    """Keeps the weights that a run was given, its updates, and what was measured with top-p.

    And of all steps the batches, and the learning rates that the optimiser was given.
    """

    def __init__(self, run: Run) -> None:
        self.start = on_cpu(run.policy.model)
        self.updates: list[Step] = []
        self.batches: list[Batch] = []
        self.rates: dict[int, set[float]] = {}
        self.narrowed: list[tuple[Sequence[Rollout], float, dict[str, torch.Tensor]]] = []
        self.run, self._update, self._collect = run, run.updater.update, run.collector.collect
        self._submit = run.engine.submit
        run.updater.update = self.update
        run.collector.collect = self.collect
        run.engine.submit = self.submit
        run.optimizer.register_step_pre_hook(self.step)

    @property
    def steps(self) -> list[StepMetrics]:
        return read_steps(self.run.folder)

    def collect(self, *arguments: Any) -> Batch:
        self.batches.append(self._collect(*arguments))
        return self.batches[-1]

    def submit(self, rollouts: Sequence[Rollout]) -> None:
        engine = self.run.engine
        if engine.top_p < 1:
            weights = on_cpu(self.run.policy.model)
            self.narrowed.append((rollouts, engine.temperature, weights))
        self._submit(rollouts)

    def update(self, groups: Any) -> dict[str, float]:
        moments = {
            index: {name: value.to("cpu", copy=True) for name, value in state.items()}
            for index, state in self.run.optimizer.state_dict()["state"].items()
        }
        step = Step(groups, on_cpu(self.run.policy.model), moments)
        self.updates.append(step)
        step.metrics = self._update(groups)
        return step.metrics

    def step(self, optimizer: Any, *_: Any) -> None:
        rates = self.rates.setdefault(self.run.step + 1, set())
        rates.update(group["lr"] for group in optimizer.param_groups)
        if self.updates[-1].gradient is None:
            self.updates[-1].gradient = gradient_of(optimizer)


def gradient_of(optimizer: Any) -> torch.Tensor:
    weights = [weight for group in optimizer.param_groups for weight in group["params"]]
    parts = [torch.zeros_like(w) if w.grad is None else w.grad for w in weights]
    return torch.cat([part.detach().float().cpu().flatten() for part in parts])


def on_cpu(model: Any) -> dict[str, torch.Tensor]:
    state = model.state_dict().items()
    return {name: weight.detach().to("cpu", copy=True) for name, weight in state}


def plain_model(config: PolicyConfig, weights: dict[str, torch.Tensor]) -> Any:
    plain = replace(
        config, device="cpu", dtype="float32", attention="auto", gradient_checkpointing=False
    )
    model = load_policy(plain, context=CONTEXT).model
    model.load_state_dict(weights)
    return model


def compare_rates(case: Case, kept: Recorder) -> None:
    """The learning rates, as they were used and as they are written down."""
    told = {step.step: {step.learning_rate} for step in kept.steps}
    for step, rates in kept.rates.items():
        expected = {PEAK * case.rates[step - 1]}
        near = all(abs(rate - PEAK * case.rates[step - 1]) < 1e-9 for rate in rates | told[step])
        check(near, f"step {step} learns at {rates}, said {told[step]}, instead of {expected}")


def compare_updates(config: Config, kept: Recorder, alike: dict[str, Any]) -> Found:
    """The first update and the last, and the sampler at all steps."""
    check(len(kept.updates) > 1, "there were not two updates to compare")
    ends = [compare_update(config, kept, kept.updates[i], alike) for i in (0, -1)]
    gaps = [each.metrics["sampler_gap"] for each in kept.updates if "sampler_gap" in each.metrics]
    return Found(
        gap=worst(gaps),
        value=worst(end.value for end in ends),
        norm=worst(end.norm for end in ends),
        angle=worst(end.angle for end in ends),
    )


def worst(numbers: Iterable[float]) -> float:
    """The largest; nan if there is one."""
    return float(torch.tensor([*numbers], dtype=torch.float64).max())


def compare_update(config: Config, kept: Recorder, step: Step, alike: dict[str, Any]) -> Found:
    """An update against the same on the CPU, one output after another."""
    model = plain_model(config.policy, step.weights)
    trained = [weight for weight in model.parameters() if weight.requires_grad]
    betas = config.update.beta1, config.update.beta2
    optimizer = torch.optim.AdamW(trained, lr=config.update.peak, betas=betas, weight_decay=0.0)
    optimizer.load_state_dict({**optimizer.state_dict(), "state": step.moments})
    gradients: list[torch.Tensor] = []
    optimizer.register_step_pre_hook(lambda *args: gradients.append(gradient_of(args[0])))
    updater = Updater(
        model,
        optimizer,
        replace(config.update, share_prompts=False, micro_batch_tokens=None, **alike),
        temperature=config.rollout.temperature,
        max_tokens=config.rollout.max_tokens,
        start=plain_model(config.policy, kept.start) if config.update.kl else None,
        flat=False,
    )
    expected = updater.update(step.groups)
    one, other = step.gradient, gradients[0]
    names = ("loss", "entropy", "kl") if config.update.kl else ("loss", "entropy")
    return Found(
        value=worst(abs(step.metrics[name] - expected[name]) for name in names),
        norm=abs(float(one.norm() / other.norm()) - 1),
        angle=1 - float(torch.cosine_similarity(one, other, dim=0)),
    )


# Runs


class Bench:
    """A folder with models and questions, and how to run cases in it."""

    def __init__(self, folder: Path, device: str) -> None:
        self.folder, self.device = folder, device
        self.count = 0
        questions = [{"prompt": f"{i} and 1?", "ground_truth": str(i + 1)} for i in range(9)]
        text = "".join(f"{json.dumps(row)}\n" for row in questions)
        (folder / "questions.jsonl").write_text(text)
        lines = [
            json.dumps({"prompt": f"{i} and 1?", "completion": f"{i + 1}!"}) for i in range(16)
        ]
        (folder / "examples.jsonl").write_text("\n".join(lines))
        tokenizer = byte_tokenizer()
        for name, family in MODELS.items():
            kind, settings = FAMILIES.get(family) or (family, OTHERS[family])
            longest = "n_positions" if kind == "gpt2" else "max_position_embeddings"
            ids = {"vocab_size": len(tokenizer), "eos_token_id": tokenizer.eos_token_id}
            model = tiny_model(kind, spread=0.1, **{**settings, **ids, longest: CONTEXT})
            # As most models are stored: half precision loses nothing.
            model.to(torch.bfloat16).float().save_pretrained(folder / name)
            tokenizer.save_pretrained(folder / name)

    def new(self) -> Path:
        self.count += 1
        return self.folder / f"run-{self.count}"

    def limits(self, config: PolicyConfig) -> Limits:
        on_gpu = self.device == "cuda"
        half = config.dtype == "bfloat16" or (config.dtype == "auto" and on_gpu)
        limits = HALF if half else EXACT
        # There, the sampler's copy is in half precision all the same.
        return limits._replace(gap=HALF.gap) if on_gpu else limits

    def path(self, case: Case, score: logprobs.Scorer) -> str:
        """Whether rows are packed, which must be as the case says."""
        single = case.policy is not None and case.policy.get("dtype") == "float32"
        able = self.device == "cpu" or (not single and packs_on_gpu())  # a stand-in takes any
        found, expected = (
            "packed" if flat else "padded" for flat in (score.flat, able and case.packed)
        )
        check(found == expected, f"rows are {found}")
        return found

    def config(self, case: Case, *, steps: int | None = None) -> Config:
        steps = len(case.rates) if steps is None else steps
        data = {"environments": ("Successor",), "max_prompt_tokens": 512, **(case.data or {})}
        if "dataset" in data:
            data["dataset"] = self.folder / data["dataset"]
        rollout = {"engine": "paged", "max_tokens": 24, **(case.rollout or {})}
        policy = {"format": "plain", **(case.policy or {})}
        return Config(
            policy=PolicyConfig(model=str(self.folder / case.model), device=self.device, **policy),
            data=DataConfig(**data),
            rollout=RolloutConfig(problems=6, oversample=8, rounds=2, group=8, slots=64, **rollout),
            update=UpdateConfig(learning_rate=PEAK, **{"weight_decay": 0.0, **(case.update or {})}),
            validation=ValidationConfig(**(case.validation or {"every": 0})),
            run=RunConfig(folder=self.new(), steps=steps, checkpoint_every=steps, workers=1),
        )

    def train(self, case: Case) -> Found:
        config = self.config(case)
        with Run(config) as run:
            kept = Recorder(run)
            move(run)
            if case.begin is not None:
                case.begin(run)
            run.finish()
        found = compare_updates(config, kept, case.alike or {})
        found.note = self.path(case, run.updater.score)
        compare_rates(case, kept)
        if case.check is not None:
            case.check(config, kept)
        return found

    def teach(self, case: Case, **lesson: Any) -> Found:
        usual = {"environments": ("Successor",), "examples": 16, "max_prompt_tokens": 512}
        config = TeachingConfig(
            policy=self.config(case).policy,
            data=LessonConfig(without=(), **{**usual, **lesson}),
            update=TeachingUpdateConfig(learning_rate=PEAK, warmup_steps=0),
            validation=TeachingValidationConfig(
                levels=(0,), problems=2, every=0 if lesson else None
            ),
            run=RunConfig(folder=self.new(), steps=1, workers=1),
        )
        with TeachingRun(config) as run:
            move(run)
            weights, batches, take = on_cpu(run.policy.model), [], run.source.take
            gradients: list[torch.Tensor] = []
            run.optimizer.register_step_pre_hook(
                lambda *args: gradients.append(gradient_of(args[0]))
            )
            run.source.take = lambda: batches.append(take()) or batches[-1]
            [metrics] = list(run)
            decode = run.policy.tokenizer.decode
            taught = [(decode(each.prompt), decode(each.answer)) for each in batches[0]]
        compare_lesson(config.data, taught, [example.problem for example in batches[0]])
        model = plain_model(config.policy, weights)
        score = logprobs.Scorer(model, flat=False)
        tokens = sum(example.learnt for example in batches[0])
        loss = answer_loss(score, batches[0]).loss / tokens
        loss.backward()
        expected = torch.cat(
            [w.grad.flatten() for w in model.parameters() if w.requires_grad and w.grad is not None]
        )
        return Found(
            value=abs(metrics.loss - loss.item()),
            norm=abs(metrics.grad_norm / float(expected.norm()) - 1),  # before it is clipped
            angle=1 - float(torch.cosine_similarity(gradients[0], expected, dim=0)),
            note=self.path(case, run.score),
        )

    def resume(self, case: Case) -> Found:
        """A resumed run against one that goes on: the same weights and moments, and next step."""
        config = self.config(case, steps=2)
        other = config.run.folder.with_name(f"{config.run.folder.name}-resumed")
        with Run(config) as run:
            move(run)
            run.finish()
            shutil.copytree(run.folder, other)
            weights, moments = on_cpu(run.policy.model), optimiser_state(run.optimizer)
            on = run.train_step()
        longer = replace(config.run, folder=other, steps=3)
        with Run(replace(config, run=longer), resume=True) as run:
            same = same_tensors(weights, on_cpu(run.policy.model))
            same = same and same_tensors(moments, optimiser_state(run.optimizer))
            again = run.train_step()
        if not same:
            raise AssertionError("the weights or the optimiser differ after resuming")
        if self.device == "cpu" and (on.tokens, on.reward) != (again.tokens, again.reward):
            raise AssertionError("the next step samples something else after resuming")
        gap = worst([on.sampler_gap, again.sampler_gap])
        return Found(gap=gap, note=f"loss {on.loss:.4f}, resumed {again.loss:.4f}")

    def export(self, case: Case) -> Found:
        """The exported model, and adapters alone, against the trained one, and `rlve eval`."""
        config = self.config(case)
        with Run(config) as run:
            move(run)
            run.finish()
            weights = on_cpu(run.policy.model)
        trained = plain_model(config.policy, weights).eval()
        out = self.new()
        quietly("export", run.folder, out)
        merged = AutoModelForCausalLM.from_pretrained(out).eval()
        ids = torch.arange(40).unsqueeze(0)
        with torch.no_grad():
            expected, found = trained(ids).logits, merged(ids).logits
        note = f"{sum(f.stat().st_size for f in latest(run.folder).rglob('*')) / 1e3:.0f} kB stored"
        if config.policy.lora_rank:
            alone = self.new()
            quietly("export", run.folder, alone, "--adapter")
            from peft import PeftModel

            base = AutoModelForCausalLM.from_pretrained(self.folder / case.model)
            with torch.no_grad():
                again = PeftModel.from_pretrained(base, alone).eval()(ids).logits
            found = torch.stack([found, again])
            expected = torch.stack([expected, expected])
        regret = self.regret(out, merged)
        apart = float((found - expected).abs().max())
        return Found(gap=regret, value=apart, note=note)

    def regret(self, folder: Path, model: Any) -> float:
        """How much less likely greedy outputs of the engine are than the likeliest ones.

        `rlve eval` must also answer all questions with it.
        """
        suite, place = self.folder / "suite.jsonl", self.new()
        if not suite.exists():
            quietly("dataset", COUNTING, "-d", "0..3", "-n", "8", "-o", suite)
        options = f"--max-tokens 12 --temperature 0 --device {self.device} --format plain"
        where = ["--suite", suite, "--folder", place, "--workers", "1"]
        quietly("eval", "-m", folder, *where, *options.split())
        if len(read_rows(place / "outputs.jsonl")) != len(read_rows(suite)):
            raise AssertionError("rlve eval left questions unanswered")
        config = PolicyConfig(model=str(folder), device=self.device, format="plain")
        policy = load_policy(config, context=CONTEXT)
        engine = make_engine(policy, name="paged", max_tokens=12, slots=8, temperature=0)
        cls = rlve.environment(COUNTING)
        rollouts = [Rollout(policy.encode(cls.generate(difficulty=0, seed=i))) for i in range(8)]
        complete(engine, rollouts)
        engine.close()
        lost: list[float] = []
        for rollout in rollouts:
            ids = torch.tensor([rollout.context])
            with torch.no_grad():
                logits = model(ids).logits[0, len(rollout.prompt) - 1 : -1]
            chances = logits.log_softmax(-1)
            chosen = chances.gather(1, torch.tensor(rollout.tokens).unsqueeze(1)).squeeze(1)
            lost += (chances.max(-1).values - chosen).tolist()
        return sum(lost) / len(lost)

    def frontier(self, case: Case) -> Found:
        """`rlve frontier` twice: the second finds all of it done, and says the same."""
        place = self.new()
        options = f"--outputs 24 --max-tokens 12 --device {self.device} --format plain --seed 1"
        words = ["frontier", self.folder / case.model, COUNTING, "--folder", place]
        profiles = []
        for _ in range(2):
            profiles.append(quietly(*words, "--workers", "1", "--json", *options.split()))
        count = len(read_rows(place / "outputs.jsonl"))
        if profiles[0] != profiles[1] or not 0 < count <= 24:
            raise AssertionError("the second profile differs, or the budget was not kept to")
        return Found(note=f"{count} outputs")


def compare_lesson(data: LessonConfig, taught: list[tuple[str, str]], problems: list[Any]) -> None:
    """What was taught, against the file, the worked solutions or the references."""
    if data.file is not None:
        rows = read_rows(data.file)
        expected = sorted((row["prompt"], f"{row['completion']}<end>") for row in rows)
        check(sorted(taught) == expected, "an epoch is not all that is in the file")
        return
    for (_, answer), problem in zip(taught, problems, strict=True):
        lines = problem.worked() if data.worked == "only" else [problem.reference()]
        check(data.worked == "off" or len(lines) > 1, "there is no worked solution")
        check("\n".join(lines[:-1]) in answer, "the worked solution is not shown")
        check(problem.verify(answer.removesuffix("<end>")).correct, "a wrong answer is taught")


def latest(run: Path) -> Path:
    found = latest_checkpoint(run)
    if found is None:
        raise AssertionError("there is no checkpoint")
    return found


def read_rows(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def optimiser_state(optimizer: Any) -> dict[str, torch.Tensor]:
    return {
        f"{index} {name}": value.detach().to("cpu", copy=True)
        for index, state in optimizer.state_dict()["state"].items()
        for name, value in state.items()
    }


def same_tensors(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> bool:
    return one.keys() == other.keys() and all(torch.equal(one[k], other[k]) for k in one)


def quietly(*words: Any) -> str:
    """A command of rlve, which must succeed; what it prints."""
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = command([str(word) for word in words])
    if code:
        raise AssertionError(f"rlve {words[0]} failed: {err.getvalue().strip()}")
    return out.getvalue()


def byte_tokenizer() -> PreTrainedTokenizerFast:
    """Bytes, and ten whole answers in each way to mark them, so that random outputs have some.

    Some of them end with a full stop, which is not to be read exactly.
    """
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    core = Tokenizer(models.BPE({letter: i for i, letter in enumerate(letters)}, []))
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.decoder = decoders.ByteLevel()
    made = PreTrainedTokenizerFast(tokenizer_object=core, pad_token="<pad>", eos_token="<end>")
    marks = ("<answer>{}</answer>", "\\boxed{{{}}}", "<answer>{}.</answer>")
    made.add_tokens([mark.format(digit) for mark in marks for digit in range(10)])
    made.chat_template = TEMPLATE
    return made


def packs_on_gpu() -> bool:
    """Whether torch has attention for packed rows here."""
    nvidia = torch.version.cuda is not None and torch.cuda.get_device_capability() >= (8, 0)
    return nvidia and torch.__version__ >= (2, 11)


def jobs(bench: Bench) -> dict[str, tuple[Callable[[Case], Found], Case]]:
    """Everything there is to do, by name."""
    found: dict[str, tuple[Callable[[Case], Found], Case]] = {
        name: (bench.train, case) for name, case in all_cases().items()
    }
    for name, case in {"": Case(), "lora x ": LORA}.items():
        found[f"{name}teach"] = bench.teach, case
        found[f"{name}resume"] = bench.resume, case
        found[f"{name}export and eval"] = bench.export, case
        found[f"{name}export and eval, experts"] = bench.export, Case("qwen3_moe") | case
        found[f"{name}resume, experts"] = bench.resume, Case("qwen3_moe") | case
    file = partial(bench.teach, file=bench.folder / "examples.jsonl")
    worked = {"environments": (COUNTING,), "levels": (0,), "worked": "only", "examples": 4}
    worked |= {"max_prompt_tokens": 400, "max_answer_tokens": 620}
    found["teach a file"] = file, Case()
    found["teach worked solutions"] = partial(bench.teach, **worked), Case()
    found["frontier"] = bench.frontier, Case()
    return found


def holds_half_on_a_cpu(config: PolicyConfig, device: str) -> bool:
    """A stand-in for what happens on a GPU."""
    return config.lora_rank > 0 and config.dtype == "bfloat16"


def run_all(bench: Bench, names: list[str]) -> list[tuple[str, Found | None, str, float]]:
    rows: list[tuple[str, Found | None, str, float]] = []
    known = jobs(bench)
    for name in names:
        work, case = known[name]
        begin, found, fault = time.perf_counter(), None, ""
        try:
            found = work(case)
            settings = PolicyConfig(**(case.policy or {}))
            fault = "; ".join(found.faults(bench.limits(settings)))
        except Exception as error:  # noqa: BLE001  the table names it, and the rest goes on
            traceback.print_exc()
            fault = f"{type(error).__name__}: {str(error).strip().splitlines()[:1]}"
        rows.append((name, found, fault, time.perf_counter() - begin))
        print(f"{'FAILED' if fault else 'ok':6} {name}  {fault}", file=sys.stderr, flush=True)
    return rows


def write_table(rows: list[tuple[str, Found | None, str, float]]) -> str:
    def number(value: float | None) -> str:
        return "" if value is None else f"{value:.1e}"

    lines = ["| case | gap | loss, entropy | norm | angle | seconds | |", "|" + " --- |" * 7]
    for name, found, fault, seconds in rows:
        found = found or Found()
        numbers = [number(getattr(found, field)) for field in Limits._fields]
        lines.append(
            f"| {name} | {' | '.join(numbers)} | {seconds:.1f} | {fault or found.note or 'ok'} |"
        )
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, add_help=True)
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--only", default="", help="cases whose names have this in them")
    parser.add_argument("--list", action="store_true", help="print the names of the cases")
    given = parser.parse_args()
    if given.device == "cuda" and not torch.cuda.is_available():
        print("There is no GPU here, so nothing was tested.")
        return 0
    rlve.register(Successor)
    rlve.tries(COUNTING, 2)
    if given.device == "cpu":  # rows are packed all the same, and a stand-in attends to them
        torch.set_num_threads(1)
        logprobs.has_kernel_for_spans = lambda device, dtype: True
        policy.holds_half = holds_half_on_a_cpu
    begin = time.perf_counter()
    with tempfile.TemporaryDirectory() as scratch:
        bench = Bench(Path(scratch), given.device)
        names = [name for name in jobs(bench) if given.only in name]
        if not names:
            parser.error(f"no case has {given.only!r} in its name")
        if given.list:
            print("\n".join(names))
            return 0
        rows = run_all(bench, names)
    failed = sum(bool(fault) for _, _, fault, _ in rows)
    where = torch.cuda.get_device_name() if given.device == "cuda" else "a CPU"
    print(write_table(rows))
    seconds = time.perf_counter() - begin
    print(f"\n{len(rows) - failed} of {len(rows)} cases hold on {where}, in {seconds:.0f} seconds.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
