"""Settings that depend on the model: limits that fit into its context, and a learning rate."""

import logging
from dataclasses import replace
from typing import TypeVar

from rlve.models.blueprints import blueprint
from rlve.models.folders import parameters_of
from rlve.models.policy import context_of
from rlve.models.reading import model_settings
from rlve.train.limits import CUT, cut
from rlve.train.teaching.config import AnyConfig

_log = logging.getLogger("rlve.train")


C = TypeVar("C", bound=AnyConfig)


def fit_to_model(config: C) -> C:
    """The settings with which the model can be trained: what was left open, and limits that fit.

    Limits that are cut are named in a warning.
    """
    if config.update.learning_rate is None:
        parameters = parameters_of(blueprint(replace(config.policy, lora_rank=0)))
        rate = next(rate for most, rate in config.update.RATES if parameters <= most)
        rate *= config.update.ADAPTERS if config.policy.lora_rank else 1
        config = replace(config, update=replace(config.update, learning_rate=rate))
    context = context_of(model_settings(config.policy))
    if context is None or sum(config.limits) <= context:
        return config
    prompt, output = cut(*config.limits, context=context)
    numbers = (context, prompt, output, *config.limits)
    _log.warning(
        CUT,
        *(config.policy.model, *(f"{number:,}" for number in numbers)),
    )
    return config.with_limits(prompt, output)
