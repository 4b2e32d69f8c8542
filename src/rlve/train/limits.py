"""Limits of prompts and outputs that fit into a model's context."""

from typing import Final

CUT: Final = (
    "the context of %s is %s tokens: prompts are limited to %s and outputs to %s, rather than to "
    "%s and %s"
)
"""What is said: the model, its context, the limits of prompts and outputs, and those before."""


def cut(prompt: int, output: int, *, context: int) -> tuple[int, int]:
    """Limits of prompts and outputs that fit into the context together.

    Outputs give way first, down to half of the context; then prompts.
    """
    prompt = min(prompt, max(context - output, context // 2))
    return prompt, min(output, context - prompt)
