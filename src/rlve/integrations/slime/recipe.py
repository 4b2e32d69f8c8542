"""The paper's training recipe in slime's terms, as a script that starts slime.

    print(Recipe(model="models/Qwen2.5-7B", environments=("C256",), nodes=4).script())

What the script does not say has slime's own default.
"""

import json
import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeAlias

from tyro.conf import arg

from rlve.collections import resolve
from rlve.errors import UserError
from rlve.integrations.slime.settings import VARIABLE, Settings

HERE: Final = "rlve.integrations.slime"
NONZERO_STD: Final = "slime.rollout.filter_hub.dynamic_sampling_filters.check_reward_nonzero_std"

Flags: TypeAlias = dict[str, object]
"""slime's flags. True is a flag without a value; False and None leave it out."""


@dataclass(frozen=True)
class Recipe:
    """A training run; the defaults are the paper's for a model of 1.5 billion parameters."""

    model: str
    """The folder of a Hugging Face model (qwen2, qwen3 or llama; else give --model-script)."""
    environments: Annotated[tuple[str, ...], arg(aliases=["-c", "--collection"])] = ("C16",)
    """Names of environments and of collections (C1, C4, C16, C256, ALL); MODULE:CLASS is yours."""
    nodes: int = 1
    """Machines."""
    gpus: int = 8
    """GPUs of each machine."""
    folder: Path | None = None
    """Checkpoints go there, and are resumed from there; all nodes must see it. By default a folder
    in runs/ that is named after the model and the environments."""
    slime: Path = Path("/root/slime")
    """Where slime is checked out; this is its place in its own container."""
    megatron: Path = Path("/root/Megatron-LM")
    """Where Megatron-LM is checked out."""
    model_script: Path | None = None
    """A script that sets MODEL_ARGS, such as scripts/models/qwen2.5-7B.sh of slime's."""
    steps: int = 1000
    """Training steps."""
    checkpoint_every: int = 50
    """Steps between checkpoints."""
    format: Literal["chat", "base", "plain"] = "chat"
    """chat: the problem is the user's turn, \\boxed{} the answer; base: <think>, then <answer>."""
    signal: Literal["reward", "correct"] = "reward"
    """What is trained on, and what dynamic sampling compares: the shaped reward, or 0/1."""
    static: tuple[int, int] | None = None
    """Draw difficulties from this fixed range instead of adapting them."""
    tau_acc: float = 0.9
    """The accuracy at the highest level h from which on h rises."""
    tau_num: int | None = None
    """The rollouts at h after which that is decided; by default 8 x rollouts per problem."""
    window: int = 4
    """How many levels a range spans at most (d_delta)."""
    seed: int = 0
    """Of the problems."""
    problems: int = 128
    """Problems whose groups make up the batch of a step."""
    oversample: int = 384
    """Problems that are sampled at once, because groups without signal are dropped."""
    group: int = 16
    """Rollouts per problem."""
    max_prompt_tokens: int = 4096
    """A problem with a longer prompt is drawn again."""
    max_tokens: int = 24_576
    """The response limit; 8,192 for Qwen2.5-7B-Base, in the paper."""
    temperature: float = 1.0
    """Of the sampling."""
    partial: bool = True
    """Resume, in the next step, rollouts that were not finished when the batch was full."""
    learning_rate: float = 2e-6
    """Constant. 2e-6 for 1.5B models, 1e-6 for Qwen2.5-7B-Base, in the paper."""
    aggregation: Literal["token", "sample"] = "token"
    """token: all tokens of the batch count the same (DAPO); sample: all outputs do."""
    tensor_parallel: int = 1
    """GPUs that share one copy of the trained model."""
    engine_gpus: int = 1
    """GPUs that share one copy of the sampling model."""
    memory: float = 0.6
    """The share of a GPU's memory that the sampling engine takes."""
    tokens_per_gpu: int | None = None
    """Tokens in one forward and backward pass; by default the longest prompt and output."""
    workers: int = 8
    """Processes that generate problems and judge outputs, on the node that manages the rollouts."""

    def check(self) -> None:
        """Raise a UserError for what cannot work, before any long work starts."""
        for name in (
            *("nodes", "gpus", "steps", "checkpoint_every", "problems", "max_prompt_tokens"),
            *("max_tokens", "tensor_parallel", "engine_gpus", "workers"),
        ):
            if getattr(self, name) < 1:
                raise UserError(f"{_flag(name)} is at least 1, not {getattr(self, name)}")
        if not self.environments:
            raise UserError("no environment was asked for; give names to --environments")
        resolve(self.environments)
        if self.group < 2:
            raise UserError(f"--group is at least 2, not {self.group}")
        if self.oversample < self.problems:
            raise UserError(
                f"--oversample ({self.oversample}) is at least --problems ({self.problems})"
            )
        gpus = self.nodes * self.gpus
        for name in ("tensor_parallel", "engine_gpus"):
            if gpus % getattr(self, name):
                raise UserError(
                    f"{self.nodes} x {self.gpus} = {gpus} GPUs do not divide into groups of "
                    f"{_flag(name)} {getattr(self, name)}"
                )
        outputs, copies = self.problems * self.group, gpus // self.tensor_parallel
        if outputs % copies:
            raise UserError(
                f"a batch of {self.problems} problems x {self.group} rollouts = {outputs} outputs "
                f"does not divide into equal parts for {copies} copies of the model"
            )
        if self.temperature <= 0:
            raise UserError(f"--temperature is above 0, not {self.temperature}")
        if self.learning_rate <= 0:
            raise UserError(f"--learning-rate is above 0, not {self.learning_rate}")
        if not 0 < self.memory < 1:
            raise UserError(f"--memory is between 0 and 1, not {self.memory}")

    def script(self) -> str:
        """A bash script that starts Ray, converts the weights once, and trains."""
        self.check()
        folder = self.place()
        weights = folder / "torch_dist"
        made = shlex.quote(str(weights / "latest_checkpointed_iteration.txt"))
        convert = ["--hf-checkpoint", self._model(), "--save", str(weights)]
        submit = [
            *("ray", "job", "submit", "--address=http://127.0.0.1:8265"),
            f"--runtime-env-json={json.dumps({'env_vars': self.variables()})}",
        ]
        train = ["--", "python3", "train.py", "--actor-num-nodes", str(self.nodes)]
        train += ["--actor-num-gpus-per-node", str(self.gpus), "--colocate"]
        start = f"ray start --head --num-gpus {self.gpus} --disable-usage-stats"
        join = f"ray start --address=THIS_NODE:6379 --num-gpus {self.gpus} --disable-usage-stats"
        return "\n".join(
            (
                "#!/bin/bash",
                f"# Trains {self.model} with slime on {self.nodes} x {self.gpus} GPUs.",
                "# Run it on the first node; run it again to resume from the last checkpoint.",
                *((f"# Before that, on every other node: {join}",) if self.nodes > 1 else ()),
                "set -euo pipefail",
                f"cd {shlex.quote(str(self.slime))}",
                "",
                self._model_args(),
                "",
                _array("RLVE_ARGS", self.gym_flags()),
                "",
                _array("TRAIN_ARGS", self.train_flags()),
                "",
                f"ray status > /dev/null 2>&1 || {start}",
                "",
                "# slime trains from weights in Megatron's form; they are made once.",
                f"if [ ! -e {made} ]; then",
                f"    PYTHONPATH={shlex.quote(str(self.megatron))} python3 "
                f'tools/convert_hf_to_torch_dist.py "${{MODEL_ARGS[@]}}" {shlex.join(convert)}',
                "fi",
                "",
                f"{shlex.join(submit)} \\",
                f"    {shlex.join(train)} \\",
                '    "${MODEL_ARGS[@]}" "${RLVE_ARGS[@]}" "${TRAIN_ARGS[@]}"',
                "",
            )
        )

    def variables(self) -> dict[str, str]:
        """The environment of slime's processes."""
        settings = Settings(
            environments=tuple(map(_absolute, self.environments)),
            format=self.format,
            signal=self.signal,
            static=self.static,
            tau_acc=self.tau_acc,
            tau_num=self.tau_num,
            window=self.window,
            workers=self.workers,
        )
        return {
            "PYTHONPATH": str(self.megatron),
            "CUDA_DEVICE_MAX_CONNECTIONS": "1",
            VARIABLE: settings.as_json(),
        }

    def gym_flags(self) -> Flags:
        """Problems, verdicts, the curriculum, and how outputs are sampled."""
        return {
            "--data-source-path": f"{HERE}.DataSource",
            "--custom-rm-path": f"{HERE}.rm",
            "--rollout-all-samples-process-path": f"{HERE}.count_samples",
            "--dynamic-sampling-filter-path": NONZERO_STD,
            "--num-rollout": self.steps,
            "--rollout-seed": self.seed,
            "--rollout-batch-size": self.problems,
            "--over-sampling-batch-size": self.oversample,
            "--n-samples-per-prompt": self.group,
            "--global-batch-size": self.problems * self.group,  # one update for each batch
            "--rollout-max-prompt-len": self.max_prompt_tokens,
            "--rollout-max-response-len": self.max_tokens,
            "--rollout-temperature": self.temperature,
            "--partial-rollout": self.partial,
        }

    def train_flags(self) -> Flags:
        """DAPO, AdamW, and how the work is spread over GPUs."""
        folder = self.place()
        checkpoints = folder / "checkpoints"
        longest = self.max_prompt_tokens + self.max_tokens
        return {
            "--hf-checkpoint": self._model(),
            "--ref-load": folder / "torch_dist",
            "--load": checkpoints,
            "--save": checkpoints,
            "--save-interval": self.checkpoint_every,
            "--advantage-estimator": "grpo",
            "--eps-clip": 0.2,
            "--eps-clip-high": 0.28,
            "--entropy-coef": 0.0,
            "--use-tis": True,
            "--tis-clip": 2.0,
            "--calculate-per-token-loss": self.aggregation == "token",
            "--optimizer": "adam",
            "--lr": self.learning_rate,
            "--lr-decay-style": "constant",
            "--weight-decay": 0.01,
            "--adam-beta1": 0.9,
            "--adam-beta2": 0.98,
            "--tensor-model-parallel-size": self.tensor_parallel,
            "--sequence-parallel": self.tensor_parallel > 1,
            "--recompute-granularity": "full",
            "--recompute-method": "uniform",
            "--recompute-num-layers": 1,
            "--use-dynamic-batch-size": True,
            "--max-tokens-per-gpu": self.tokens_per_gpu or longest,
            "--balance-data": True,
            "--rollout-num-gpus-per-engine": self.engine_gpus,
            "--sglang-mem-fraction-static": self.memory,
            "--attention-dropout": 0.0,
            "--hidden-dropout": 0.0,
            "--accumulate-allreduce-grads-in-fp32": True,
            "--attention-softmax-in-fp32": True,
            "--attention-backend": "flash",
        }

    def place(self) -> Path:
        """The folder of the run. The same settings give the same, so a script resumes itself."""
        if self.folder is not None:
            return self.folder.resolve()
        names = "-".join(("slime", Path(self.model).name, *self.environments))
        return (Path("runs") / re.sub(r"[^\w.-]+", "-", names)[:100]).resolve()

    def _model(self) -> str:
        return str(Path(self.model).resolve())

    def _model_args(self) -> str:
        if self.model_script is not None:
            return f"source {shlex.quote(str(self.model_script))}"
        place = Path(self.model) / "config.json"
        if not place.is_file():
            raise UserError(
                f"{self.model} is not the folder of a Hugging Face model: it has no config.json "
                "(slime needs the model as a folder: hf download NAME --local-dir FOLDER)"
            )
        try:
            config = json.loads(place.read_bytes())
        except ValueError as error:
            raise UserError(f"{place} is damaged: {error}") from None
        return _array("MODEL_ARGS", megatron_flags(config, place))


