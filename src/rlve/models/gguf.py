"""Models in GGUF files: transformers reads them, and here they become ordinary models."""

import re
from typing import Any

import torch

from rlve.errors import UserError

# The most by which an embedding and a head differ, relative to their size, that are two
# quantisations of one matrix: 0.04 for Q5_0 against Q8_0, 0.07 for Q4_K against Q6_K, about 0.3 for
# two bits. Matrices of their own, which are nearly orthogonal, differ by more than 1.
ONE_MATRIX = 0.4

BLOCK = re.compile(r"(?:^|\.)blk\.(\d+)\.")  # in the names of tensors


def check_blocks(path: str) -> None:
    """Refuse a file that claims more blocks than it holds.

    For each of them, transformers would make a block and look for its names, for up to minutes.
    """
    from gguf import GGUFReader  # pyright: ignore

    reader = GGUFReader(path)
    found = (BLOCK.search(tensor.name) for tensor in reader.tensors)
    held = max((int(block[1]) + 1 for block in found if block), default=0)
    for name, field in reader.fields.items():
        if name.endswith("block_count") and (claimed := int(field.contents())) > held:
            raise UserError(
                f"cannot load the model {path!r}: {name} is {claimed:,}, but its tensors are of "
                f"{held:,} blocks"
            )


@torch.no_grad()
def finish_gguf(model: Any) -> None:
    """Make a model that was read from a GGUF file one that can be trained and saved."""
    # Its weights are in float32, but it claims to be quantised, and would refuse to be saved.
    model.hf_quantizer.remove_quantization_config(model)
    model.config._name_or_path = ""  # the folder of the file, which is no model
    # Where a model ties its head to the embedding, llama.cpp may still write both, the head in more
    # bits. transformers takes them for two matrices then: another model, which in the case of
    # Qwen2.5-0.5B has a quarter more to train.
    embedding, head = model.get_input_embeddings(), model.get_output_embeddings()
    one, other = embedding.weight, head.weight
    if one is other or one.shape != other.shape:
        return
    if (one - other).norm() > ONE_MATRIX * other.norm():
        return
    embedding.weight = other
    model.config.tie_word_embeddings = True
    model.tie_weights()
    model.all_tied_weights_keys = model.get_expanded_tied_weights_keys(all_submodels=True)
