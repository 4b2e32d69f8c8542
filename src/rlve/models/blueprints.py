"""A model without its weights: enough to know its size, its context and what it needs."""

from typing import Any, cast

import torch

from rlve.errors import UserError
from rlve.models.config import PolicyConfig
from rlve.models.locations import check_model, source_of
from rlve.models.policy import with_adapters


def model_settings(config: PolicyConfig) -> Any:
    """The settings of a model, as transformers reads them."""
    from transformers import AutoConfig

    check_model(config)
    place, options = source_of(config)
    try:
        return cast(Any, AutoConfig).from_pretrained(place, **options)
    except (OSError, ValueError, ImportError) as error:
        first = str(error).strip().splitlines()[0]
        raise UserError(f"cannot load the model {config.model!r}: {first}") from error


def blueprint(config: PolicyConfig) -> Any:
    """The model to train, without its weights."""
    from transformers import AutoModelForCausalLM

    settings = model_settings(config)
    try:
        with torch.device("meta"):
            model = cast(Any, AutoModelForCausalLM).from_config(settings)
    except (ValueError, ImportError) as error:
        first = str(error).strip().splitlines()[0]
        raise UserError(f"cannot load the model {config.model!r}: {first}") from error
    return with_adapters(model, config) if config.lora_rank else model
