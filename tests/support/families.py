"""Tiny random models of the families that engines of our own have to sample from rightly."""

import torch
from transformers import CONFIG_MAPPING, AutoModelForCausalLM

VOCABULARY = 61
WINDOW = 7  # shorter than the prompts

_COMMON = {
    "vocab_size": VOCABULARY,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "max_position_embeddings": 256,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 1,
}

FAMILIES = {
    "llama": ("llama", {}),
    "llama, eager": ("llama", {"attn_implementation": "eager"}),
    "qwen2": ("qwen2", {}),
    "qwen2, window": (
        "qwen2",
        {
            "use_sliding_window": True,
            "sliding_window": WINDOW,
            "layer_types": ["full_attention", "sliding_attention", "sliding_attention"],
        },
    ),
    "qwen3": ("qwen3", {}),
    "gemma3": (
        "gemma3_text",
        {
            "sliding_window": WINDOW,
            "query_pre_attn_scalar": 8,
            "layer_types": ["sliding_attention", "full_attention", "sliding_attention"],
        },
    ),
    "gemma2": (
        "gemma2",
        {
            "sliding_window": WINDOW,
            "query_pre_attn_scalar": 8,
            "attn_logit_softcapping": 2.0,
            "final_logit_softcapping": 5.0,
            "attn_implementation": "eager",
            "layer_types": ["sliding_attention", "full_attention", "sliding_attention"],
        },
    ),
    "mistral, window": ("mistral", {"sliding_window": WINDOW}),
    "mistral, window, eager": (
        "mistral",
        {"sliding_window": WINDOW, "attn_implementation": "eager"},
    ),
    "gpt-oss": (
        "gpt_oss",
        {
            "sliding_window": WINDOW,
            "num_local_experts": 4,
            "num_experts_per_tok": 2,
            "layer_types": ["sliding_attention", "full_attention", "sliding_attention"],
        },
    ),
    "gpt2": (
        "gpt2",
        {"n_embd": 32, "n_layer": 3, "n_head": 4, "n_positions": 256},
    ),
}


def tiny(family, seed=0, spread=0.3):
    """A model of the family; the spread of its weights is so large that a wrong look shows."""
    kind, settings = FAMILIES[family]
    return tiny_model(kind, seed, spread, **settings)


def tiny_model(kind, seed=0, spread=0.3, **settings):
    """The same for a type of model."""
    common = _COMMON
    if kind == "gpt2":
        common = {key: _COMMON[key] for key in ("pad_token_id", "bos_token_id", "eos_token_id")}
        common |= {"vocab_size": VOCABULARY}
    torch.manual_seed(seed)
    config = CONFIG_MAPPING[kind](**{**common, **settings, "initializer_range": spread})
    model = AutoModelForCausalLM.from_config(config).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "norm" in name or "sinks" in name or "bias" in name or ".ln_" in name:
                parameter.add_(0.5 * torch.randn_like(parameter))
    return model
