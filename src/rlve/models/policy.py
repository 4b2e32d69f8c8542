"""The policy: a causal language model of Hugging Face, its tokenizer, and its prompt format."""

# torch and transformers leave many of their types unknown.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

import torch
from safetensors.torch import load_file

from rlve.contract import Problem
from rlve.errors import UserError
from rlve.formats import Format, prompt_format
from rlve.models.config import PolicyConfig

NANO = Path(str(files("rlve.models"))) / "nano"
"""The folder of the embedded policy."""


@dataclass(frozen=True)
class Policy:
    """What is trained, and how problems are put to it."""

    model: Any
    tokenizer: Any
    form: Format
    stop_tokens: tuple[int, ...]

    def load_weights(self, folder: Path) -> None:
        """Take over the weights of a checkpoint, in place: the optimiser holds on to them."""
        saved = sorted(folder.glob("*.safetensors"))
        if not saved:
            raise UserError(f"the checkpoint {folder} holds no weights")
        weights: dict[str, torch.Tensor] = {}
        for path in saved:
            weights |= load_file(path)
        if hasattr(self.model, "peft_config"):
            from peft import set_peft_model_state_dict  # pyright: ignore

            cast(Any, set_peft_model_state_dict)(self.model, weights)
            return
        missing, unexpected = self.model.load_state_dict(weights, strict=False)
        tied = set(getattr(self.model, "all_tied_weights_keys", {}) or {})
        if unexpected or set(missing) - tied:
            raise UserError(f"the weights in {folder} are those of another model")

    def encode(self, problem: Problem) -> list[int]:
        """The tokens of a problem's prompt, as the model is given it."""
        return self.tokens_of(problem.prompt())

    def tokens_of(self, text: str) -> list[int]:
        """The tokens of a problem's text in the policy's format."""
        prompt = self.form.wrap(text)
        if isinstance(prompt, str):
            return list(self.tokenizer(prompt)["input_ids"])
        ids = self.tokenizer.apply_chat_template(
            prompt, add_generation_prompt=True, return_dict=False
        )
        return list(ids)

    def decode(self, tokens: list[int]) -> str:
        """The text of an output."""
        return self.tokenizer.decode(tokens, skip_special_tokens=True)


def computing_in(config: PolicyConfig, device: torch.device) -> torch.autocast:
    """The context the model runs in: bfloat16 on a GPU, unless the config says otherwise."""
    half = config.dtype == "bfloat16" or (config.dtype == "auto" and device.type == "cuda")
    return torch.autocast(device.type, dtype=torch.bfloat16, enabled=half)


def load_policy(config: PolicyConfig, *, context: int) -> Policy:
    """Load a policy for training; `context` is the longest prompt plus the longest output."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    place = str(NANO) if config.model == "nano" else config.model
    device = config.device
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    elif device == "cuda" and not torch.cuda.is_available():
        raise UserError("policy.device is cuda, but torch sees no GPU")
    try:
        tokenizer = cast(Any, AutoTokenizer).from_pretrained(place)
        # The weights stay in single precision: steps of 2e-6 are lost in the rounding of bfloat16.
        model = cast(Any, AutoModelForCausalLM).from_pretrained(place, dtype=torch.float32)
    except (OSError, ValueError) as error:
        first = str(error).strip().splitlines()[0]
        raise UserError(f"cannot load the model {config.model!r}: {first}") from error
    limit = getattr(model.config, "max_position_embeddings", None)
    if limit is not None and context > limit:
        raise UserError(
            f"prompts and outputs of up to {context:,} tokens do not fit the context of "
            f"{config.model}, {limit:,} tokens; lower rollout.max-tokens or data.max-prompt-tokens"
        )
    form = prompt_format(config.format)
    if form.name == "chat" and tokenizer.chat_template is None:
        raise UserError(f"{config.model} has no chat template; set policy.format to base")
    model = model.to(device)
    # cuDNN's attention would build a plan for every new shape, about 7 ms a layer on an H200, and
    # with each token that is sampled the shape is new. The other kernels need none.
    torch.backends.cuda.enable_cudnn_sdp(False)
    if config.lora_rank:
        model = _with_adapters(model, config.lora_rank)
    if config.gradient_checkpointing:
        model.gradient_checkpointing_enable()
        model.enable_input_require_grads()  # without it adapters would get no gradient
    return Policy(model, tokenizer, form, _stop_tokens(model, tokenizer))


def _with_adapters(model: Any, rank: int) -> Any:
    try:
        from peft import LoraConfig, get_peft_model  # pyright: ignore
    except ImportError:
        raise UserError("policy.lora-rank needs peft: pip install 'rlve[lora]'") from None
    settings = LoraConfig(r=rank, lora_alpha=2 * rank, target_modules="all-linear")
    return cast(Any, get_peft_model)(model, settings)


def _stop_tokens(model: Any, tokenizer: Any) -> tuple[int, ...]:
    """All tokens that end an output: some models have several."""
    listed = model.generation_config.eos_token_id
    ends = [listed] if isinstance(listed, int) else list(listed or [])
    if tokenizer.eos_token_id is not None:
        ends.append(tokenizer.eos_token_id)
    if not ends:
        raise UserError("the model and its tokenizer name no token that ends an output")
    return tuple(sorted(set(ends)))