def megatron_flags(config: dict[str, Any], place: Path) -> Flags:
    """The architecture that a model's config.json describes, in Megatron's terms."""
    kind = config.get("model_type")
    rope: dict[str, Any] = config.get("rope_parameters") or config.get("rope_scaling") or {}
    plain = rope.get("rope_type", rope.get("type", "default")) == "default"
    if kind not in ("qwen2", "qwen3", "llama") or not plain:
        what = f"the architecture {kind!r}" if plain else "rotary embeddings that are scaled"
        raise UserError(
            f"{place} has {what}: give --model-script, one of slime's scripts/models/*.sh"
        )
    try:
        heads = config["num_attention_heads"]
        groups = config.get("num_key_value_heads", heads)
        return {
            "--swiglu": True,
            "--num-layers": config["num_hidden_layers"],
            "--hidden-size": config["hidden_size"],
            "--ffn-hidden-size": config["intermediate_size"],
            "--num-attention-heads": heads,
            "--group-query-attention": groups != heads,
            "--num-query-groups": groups if groups != heads else None,
            "--kv-channels": config.get("head_dim"),
            "--use-rotary-position-embeddings": True,
            "--rotary-base": int(rope.get("rope_theta") or config.get("rope_theta") or 10_000),
            "--disable-bias-linear": True,
            "--add-qkv-bias": kind == "qwen2",
            "--qk-layernorm": kind == "qwen3",
            "--normalization": "RMSNorm",
            "--norm-epsilon": config["rms_norm_eps"],
            "--vocab-size": config["vocab_size"],
            "--untie-embeddings-and-output-weights": not config.get("tie_word_embeddings", False),
        }
    except KeyError as error:
        raise UserError(f"{place} does not say what {error} is") from None


def _array(name: str, flags: Flags) -> str:
    """An array of bash, a flag on each line."""
    lines = [f"{name}=("]
    for flag, value in flags.items():
        if value is True:
            lines.append(f"    {flag}")
        elif value is not None and value is not False:
            lines.append(f"    {flag} {shlex.quote(str(value))}")
    return "\n".join((*lines, ")"))


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _absolute(target: str) -> str:
    """A file of the user's own environments is named so that every process finds it."""
    where, colon, name = target.rpartition(":")
    return f"{Path(where).resolve()}:{name}" if colon and where.endswith(".py") else target
