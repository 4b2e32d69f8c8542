"""Every option that changes what is computed, alone and in the pairs that meet, on a GPU.

    cd tests && python -m gpu.matrix                      on the GPU; about 60 short runs
    cd tests && python -m gpu.matrix --device cpu         the same paths with stand-ins for kernels
    cd tests && python -m gpu.matrix --only lora --list

It needs what training needs, and nothing else: models are tiny, random, and made on the spot. Every
case compares something with a plain computation on the CPU, in single precision, without adapters'
fused kernels, shared prompts or packed rows. A table at the end says how far they are apart.
"""

import argparse
import copy
import json
import shutil
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import AutoModelForCausalLM, PreTrainedTokenizerFast

import rlve
from rlve.cli import main as command
from rlve.foundation.run_folders import latest_checkpoint
from rlve.models import logprobs
from rlve.models.config import PolicyConfig
from rlve.models.engines.choice import make_engine
from rlve.models.policy import load_policy
from rlve.models.rollouts import Rollout
from rlve.train.config import (
    Config,
    DataConfig,
    RolloutConfig,
    RunConfig,
    UpdateConfig,
    ValidationConfig,
)
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
from support.successor import Successor

TEMPLATE = "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}<assistant>"
CONTEXT = 1024
STEPS = 2

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

    gap: float  # of log-probabilities, between sampler and update, on average
    value: float  # of loss and entropy
    norm: float  # of the gradient, relative
    angle: float  # one minus the cosine between the gradients


EXACT = Limits(1e-3, 1e-3, 1e-2, 1e-3)
HALF = Limits(0.05, 0.05, 0.15, 0.05)


@dataclass(frozen=True)
class Case:
    """A run: its model, and settings that are not the usual ones, by section."""

    model: str = "llama"
    policy: dict[str, Any] | None = None
    data: dict[str, Any] | None = None
    rollout: dict[str, Any] | None = None
    update: dict[str, Any] | None = None

    def __or__(self, other: "Case") -> "Case":
        joined = {
            part: {**(getattr(self, part) or {}), **(getattr(other, part) or {})}
            for part in ("policy", "data", "rollout", "update")
        }
        return Case(self.model, **joined)


COUNTING = "AddMultiple_Divisible_Counting"  # whose first answers are digits
LORA = Case(policy={"lora_rank": 4})
MEETS_LORA = {
    "checkpointing": Case(policy={"gradient_checkpointing": True}),
    "kl": Case(update={"kl": 0.1}),
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
    "eager": Case(policy={"attention": "eager"}),
    "unshared prompts": Case(update={"share_prompts": False}),
    "small passes": Case(update={"micro_batch_tokens": 256}),
}
ALONE = {
    "bfloat16": Case(policy={"dtype": "bfloat16"}),
    "in-process engine": Case(rollout={"engine": "in-process"}),
    "a share of memory": Case(rollout={"memory": 0.2}),
    "temperature 0.7": Case(rollout={"temperature": 0.7}),
    "correctness": Case(rollout={"signal": "correct"}),
    "no partial rollouts": Case(rollout={"partial": False}),
    "overlong masked": Case(rollout={"overlong": "mask"}),
    "overlong penalised": Case(rollout={"overlong": "penalise", "overlong_buffer": 8}),
    "sample aggregation": Case(update={"aggregation": "sample"}),
    "entropy target": Case(update={"entropy_target": 5.0, "entropy_step": 0.01}),
    "warm-up and cosine": Case(update={"warmup_steps": 1, "schedule": "cosine"}),
    "static difficulty": Case(data={"static": (1, 3)}),
    "lora of two layers": LORA | Case(policy={"lora_targets": ("q_proj", "v_proj")}),
    "lora with an alpha": LORA | Case(policy={"lora_alpha": 3.0}),
}


def all_cases() -> dict[str, Case]:
    found = {"as it is": Case(), "lora": LORA}
    for name in [model for model in MODELS if model != "llama"]:
        found[name] = Case(name)
        found[f"lora x {name}"] = Case(name) | LORA
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


class Recorder:
    """Keeps the first update of a run: groups, weights before, gradient and metrics."""

    def __init__(self, run: Run) -> None:
        self.groups: Any = None
        self.weights: dict[str, torch.Tensor] = {}
        self.metrics: dict[str, float] = {}
        self.gradient: torch.Tensor | None = None
        self._update, self._run = run.updater.update, run
        run.updater.update = self.update
        run.optimizer.register_step_pre_hook(self.step)

    def update(self, groups: Any) -> dict[str, float]:
        first = self.groups is None
        if first:
            self.groups = groups
            self.weights = on_cpu(self._run.policy.model)
        metrics = self._update(groups)
        if first:
            self.metrics = metrics
        return metrics

    def step(self, optimizer: Any, *_: Any) -> None:
        if self.gradient is None:
            self.gradient = gradient_of(optimizer)


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


