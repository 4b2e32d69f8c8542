"""Tiny random models of the families that engines of our own have to sample from rightly."""

import torch
from transformers import CONFIG_MAPPING, AutoModelForCausalLM

from rlve.models.dropout import without_dropout

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
    "gemma4": (
        "gemma4_text",
        {
            "num_hidden_layers": 4,
            "num_kv_shared_layers": 2,
            "sliding_window": WINDOW,
            "global_head_dim": 16,
            "num_global_key_value_heads": 1,
            "hidden_size_per_layer_input": 8,
            "vocab_size_per_layer_input": VOCABULARY,
            "layer_types": ["sliding_attention", "full_attention"] * 2,
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

_EXPERTS = {
    "num_experts": 4,
    "num_local_experts": 4,
    "n_routed_experts": 4,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 16,
    "shared_expert_intermediate_size": 16,
    "n_group": 1,
    "topk_group": 1,
}
_LATENT = {
    "q_lora_rank": 8,
    "kv_lora_rank": 8,
    "qk_rope_head_dim": 4,
    "qk_nope_head_dim": 8,
    "v_head_dim": 8,
    "head_dim": 4,
    "num_key_value_heads": 4,
}
_LINEAR = {"layer_types": ["linear_attention", "full_attention", "linear_attention"]}
_STATES = {"mamba_n_heads": 4, "mamba_d_head": 16, "mamba_d_state": 4, "mamba_n_groups": 1}

OTHERS = {
    "bamba": {**_STATES, "attn_layer_indices": [1]},
    "cohere2": {},
    "deepseek_v2": {**_EXPERTS, **_LATENT},
    "deepseek_v3": {**_EXPERTS, **_LATENT, "first_k_dense_replace": 1},
    "ernie4_5_moe": {**_EXPERTS, "moe_num_experts": 4, "moe_k": 2},
    "exaone4": {},
    "flex_olmo": _EXPERTS,
    "gemma3, with images": {
        "text_config": {**_COMMON, "query_pre_attn_scalar": 8},
        "vision_config": {
            "hidden_size": 16,
            "intermediate_size": 16,
            "num_hidden_layers": 1,
            "num_attention_heads": 2,
            "image_size": 16,
            "patch_size": 8,
        },
        "mm_tokens_per_image": 4,
    },
    "glm4_moe": {**_EXPERTS, "first_k_dense_replace": 1},
    "gpt_neox": {},
    "granite": {},
    "granitemoe": _EXPERTS,
    "granitemoehybrid": {
        **_EXPERTS,
        **_STATES,
        "layer_types": ["mamba", "attention", "mamba"],
        "shared_intermediate_size": 16,
    },
    "hunyuan_v1_moe": {**_EXPERTS, "moe_topk": 2},
    "jamba": {
        **_EXPERTS,
        "attn_layer_period": 2,
        "attn_layer_offset": 1,
        "mamba_d_state": 4,
        "mamba_dt_rank": 4,
    },
    "lfm2": {},
    "minimax": {**_EXPERTS, **_LINEAR, "block_size": 8},
    "minimax_m2": _EXPERTS,
    "mixtral": _EXPERTS,
    "nemotron_h": {
        **_EXPERTS,
        "layers_block_type": ["mamba", "attention", "moe"],
        "mamba_num_heads": 4,
        "mamba_head_dim": 8,
        "ssm_state_size": 4,
        "n_groups": 1,
        "moe_shared_expert_intermediate_size": 16,
        "chunk_size": 8,
    },
    "olmo2": {},
    "olmoe": _EXPERTS,
    "opt": {"ffn_dim": 48, "word_embed_proj_dim": 32},
    "phi": {},
    "phi3": {},
    "phimoe": _EXPERTS,
    "qwen2_moe": _EXPERTS,
    "qwen3_moe": _EXPERTS,
    "qwen3_next": {
        **_EXPERTS,
        **_LINEAR,
        "linear_num_value_heads": 2,
        "linear_num_key_heads": 2,
        "linear_key_head_dim": 8,
        "linear_value_head_dim": 8,
    },
    "smollm3": {},
    "stablelm": {},
    "starcoder2": {},
}
"""Types of models that are stored in a layout of their own, or sampled by vLLM alone, and others.

Most of those with experts are written to disk under other names than they have in memory.
"""


def tiny(family, seed=0, spread=0.3):
    """A model of the family; the spread of its weights is so large that a wrong look shows."""
    kind, settings = FAMILIES.get(family) or (family.partition(",")[0], OTHERS[family])
    return tiny_model(kind, seed, spread, **settings)


def tiny_model(kind, seed=0, spread=0.3, **settings):
    """The same for a type of model."""
    common = _COMMON
    if kind == "gpt2":
        common = {key: _COMMON[key] for key in ("pad_token_id", "bos_token_id", "eos_token_id")}
        common |= {"vocab_size": VOCABULARY}
    if "text_config" in settings:
        common = {}
    torch.manual_seed(seed)
    config = CONFIG_MAPPING[kind](**{**common, **settings, "initializer_range": spread})
    if "router_jitter_noise" not in settings:
        without_dropout(config)
    model = AutoModelForCausalLM.from_config(config).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "norm" in name or "sinks" in name or "bias" in name or ".ln_" in name:
                parameter.add_(0.5 * torch.randn_like(parameter))
    return model
