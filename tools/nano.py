"""How the embedded policy `nano` is made: `make nano`, or python tools/nano.py FOLDER.

A small Llama model with its own tokenizer, taught for a short while, as `rlve teach` does, to give
the references of a few environments over a range of levels. It is left under-trained on purpose.
Its accuracy is high at d = 0 and falls off gradually, so that reinforcement learning has something
to build on at the next levels; and it is stopped while its learning rate is still high, so that
there is something left to learn. (Trained to perfection on d = 0 and 1 alone, such a model scores 0
at d = 2.)
"""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, cast

import torch
import tyro

from rlve.collections import C16, HELD_OUT
from rlve.dialogue import Dialogue
from rlve.formats import PLAIN
from rlve.foundation.run_folders import MODEL, checkpoint_folder
from rlve.models.config import PolicyConfig
from rlve.registry import environment
from rlve.reports.live import show
from rlve.train.config import RunConfig
from rlve.train.teaching import teach
from rlve.train.teaching.config import (
    LessonConfig,
    TeachingConfig,
    TeachingUpdateConfig,
    TeachingValidationConfig,
)

WARMUP: Final = 100  # steps over which the learning rate rises
PAD, END = "<pad>", "<end>"


@dataclass(frozen=True)
class NanoConfig:
    """All the settings that the weights depend on."""

    environments: tuple[str, ...] = ("Sorting", "MinimalCyclicShift", "ABProgramSimulation")
    """The environments to teach."""
    highest: int = 8
    """The highest difficulty to teach; the lowest is 0."""
    steps: int = 380
    """Optimiser steps."""
    schedule: int = 500
    """The step at which the learning rate would be almost zero. Taught until then, the model would
    already do as well as colder sampling makes it, and have little left to learn."""
    batch: int = 256
    """References per step."""
    learning_rate: float = 2e-3
    """The peak learning rate, after a warm-up; then it falls along a cosine."""
    hidden: int = 128
    """The width of the model."""
    layers: int = 6
    """The depth of the model."""
    vocabulary: int = 2048
    """The most tokens in the vocabulary."""
    context: int = 1024
    """The model's context length."""
    seed: int = 0
    """The seed for all random choices."""


def make_tokenizer(config: NanoConfig) -> Any:
    """Learn byte pairs from our prompts, across words, so that what all prompts say is one token.

    Digits stay separate, so that numbers are read and written digit by digit.
    """
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    digits = pre_tokenizers.Digits(individual_digits=True)
    raw = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([digits, raw])
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=config.vocabulary,
        special_tokens=[PAD, END],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        max_token_length=400,
        show_progress=False,
    )
    tokenizer.train_from_iterator(_texts(config), trainer)
    return cast(Any, PreTrainedTokenizerFast)(
        tokenizer_object=tokenizer,
        pad_token=PAD,
        eos_token=END,
        clean_up_tokenization_spaces=False,
        chat_template="{% for message in messages %}{{ message['content'] }}{% endfor %}",
    )


def _texts(config: NanoConfig) -> Iterator[str]:
    """Many prompts of the environments to teach, and a few of some others."""
    for name in dict.fromkeys((*config.environments, *C16, *HELD_OUT)):
        taught = name in config.environments
        for seed in range(64 if taught else 4):
            problem = environment(name).generate(difficulty=seed % 4, seed=seed)
            yield str(PLAIN.render(problem))
            if taught and isinstance(problem, Dialogue):
                messages = problem.reference_moves()
                yield from messages
                yield from (
                    str(PLAIN.follow("", "", reply.text)) for reply in problem.replies(messages)
                )
            elif taught:
                yield PLAIN.output(problem, problem.reference() or "")


def make_model(config: NanoConfig, tokenizer: Any) -> Any:
    """The untrained model."""
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(config.seed)
    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=config.hidden,
            intermediate_size=3 * config.hidden,
            num_hidden_layers=config.layers,
            num_attention_heads=config.hidden // 32,
            max_position_embeddings=config.context,
            tie_word_embeddings=True,
            pad_token_id=tokenizer.pad_token_id,
            bos_token_id=tokenizer.eos_token_id,
            eos_token_id=tokenizer.eos_token_id,
        )
    )


def lesson(config: NanoConfig, start: Path, run: Path) -> TeachingConfig:
    """The settings for teaching the untrained model in folder `start`, as a run in folder `run`."""
    return TeachingConfig(
        policy=PolicyConfig(model=str(start), format="plain"),
        data=LessonConfig(
            environments=config.environments,
            without=(),
            levels=tuple(range(config.highest + 1)),
            examples=config.batch,
            max_prompt_tokens=config.context // 2,
            max_answer_tokens=config.context // 4,
        ),
        update=TeachingUpdateConfig(
            learning_rate=config.learning_rate,
            schedule_steps=config.schedule,
            warmup_steps=WARMUP,
        ),
        validation=TeachingValidationConfig(levels=tuple(range(config.highest + 1)), problems=40),
        run=RunConfig(folder=run, steps=config.steps, seed=config.seed),
    )


def make(config: NanoConfig, folder: Path) -> None:
    """Make the policy in Hugging Face format, in half precision to halve the package's size."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    with TemporaryDirectory() as scratch:
        start, run = Path(scratch) / "start", Path(scratch) / "run"
        tokenizer = make_tokenizer(config)
        tokenizer.save_pretrained(start)
        make_model(config, tokenizer).save_pretrained(start)
        outcome = teach(lesson(config, start, run), show=show)
        if outcome.interrupted:
            raise KeyboardInterrupt
        model = checkpoint_folder(run, config.steps) / MODEL
        taught = cast(Any, AutoModelForCausalLM).from_pretrained(
            model, dtype=torch.bfloat16, trust_remote_code=False
        )
        taught.save_pretrained(folder)
        tokenizer = cast(Any, AutoTokenizer).from_pretrained(model, trust_remote_code=False)
        tokenizer.save_pretrained(folder)
    (folder / "made_with.json").write_text(json.dumps(asdict(config), indent=2) + "\n")


def run(
    folder: tyro.conf.Positional[Path],
    config: tyro.conf.OmitArgPrefixes[NanoConfig] = NanoConfig(),  # noqa: B008  it is frozen
) -> None:
    """Make the embedded policy.

    Args:
        folder: Where to write it.
        config: How to make it.
    """
    make(config, folder)


if __name__ == "__main__":
    tyro.cli(run)
