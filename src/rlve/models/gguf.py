"""Models in GGUF files: read and de-quantised, and from then on ordinary models."""

import os
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import lru_cache, partial
from pathlib import Path
from struct import Struct
from typing import Any, cast
from unittest.mock import patch

import numpy as np
import torch

from rlve.errors import UserError
from rlve.files import open_regular
from rlve.models.dropout import without_dropout

# For tokenizers: outputs are judged as they were written, without "cleaning up" their spaces.
AS_WRITTEN = {"clean_up_tokenization_spaces": False}

HEADER = Struct("<4sIQQ")  # magic, version, tensors, settings
TENSOR, SETTING = 24, 13  # bytes that the description of a tensor, or a setting, takes at least

EMBEDDING, HEAD = "token_embd.weight", "output.weight"

# The most by which an embedding and a head differ, relative to their size, that are two
# quantisations of one matrix: 0.04 for Q5_0 against Q8_0, 0.07 for Q4_K against Q6_K, about 0.3 for
# two bits. Matrices of their own, which are nearly orthogonal, differ by more than 1.
ONE_MATRIX = 0.4
ROWS = 1000  # of the two to compare

CHUNK = 2**18  # numbers to de-quantise at a time, so that all the steps of it stay in the cache


def load_gguf(file: Path, *, weights: bool = True, **options: Any) -> tuple[Any, Any]:
    """The model in float32, and its tokenizer; `options` go to the model's constructor."""
    _check_counts(file)
    try:
        with _read_once():
            return _load(file, weights=weights, **options)
    except (LookupError, OverflowError, MemoryError, TypeError) as error:
        raise UserError(f"{file} is damaged: {error or type(error).__name__}") from error


def _check_counts(file: Path) -> None:
    """Refuse a file that is too short for what its header counts: the reader would believe it."""
    with open_regular(file) as opened:
        header, size = opened.read(HEADER.size), opened.seek(0, os.SEEK_END)
    if len(header) < HEADER.size:
        raise UserError(f"{file} is damaged: it has no header")
    _, version, tensors, settings = HEADER.unpack(header)
    if version < 2**16 and tensors * TENSOR + settings * SETTING > size:  # or else its bytes differ
        raise UserError(
            f"{file} is damaged: it has no room for {tensors:,} tensors and {settings:,} settings"
        )


def _load(file: Path, *, weights: bool, **options: Any) -> tuple[Any, Any]:
    from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer

    place: dict[str, Any] = {"gguf_file": file.name, "trust_remote_code": False}
    tokenizer = cast(Any, AutoTokenizer).from_pretrained(file.parent, **AS_WRITTEN, **place)
    if not weights:
        return None, tokenizer
    settings = without_dropout(cast(Any, AutoConfig).from_pretrained(file.parent, **place))
    model = cast(Any, AutoModelForCausalLM).from_pretrained(
        file.parent, config=settings, dtype=torch.float32, **place, **options
    )
    # It claims to be quantised, and would refuse to be saved.
    model.hf_quantizer.remove_quantization_config(model)
    model.config._name_or_path = ""
    return model, tokenizer


@contextmanager
def _read_once() -> Generator[None]:
    """Make transformers read a file once, and quickly, inside the block.

    It reads the file three times, for the tokenizer, the settings and the weights, and the names of
    tensors once per part of the model; and the reader walks over a vocabulary in slices of a memory
    map, and the texts in it byte by byte, which is slow. For a small model that took most of the
    time.
    """
    import gguf
    from tqdm.auto import tqdm
    from transformers import modeling_gguf_pytorch_utils

    class Reader(gguf.GGUFReader):
        """A reader that treats the file as a plain array, and ties what the model ties."""

        def __init__(self, path: Any) -> None:
            super().__init__(path)
            self.tensors = _tied(self.tensors)

        def __setattr__(self, name: str, value: Any) -> None:
            super().__setattr__(name, np.asarray(value) if name == "data" else value)

    parse = cast(Any, modeling_gguf_pytorch_utils)._gguf_parse_value

    def read_value(value: Any, kinds: list[Any]) -> Any:
        is_text = kinds[-1:] == [gguf.GGUFValueType.STRING]
        return value.tobytes().decode() if is_text else parse(value, kinds)

    with (
        patch.object(gguf, "GGUFReader", lru_cache(maxsize=1)(Reader)),
        patch.object(gguf, "dequantize", dequantise),
        patch.object(gguf, "get_tensor_name_map", lru_cache(maxsize=1)(gguf.get_tensor_name_map)),
        patch.object(modeling_gguf_pytorch_utils, "_gguf_parse_value", read_value),
        patch.object(modeling_gguf_pytorch_utils, "tqdm", partial(tqdm, disable=True), create=True),
    ):
        yield


def _tied(tensors: list[Any]) -> list[Any]:
    """The tensors, without the head if it is the embedding; the finer of the two is kept.

    Where a model ties them, a file may still hold both: llama.cpp can keep the head in more bits.
    """
    found = {tensor.name: tensor for tensor in tensors}
    embedding, head = found.get(EMBEDDING), found.get(HEAD)
    if embedding is None or head is None or list(embedding.shape) != list(head.shape):
        return tensors
    step = max(1, len(head.data) // ROWS)
    one, other = (dequantise(t.data[::step], t.tensor_type) for t in (embedding, head))
    if np.linalg.norm(one - other) > ONE_MATRIX * np.linalg.norm(other):
        return tensors
    kept = max(embedding, head, key=lambda tensor: tensor.n_bytes)._replace(name=EMBEDDING)
    rest = [tensor for tensor in tensors if tensor.name not in (EMBEDDING, HEAD)]
    return [kept, *rest]


def dequantise(data: Any, kind: Any) -> Any:
    """The numbers in a tensor's blocks, as float32.

    The library works on sixteen rows at a time and joins the pieces; this does it in larger pieces,
    in place and on all cores, four times as fast on each.
    """
    import gguf

    if kind == gguf.GGMLQuantizationType.F32:
        return data
    size, width = gguf.GGML_QUANT_SIZES[kind]  # of a block, in numbers and in bytes
    raw = np.ascontiguousarray(data).view(np.uint8)
    blocks = raw.reshape(-1, width)
    numbers = np.empty((len(blocks), size), dtype=np.float32)
    step = max(1, CHUNK // size)

    def fill(first: int) -> None:
        piece = blocks[first : first + step]
        found = gguf.quants.dequantize(piece.reshape(1, -1), kind)
        numbers[first : first + step] = found.reshape(-1, size)

    with ThreadPoolExecutor(os.cpu_count()) as threads:
        for _ in threads.map(fill, range(0, len(blocks), step)):
            pass
    return numbers.reshape(*raw.shape[:-1], -1)
