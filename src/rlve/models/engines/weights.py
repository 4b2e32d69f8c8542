"""The weights of a trained model, as an engine takes them over."""

# torch and transformers leave many of their types unknown.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from rlve.errors import UserError


def base_of(model: Any) -> Any:
    """The model of transformers, without the wrapping of its adapters."""
    return model.get_base_model() if hasattr(model, "peft_config") else model


def whole_weights(model: Any, *, twice: bool = False) -> Iterator[tuple[str, Tensor]]:
    """Names and weights as if there were no adapters: what they learnt is added in.

    Weights that the model has under two names come under the first, or `twice`.
    """
    base = base_of(model)
    tied = set[str]() if twice else set(getattr(base, "all_tied_weights_keys", None) or {})
    layers = dict(base.named_modules())
    for name, weight in base.state_dict().items():
        if name in tied or ".lora_" in name:
            continue
        whole = weight
        place, inside, rest = name.rpartition(".base_layer.")
        if inside and rest == "weight":
            for adapter in layers[place].active_adapters:
                whole = whole + layers[place].get_delta_weight(adapter).to(whole)
        yield name.replace(".base_layer.", "."), whole


@torch.no_grad()
def copy_weights(model: Any, copy: Any) -> None:
    """Write the weights of a model into its copy, in place and in the copy's own type."""
    targets: dict[str, Tensor] = copy.state_dict()
    missing = set(targets)
    # The copy may have two weights where the model has one with two names.
    for name, weight in whole_weights(model, twice=True):
        if name not in targets:
            raise UserError(f"the weights {name} of {type(base_of(model)).__name__} are unknown")
        targets[name].copy_(weight, non_blocking=True)
        missing.discard(name)
    if missing:
        raise UserError(
            f"{type(base_of(model)).__name__} has no weights {min(missing)} to sample with"
        )
