"""Models in GGUF files: read, de-quantised, and as an ordinary model from then on."""

# transformers leaves many of its types unknown.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from pathlib import Path
from typing import Any, cast

import torch

from rlve.models.dropout import without_dropout

# A model that was read from a GGUF file calls itself quantised, and would refuse to be saved.
_OF_THE_FILE = ("quantization_config", "_name_or_path", "dtype", "transformers_version")


def load_gguf(file: Path, *, weights: bool = True, **options: Any) -> tuple[Any, Any]:
    """The model, in float32, and its tokenizer; `options` are those of the model's constructor."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    place: dict[str, Any] = {"gguf_file": file.name}
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
