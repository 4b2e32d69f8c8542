"""The settings of a policy."""

from dataclasses import dataclass
from typing import Final, Literal

from rlve.errors import UserError
from rlve.foundation.limits import AtLeastZero, Positive, check_limits

PYTHON: Final = {"True": "true", "False": "false", "None": "null"}
"""Python's names of constants, and JSON's."""


@dataclass(frozen=True)
class PolicyConfig:
    """The model to train."""

    model: str = "nano"
    """A Hugging Face causal model (a folder or a hub name), a GGUF file, or `nano`, the embedded
    policy."""
    revision: str | None = None
    """The branch, tag or commit of a model on the hub."""
    format: Literal["auto", "chat", "base", "plain"] = "auto"
    """chat: the problem is the user's turn, and the answer goes in \\boxed{}; base: <think>, then
    <answer>; plain: the problem and one sentence. auto is chat if the model has a chat template,
    otherwise base."""
    system_prompt: str | None = None
    """The system message of a chat."""
    template_arguments: tuple[str, ...] = ()
    """Arguments for the model's chat template, such as enable_thinking=false. Values are read as
    JSON or as Python's True, False and None; anything else is a string."""
    stop_strings: tuple[str, ...] = ()
    """Strings that end an output, such as </answer> for base models."""
    dtype: Literal["auto", "float32", "bfloat16"] = "auto"
    """The precision of the forward and backward passes; auto is bfloat16 on a GPU and float32 on a
    CPU. Trained weights and optimiser state are kept in float32."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """Where to train; auto is the GPU if there is one."""
    attention: Literal["auto", "sdpa", "eager", "flash_attention_2"] = "auto"
    """The attention implementation used in the update; auto is the model's default."""
    gradient_checkpointing: bool = False
    """Save memory by recomputing activations in the backward pass."""
    lora_rank: AtLeastZero = 0
    """Train low-rank adapters of this rank instead of the weights themselves; 0 trains the
    weights."""
    lora_alpha: Positive | None = None
    """The scale of the adapters; by default twice their rank."""
    lora_targets: tuple[str, ...] = ()
    """The layers to adapt, such as q_proj v_proj; by default all linear layers."""

    def check(self) -> None:
        """Raise a UserError for settings that cannot work."""
        self.template_options()
        check_limits("policy.", self)
        if any(not text for text in self.stop_strings):
            raise UserError("policy.stop-strings must not be empty strings")
        if self.system_prompt is not None and self.format not in ("auto", "chat"):
            raise UserError("policy.system-prompt needs policy.format chat")

    def template_options(self) -> dict[str, object]:
        """The arguments for the chat template, by name."""
        import json

        options: dict[str, object] = {}
        for text in self.template_arguments:
            name, sign, value = text.partition("=")
            if not sign or not name.isidentifier():
                raise UserError(f"policy.template-arguments must be NAME=VALUE, not {text!r}")
            try:
                options[name] = json.loads(PYTHON.get(value, value))
            except json.JSONDecodeError:
                options[name] = value
        return options
