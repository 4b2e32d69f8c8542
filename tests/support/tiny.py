"""A model so small that a test can train it; what it learns is in successor.py."""

from pathlib import Path

import torch
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

WORDS = ["<pad>", "<end>", "?", *"0123456789", *(f"<answer>{i}</answer>" for i in range(10))]


def tiny_tokenizer() -> PreTrainedTokenizerFast:
    """A tokenizer whose every token but the last is a digit or a whole answer."""
    tokenizer = Tokenizer(models.WordLevel({w: i for i, w in enumerate(WORDS)}, unk_token="?"))
    tokenizer.normalizer = normalizers.Replace(Regex("[^0-9]+"), " ")  # all it reads are digits
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, unk_token="?", pad_token="<pad>", eos_token="<end>"
    )


def save_tiny_policy(folder: Path, seed: int = 0) -> Path:
    """A fresh model with that tokenizer."""
    tiny_tokenizer().save_pretrained(folder)
    torch.manual_seed(seed)
    LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(WORDS),
            hidden_size=32,
            intermediate_size=64,
            num_hidden_layers=2,
            num_attention_heads=2,
            max_position_embeddings=128,
            pad_token_id=0,
            bos_token_id=1,
            eos_token_id=1,
        )
    ).save_pretrained(folder)
    return folder
