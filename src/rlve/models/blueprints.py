"""A model without its weights: enough to know its size, its context and what it needs."""

from typing import Any, cast

import torch

from rlve.models.config import PolicyConfig
from rlve.models.policy import with_adapters
from rlve.models.reading import model_settings, reading_model


def blueprint(config: PolicyConfig) -> Any:
    """The model to train, without its weights."""
    from transformers import AutoModelForCausalLM

    settings = model_settings(config)
    with reading_model(config), torch.device("meta"):
        model = cast(Any, AutoModelForCausalLM).from_config(settings)
    return with_adapters(model, config) if config.lora_rank else model
