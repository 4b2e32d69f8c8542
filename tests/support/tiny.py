"""A model and an environment so small that a test can train one on the other."""

from pathlib import Path
from random import Random
from typing import Self

import torch
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

import rlve
from rlve.answers import integer
from rlve.rewards import closeness


class Successor(rlve.Environment[int]):
    """Say which digit comes after a given one, counting on from 9 to 0."""

    N: int
    digit: int
    reference_answer: int

    template = "{digit} Output format: one digit."

    @classmethod
    def level(cls, d: int) -> list[rlve.Level]:
        return [{"N": d + 4}]

    @classmethod
    def sample(cls, rng: Random, N: int) -> Self:
        digit = rng.randrange(min(N, 10))
        return cls(N=N, digit=digit, reference_answer=(digit + 1) % 10)

    def parse(self, text: str) -> int:
        return integer(text, low=0)

    def score(self, answer: int) -> float:
        return closeness(answer, self.reference_answer) ** 2


def save_tiny_policy(folder: Path, seed: int = 0) -> Path:
    """A fresh model whose every token but the last is a digit or a whole answer."""
    words = ["<pad>", "<end>", "?", *"0123456789", *(f"<answer>{i}</answer>" for i in range(10))]
    tokenizer = Tokenizer(models.WordLevel({w: i for i, w in enumerate(words)}, unk_token="?"))
    tokenizer.normalizer = normalizers.Replace(Regex("[^0-9]+"), " ")  # all it reads are digits
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, unk_token="?", pad_token="<pad>", eos_token="<end>"
    ).save_pretrained(folder)
    torch.manual_seed(seed)
    LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(words),
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
