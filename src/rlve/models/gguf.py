"""Models in GGUF files: read, de-quantised, and as an ordinary model from then on."""

# transformers leaves many of its types unknown.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from collections.abc import Generator
from contextlib import contextmanager
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, cast
from unittest.mock import patch

import numpy as np
import torch

from rlve.models.dropout import without_dropout

# A model that was read from a GGUF file calls itself quantised, and would refuse to be saved.
_OF_THE_FILE = ("quantization_config", "_name_or_path", "dtype", "transformers_version")


def load_gguf(file: Path, *, weights: bool = True, **options: Any) -> tuple[Any, Any]:
    """The model, in float32, and its tokenizer; `options` are those of the model's constructor."""
    with _read_once():
        return _load(file, weights=weights, **options)


def _load(file: Path, *, weights: bool, **options: Any) -> tuple[Any, Any]:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    place: dict[str, Any] = {"gguf_file": file.name, "trust_remote_code": False}
    tokenizer = cast(Any, AutoTokenizer).from_pretrained(file.parent, **place)
    if not weights:
        return None, tokenizer
    read = cast(Any, AutoModelForCausalLM).from_pretrained(
        file.parent, dtype=torch.float32, **place
    )
    settings = {key: v for key, v in read.config.to_dict().items() if key not in _OF_THE_FILE}
    model = type(read)(without_dropout(type(read.config)(**settings, **options)))
    model.load_state_dict(read.state_dict())
    model.tie_weights()
    model.generation_config = read.generation_config
    return model, tokenizer


@contextmanager
def _read_once() -> Generator[None]:
    """Let transformers read a file once, and quickly, while the block runs.

    It asks for the file three times, for the tokenizer, the settings and the weights, and for the
    names of tensors once for each part of the model; and the reader walks over a vocabulary in
    slices of a memory map, which are slow. That was most of the time that a small model took.
    """
    import gguf
    from tqdm.auto import tqdm
    from transformers import modeling_gguf_pytorch_utils

    class Reader(gguf.GGUFReader):
        """One that looks at the file as at a plain array."""

        def __setattr__(self, name: str, value: Any) -> None:
            super().__setattr__(name, np.asarray(value) if name == "data" else value)

    with (
        patch.object(gguf, "GGUFReader", lru_cache(maxsize=1)(Reader)),
        patch.object(gguf, "get_tensor_name_map", lru_cache(maxsize=1)(gguf.get_tensor_name_map)),
        patch.object(modeling_gguf_pytorch_utils, "tqdm", partial(tqdm, disable=True), create=True),
    ):
        yield
