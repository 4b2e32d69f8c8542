"""The settings of a policy."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class PolicyConfig:
    """The model that is trained."""

    model: str = "nano"
    """The embedded policy `nano`, or a folder or hub name of a Hugging Face causal model."""
    format: Literal["chat", "base", "plain"] = "chat"
    """chat: the problem is the user's turn, \\boxed{} the answer; base: <think>, then <answer>."""
    dtype: Literal["auto", "float32", "bfloat16"] = "auto"
    """What the model computes in; auto is bfloat16 on a GPU and float32 on a CPU. Weights and
    optimiser are kept in float32."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """auto is the GPU if there is one."""
    gradient_checkpointing: bool = False
    """Save memory by computing activations again in the backward pass."""
    lora_rank: int = 0
    """Train low-rank adapters of this rank instead of all weights; 0 trains all."""
