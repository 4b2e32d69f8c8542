"""The weights of a trained model, in the form that an engine takes."""

import re
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from itertools import groupby
from typing import Any

import torch
from torch import Tensor, nn

from rlve.errors import UserError


def base_of(model: Any) -> Any:
    """The transformers model without the wrapper for its adapters.

    Its layers still hold them, and it has the wrapper's `peft_config`, too, so that does not tell
    the two apart.
    """
    return model.get_base_model() if hasattr(model, "get_base_model") else model


def whole_weights(model: Any, *, twice: bool = False) -> Iterator[tuple[str, Tensor]]:
    """Names and weights with adapters merged into them.

    Weights that the model has under two names come under the first, or under both if `twice`.
    """
    base = base_of(model)
    tied = set[str]() if twice else set(getattr(base, "all_tied_weights_keys", None) or {})
    layers = dict(base.named_modules())
    for name, weight in base.state_dict().items():
        if name in tied or ".lora_" in name:
            continue
        merged = weight
        *inside, last = name.split(".base_layer")
        for depth in range(1, len(inside) + 1):  # experts have a wrapper for each of their weights
            layer = layers[".base_layer".join(inside[:depth])]
            if last == f".{getattr(layer, 'parameter_name', 'weight')}":
                for adapter in layer.active_adapters:
                    # Half precision would round them twice.
                    merged = merged.float() + layer.get_delta_weight(adapter).float()
        yield "".join(inside) + last, merged


def stored_weights(model: Any) -> Iterator[tuple[str, Tensor]]:
    """The same under the names, and in the shapes, that they have in a file.

    In memory, transformers joins weights that are apart in files, as those of experts. It turns all
    of them back at once; here it does so layer by layer, since that needs memory for copies.
    """
    from transformers.core_model_loading import revert_weight_conversion

    base = base_of(model)
    for _, layer in groupby(whole_weights(model), key=lambda pair: _layer_of(pair[0])):
        yield from revert_weight_conversion(base, dict(layer)).items()


def _layer_of(name: str) -> str:
    """The part of a name up to its first number."""
    found = re.match(r".*?\.[0-9]+\.", name)
    return found[0] if found else ""


@torch.no_grad()
def copy_weights(model: Any, copy: Any) -> None:
    """Write the weights of a model into its copy, in place and in the copy's own type."""
    targets: dict[str, Tensor] = copy.state_dict()
    missing = set(targets)
    # The copy may have two weights where the model has one under two names.
    for name, weight in whole_weights(model, twice=True):
        if name not in targets:
            raise UserError(f"the weights {name} of {type(base_of(model)).__name__} are unknown")
        targets[name].copy_(weight, non_blocking=True)
        missing.discard(name)
    if missing:
        raise UserError(
            f"{type(base_of(model)).__name__} has no weights {min(missing)} to sample with"
        )


@contextmanager
def single_precision(model: Any) -> Generator[None]:
    """Let a model compute in single precision, whatever the precision of its weights.

    They are converted block by block, so that not all of them need twice the memory at once.
    """
    stored: dict[Tensor, Tensor] = {}

    def convert(block: nn.Module, arguments: object) -> None:
        for weight in block.parameters():
            stored[weight] = weight.data
            weight.data = weight.data.float()

    def restore(block: nn.Module, arguments: object, output: object) -> None:
        for weight in block.parameters():
            weight.data = stored.pop(weight)

    handles = [
        handle
        for block in _blocks(model)
        for handle in (
            block.register_forward_pre_hook(convert),
            block.register_forward_hook(restore),
        )
    ]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()
        for weight, data in stored.items():  # of a block that raised an exception
            weight.data = data


def _blocks(module: nn.Module) -> Iterator[nn.Module]:
    """The parts of a model that run one after another: its layers, and what is around them."""
    for child in module.children():
        if isinstance(child, nn.ModuleList):
            yield from child
        elif any(isinstance(part, nn.ModuleList) for part in child.modules()):
            yield from _blocks(child)
        else:
            yield child
