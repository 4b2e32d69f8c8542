"""The paper's training recipe in slime's terms, as a script that starts slime.

    print(Recipe(model="models/Qwen2.5-7B", environments=("C256",), nodes=4).script())

Everything else keeps slime's defaults.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from rlve.errors import UserError
from rlve.foundation.limits import AtLeastOne, BetweenZeroAndOne
from rlve.foundation.run_folders import CHECKPOINTS
from rlve.integrations.recipe import ModelName, PaperRecipe, absolute
from rlve.integrations.slime.settings import VARIABLE, Settings
from rlve.models.locations import SETTINGS
from rlve.reports.pages import render

Flags: TypeAlias = dict[str, object]
"""slime's flags. True is a flag without a value; False and None leave it out."""


@dataclass(frozen=True, kw_only=True)
class Recipe(PaperRecipe):
    """A training run; the defaults are the paper's for a model of 1.5 billion parameters."""

    library = "slime"

    model: ModelName
    """The folder of a Hugging Face model (qwen2, qwen3 or llama; others need --model-script)."""
    slime: Path = Path("/root/slime")
    """Where slime is checked out; the default is where its container has it."""
    megatron: Path = Path("/root/Megatron-LM")
    """Where Megatron-LM is checked out."""
    model_script: Path | None = None
    """A script that sets MODEL_ARGS, such as slime's scripts/models/qwen2.5-7B.sh."""
    tensor_parallel: AtLeastOne = 1
    """GPUs that share one copy of the trained model."""
    engine_gpus: AtLeastOne = 1
    """GPUs that share one copy of the sampling model."""
    memory: BetweenZeroAndOne = 0.6
    """The share of a GPU's memory for the sampling engine."""

    def check(self) -> None:
        super().check()
        self.divide("engine_gpus")
        copies = self.nodes * self.gpus // self.tensor_parallel
        self.divide_batch(copies, f"{copies} copies of the model")

    def script(self) -> str:
        """A bash script that starts Ray, converts the weights once, and trains."""
        self.check()
        return render(
            "slime.sh",
            recipe=self,
            model=str(Path(self.model).resolve()),
            model_flags=None if self.model_script else self._model_flags(),
            weights=self.place / "torch_dist",
            checkpoints=self.place / CHECKPOINTS,
        )

    def variables(self) -> dict[str, str]:
        """The environment of slime's processes."""
        settings = Settings(
            environments=tuple(map(absolute, self.environments)),
            format=self.format,
            signal=self.signal,
            rounds=self.rounds,
            **self.options(),
            workers=self.workers,
        )
        return {
            "PYTHONPATH": str(self.megatron),
            "CUDA_DEVICE_MAX_CONNECTIONS": "1",
            VARIABLE: settings.as_json(),
        }

    def _model_flags(self) -> Flags:
        config = self.architecture()
        if not config:
            raise UserError(
                f"{self.model} is not the folder of a Hugging Face model: it has no {SETTINGS} "
                "(slime needs the model as a folder: hf download NAME --local-dir FOLDER)"
            )
        return megatron_flags(config)


def megatron_flags(config: dict[str, Any]) -> Flags:
    """The architecture that a model's config.json describes, in Megatron's terms."""
    kind = config.get("model_type")
    rope: dict[str, Any] = config.get("rope_parameters") or config.get("rope_scaling") or {}
    plain = rope.get("rope_type", rope.get("type", "default")) == "default"
    if kind not in ("qwen2", "qwen3", "llama") or not plain:
        what = f"the architecture {kind!r}" if plain else "scaled rotary embeddings"
        raise UserError(
            f"the model has {what}: use --model-script with one of slime's scripts/models/*.sh"
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
        raise UserError(f"the model's {SETTINGS} does not say what {error} is") from None
