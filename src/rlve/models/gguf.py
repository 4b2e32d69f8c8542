"""Models in GGUF files: read and de-quantised, and from then on ordinary models."""

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

# For tokenizers: outputs are judged as they were written, without "cleaning up" their spaces.
AS_WRITTEN = {"clean_up_tokenization_spaces": False}

# A model read from a GGUF file claims to be quantised, and would refuse to be saved.
_OF_THE_FILE = ("quantization_config", "_name_or_path", "dtype", "transformers_version")


def load_gguf(file: Path, *, weights: bool = True, **options: Any) -> tuple[Any, Any]:
    """The model in float32, and its tokenizer; `options` go to the model's constructor."""
    with _read_once():
        return _load(file, weights=weights, **options)


def _load(file: Path, *, weights: bool, **options: Any) -> tuple[Any, Any]:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    place: dict[str, Any] = {"gguf_file": file.name, "trust_remote_code": False}
    tokenizer = cast(Any, AutoTokenizer).from_pretrained(file.parent, **AS_WRITTEN, **place)
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
    """Make transformers read a file once, and quickly, inside the block.

    It reads the file three times, for the tokenizer, the settings and the weights, and the names of
    tensors once per part of the model; and the reader walks over a vocabulary in slices of a memory
    map, which are slow. For a small model that took most of the time.
    """
    import gguf
    from tqdm.auto import tqdm
    from transformers import modeling_gguf_pytorch_utils

    class Reader(gguf.GGUFReader):
        """A reader that treats the file as a plain array."""

        def __setattr__(self, name: str, value: Any) -> None:
            super().__setattr__(name, np.asarray(value) if name == "data" else value)

    with (
        patch.object(gguf, "GGUFReader", lru_cache(maxsize=1)(Reader)),
        patch.object(gguf, "get_tensor_name_map", lru_cache(maxsize=1)(gguf.get_tensor_name_map)),
        patch.object(modeling_gguf_pytorch_utils, "tqdm", partial(tqdm, disable=True), create=True),
    ):
        yield
