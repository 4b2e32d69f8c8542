"""Tiny models in GGUF files, as llama.cpp writes them."""

from pathlib import Path

import gguf
import numpy as np
import torch
from transformers import LlamaConfig, LlamaForCausalLM
from transformers.convert_slow_tokenizer import bytes_to_unicode

END = "<|end|>"
TEMPLATE = "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}<assistant>"


def tiny_llama(*, tied: bool = False, seed: int = 0) -> LlamaForCausalLM:
    """A model of bytes."""
    torch.manual_seed(seed)
    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=259,
            hidden_size=32,
            intermediate_size=64,
            num_hidden_layers=2,
            num_attention_heads=4,
            num_key_value_heads=2,
            head_dim=8,
            max_position_embeddings=512,
            tie_word_embeddings=tied,
            initializer_range=0.3,  # far from uniform, so that a wrong weight shows
        )
    ).eval()


def write_gguf(
    path: Path,
    model: LlamaForCausalLM,
    *,
    template: str | None = None,
    kind: gguf.GGMLQuantizationType = gguf.GGMLQuantizationType.F32,
    head: gguf.GGMLQuantizationType | None = None,
) -> Path:
    """Write a model with a tokenizer of bytes, two merges and an end.

    head   the kind of the head's numbers; a tied head is written as well then, as llama.cpp can
    """
    config = model.config
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("tiny")
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_rope_dimension_count(config.head_dim)
    writer.add_rope_freq_base(config.rope_parameters["rope_theta"])
    writer.add_vocab_size(config.vocab_size)
    _add_tokenizer(writer, template)
    tensors = {name: (tensor, kind) for name, tensor in _tensors(model).items()}
    if head is not None:
        tensors["output.weight"] = (model.lm_head.weight.detach().numpy(), head)
    for name, (tensor, of) in tensors.items():
        if tensor.ndim == 1 or of == gguf.GGMLQuantizationType.F32:
            writer.add_tensor(name, tensor)
        else:
            writer.add_tensor(name, gguf.quants.quantize(tensor, of), raw_dtype=of)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _add_tokenizer(writer: gguf.GGUFWriter, template: str | None) -> None:
    tokens = [*bytes_to_unicode().values(), "he", "hel", END]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(tokens)
    writer.add_token_types([gguf.TokenType.NORMAL] * 258 + [gguf.TokenType.CONTROL])
    writer.add_token_merges(["h e", "he l"])
    writer.add_eos_token_id(258)
    writer.add_bos_token_id(258)
    if template is not None:
        writer.add_chat_template(template)


def _tensors(model: LlamaForCausalLM) -> dict[str, np.ndarray]:
    """The weights under the names of llama.cpp, whose rotary halves are interleaved."""
    config = model.config
    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.LLAMA, config.num_hidden_layers)
    found = {}
    for name, parameter in model.named_parameters():
        weight = parameter.detach().numpy()
        if "q_proj" in name:
            weight = _interleaved(weight, config.num_attention_heads)
        elif "k_proj" in name:
            weight = _interleaved(weight, config.num_key_value_heads)
        found[names.get_name(name, try_suffixes=(".weight",))] = weight
    return found


def _interleaved(weight: np.ndarray, heads: int) -> np.ndarray:
    halves = weight.reshape(heads, 2, weight.shape[0] // heads // 2, weight.shape[1])
    return np.ascontiguousarray(halves.swapaxes(1, 2).reshape(weight.shape))