def compare_update(config: Config, kept: Recorder) -> Found:
    """The first update against the same on the CPU, one output after another."""
    if not kept.metrics:
        raise AssertionError("no group had signal, so nothing was updated")
    model = plain_model(config.policy, kept.weights)
    trained = [weight for weight in model.parameters() if weight.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=config.update.peak, weight_decay=0.0)
    gradients: list[torch.Tensor] = []
    optimizer.register_step_pre_hook(lambda *args: gradients.append(gradient_of(args[0])))
    updater = Updater(
        model,
        optimizer,
        replace(config.update, share_prompts=False, micro_batch_tokens=None),
        temperature=config.rollout.temperature,
        max_tokens=config.rollout.max_tokens,
        start=copy.deepcopy(model) if config.update.kl else None,
        flat=False,
    )
    expected = updater.update(kept.groups)
    one, other = kept.gradient, gradients[0]
    if one is None:
        raise AssertionError("there was no optimiser step")
    names = ("loss", "entropy", "kl") if config.update.kl else ("loss", "entropy")
    return Found(
        gap=kept.metrics.get("sampler_gap"),
        value=max(abs(kept.metrics[name] - expected[name]) for name in names),
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
        tokenizer = byte_tokenizer()
        for name, family in MODELS.items():
            kind, settings = FAMILIES.get(family) or (family, OTHERS[family])
            longest = "n_positions" if kind == "gpt2" else "max_position_embeddings"
            ids = {"vocab_size": len(tokenizer), "eos_token_id": tokenizer.eos_token_id}
            model = tiny_model(kind, spread=0.1, **{**settings, **ids, longest: CONTEXT})
            model.save_pretrained(folder / name)
            tokenizer.save_pretrained(folder / name)

    def new(self) -> Path:
        self.count += 1
        return self.folder / f"run-{self.count}"

    def limits(self, config: PolicyConfig) -> Limits:
        half = config.dtype == "bfloat16" or self.device == "cuda"
        return HALF if half else EXACT

    def config(self, case: Case, *, steps: int = STEPS) -> Config:
        data = {"environments": ("Successor",), "max_prompt_tokens": 512, **(case.data or {})}
        if "dataset" in data:
            data["dataset"] = self.folder / data["dataset"]
        rollout = {"engine": "paged", "max_tokens": 24, **(case.rollout or {})}
        policy = {"format": "plain", **(case.policy or {})}
        return Config(
            policy=PolicyConfig(model=str(self.folder / case.model), device=self.device, **policy),
            data=DataConfig(**data),
            rollout=RolloutConfig(problems=6, oversample=8, rounds=2, group=8, slots=64, **rollout),
            update=UpdateConfig(learning_rate=1e-3, **{"weight_decay": 0.0, **(case.update or {})}),
            validation=ValidationConfig(every=0),
            run=RunConfig(folder=self.new(), steps=steps, checkpoint_every=steps, workers=1),
        )

    def train(self, case: Case) -> Found:
        config = self.config(case)
        with Run(config) as run:
            kept = Recorder(run)
            run.finish()
        found = compare_update(config, kept)
        half = config.policy.dtype == "auto" and self.device == "cuda"
        found.note = "packed" if run.updater.score.flat else ("padded" if half else "")
        return found

    def teach(self, case: Case) -> Found:
        config = TeachingConfig(
            policy=self.config(case).policy,
            data=LessonConfig(
                environments=("Successor",), without=(), examples=16, max_prompt_tokens=512
            ),
            update=TeachingUpdateConfig(learning_rate=1e-3, warmup_steps=0),
            validation=TeachingValidationConfig(levels=(0,), problems=2),
            run=RunConfig(folder=self.new(), steps=1, workers=1),
        )
        with TeachingRun(config) as run:
            weights, batches, take = on_cpu(run.policy.model), [], run.source.take
            gradients: list[torch.Tensor] = []
            run.optimizer.register_step_pre_hook(
                lambda *args: gradients.append(gradient_of(args[0]))
            )
            run.source.take = lambda: batches.append(take()) or batches[-1]
            [metrics] = list(run)
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
        )

    def resume(self, case: Case) -> Found:
        """A resumed run against one that goes on: the same weights and moments, and next step."""
        config = self.config(case, steps=2)
        other = config.run.folder.with_name(f"{config.run.folder.name}-resumed")
        with Run(config) as run:
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
        return Found(gap=again.sampler_gap, note=f"loss {on.loss:.4f}, resumed {again.loss:.4f}")

    def export(self, case: Case) -> Found:
        """The exported model, and adapters alone, against the trained one, and `rlve eval`."""
        config = self.config(case)
        with Run(config) as run:
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
        engine.submit(rollouts)
        while engine.collect():
            pass
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
    """Bytes, and ten whole answers in each way to mark them, so that random outputs have some."""
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    core = Tokenizer(models.BPE({letter: i for i, letter in enumerate(letters)}, []))
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.decoder = decoders.ByteLevel()
    made = PreTrainedTokenizerFast(tokenizer_object=core, pad_token="<pad>", eos_token="<end>")
    marks = ("<answer>{}</answer>", "\\boxed{{{}}}")
    made.add_tokens([mark.format(digit) for mark in marks for digit in range(10)])
    made.chat_template = TEMPLATE
    return made


def jobs(bench: Bench) -> dict[str, tuple[Callable[[Case], Found], Case]]:
    """Everything there is to do, by name."""
    found: dict[str, tuple[Callable[[Case], Found], Case]] = {
        name: (bench.train, case) for name, case in all_cases().items()
    }
    for name, case in {"": Case(), "lora x ": LORA}.items():
        found[f"{name}teach"] = bench.teach, case
        found[f"{name}resume"] = bench.resume, case
        found[f"{name}export and eval"] = bench.export, case
    found["export and eval, experts"] = bench.export, Case("qwen3_moe")
    found["resume, experts"] = bench.resume, Case("qwen3_moe")
    found["frontier"] = bench.frontier, Case()
    return found


def run_all(bench: Bench, names: list[str]) -> list[tuple[str, Found | None, str, float]]:
    rows: list[tuple[str, Found | None, str, float]] = []
    known = jobs(bench)
    for name in names:
        work, case = known[name]
        begin, found, fault = time.perf_counter(), None, ""
        try:
            found = work(case)
            policy = PolicyConfig(**(case.policy or {}))
            fault = "; ".join(found.faults(bench.limits(policy)))
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
    begin = time.perf_counter()
    with tempfile.TemporaryDirectory() as scratch:
        bench = Bench(Path(scratch), given.device)
        names = [name for name in jobs(bench) if given.only in name]
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
