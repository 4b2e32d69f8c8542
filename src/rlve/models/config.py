"""The settings of a policy."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from rlve.errors import UserError

EngineName: TypeAlias = Literal["auto", "in-process", "paged", "vllm"]
"""What samples from a policy; auto is paged on a GPU, and in-process elsewhere."""


@dataclass(frozen=True)
class PolicyConfig:
    """The model that is trained."""

    model: str = "nano"
    """The embedded policy `nano`; a folder or hub name of a Hugging Face causal model; or a GGUF
    file."""
    revision: str | None = None
    """The branch, tag or commit of a model on the hub."""
    format: Literal["auto", "chat", "base", "plain"] = "auto"
    """chat: the problem is the user's turn, \\boxed{} the answer; base: <think>, then <answer>;
    plain: the problem and a sentence. auto is chat if the model has a chat template, else base."""
    system_prompt: str | None = None
    """What stands before the user's turn, in a chat."""
    template_arguments: tuple[str, ...] = ()
    """Arguments of the model's chat template, such as enable_thinking=false."""
    stop_strings: tuple[str, ...] = ()
    """Texts that end an output, for base models: </answer>, say."""
    dtype: Literal["auto", "float32", "bfloat16"] = "auto"
    """What the model computes in; auto is bfloat16 on a GPU and float32 on a CPU. Weights and
    optimiser are kept in float32."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """auto is the GPU if there is one."""
    attention: Literal["auto", "sdpa", "eager", "flash_attention_2"] = "auto"
    """The implementation of attention in the update; auto is what the model prefers."""
    gradient_checkpointing: bool = False
    """Save memory by computing activations again in the backward pass."""
    lora_rank: int = 0
    """Train low-rank adapters of this rank instead of all weights; 0 trains all."""
    lora_alpha: float | None = None
    """The scale of the adapters; by default twice their rank."""
    lora_targets: tuple[str, ...] = ()
    """The layers that get adapters, such as q_proj v_proj; by default all linear ones."""

    def check(self) -> None:
        """Raise a UserError for what cannot work."""
        self.template_options()
        if self.lora_rank < 0:
            raise UserError(f"policy.lora-rank is at least 0, not {self.lora_rank}")
        if any(not text for text in self.stop_strings):
            raise UserError("policy.stop-strings must not be empty texts")
        if self.system_prompt is not None and self.format not in ("auto", "chat"):
            raise UserError("policy.system-prompt needs the format chat")

    def template_options(self) -> dict[str, object]:
        """The arguments of the chat template, by name."""
        import json

        found: dict[str, object] = {}
        for text in self.template_arguments:
            name, sign, value = text.partition("=")
            if not sign or not name.isidentifier():
                raise UserError(f"policy.template-arguments are such as NAME=VALUE, not {text!r}")
            try:
                found[name] = json.loads(value)
            except json.JSONDecodeError:
                found[name] = value
        return found
