"""Models without chance: the distribution that is trained must be the one sampled from."""

from typing import Any, cast

import torch

from rlve.errors import UserError
from rlve.models.engines.weights import single_precision

TOKENS = 32  # of the text on which a model is tried out
NEAR = 1e-3  # times the largest logit


def without_dropout(config: Any) -> Any:
    """The settings of a transformers model, without dropout and noise in its routers."""
    parts: list[Any] = [config, config.get_text_config()]  # often the same
    for part in parts:
        settings = cast(dict[str, object], vars(part))
        for name, value in list(settings.items()):
            # Phi's models of experts use the same name for a threshold.
            noise = name in ("router_jitter_noise", "moe_jitter_eps", "input_jitter_noise")
            noise = noise and part.model_type != "phimoe"
            if ("drop" in name or noise) and isinstance(value, float):
                setattr(part, name, 0.0)
    return config


@torch.no_grad()
def check_certain(model: Any) -> None:
    """Raise a UserError if a model computes something else in training than in sampling."""
    training = model.training
    device = model.device
    text = torch.arange(TOKENS, device=device).unsqueeze(0)
    text = text % model.config.get_text_config().vocab_size
    forked = [device] if device.type == "cuda" else []
    with single_precision(model), torch.random.fork_rng(forked):
        sampled, trained = (
            model.train(mode)(input_ids=text, use_cache=False).logits for mode in (False, True)
        )
    model.train(training)
    near = NEAR * float(sampled.abs().nan_to_num().max())
    if not torch.allclose(sampled, trained, rtol=0, atol=near, equal_nan=True):
        raise UserError(
            f"{type(model).__name__} cannot be trained: it draws random numbers in training, so "
            "the policy that is trained would not be the one that is sampled"
        )
