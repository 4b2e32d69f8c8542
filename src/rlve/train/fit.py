"""Settings that depend on the model: limits that fit into its context, and a learning rate."""

import logging
from dataclasses import replace
from typing import TypeVar

from rlve.models.blueprints import blueprint, model_settings
from rlve.models.folders import parameters_of
from rlve.models.policy import context_of
from rlve.train.teaching.config import AnyConfig

ADAPTERS = 10  # times the learning rate that suits all weights

_log = logging.getLogger("rlve.train")


C = TypeVar("C", bound=AnyConfig)


def fit(config: C) -> C:
    """The settings with which the model can be trained: what was left open, and limits that fit.

    Limits that are cut are named in a warning.
    """
    if config.update.learning_rate is None:
        parameters = parameters_of(blueprint(replace(config.policy, lora_rank=0)))
        rate = next(rate for most, rate in config.update.RATES if parameters <= most)
        rate *= ADAPTERS if config.policy.lora_rank else 1
        config = replace(config, update=replace(config.update, learning_rate=rate))
    context = context_of(model_settings(config.policy))
    if context is None or sum(config.limits) <= context:
        return config
    prompt, output = cut(*config.limits, context=context)
    numbers = (context, prompt, output, *config.limits)
    _log.warning(
        "the context of %s is %s tokens: prompts are limited to %s and outputs to %s, rather than "
        "to %s and %s",
        *(config.policy.model, *(f"{number:,}" for number in numbers)),
    )
    return config.with_limits(prompt, output)


def cut(prompt: int, output: int, *, context: int) -> tuple[int, int]:
    """Limits of prompts and outputs that fit into the context together.

    Outputs give way first, down to half of the context; then prompts.
    """
    prompt = min(prompt, max(context - output, context // 2))
    return prompt, min(output, context - prompt)
