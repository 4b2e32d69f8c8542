"""How the embedded policy `nano` is made: `make nano`, or this module as a command.

A small Llama model with a tokenizer of its own, taught for a short while to give the references of
a few environments, over a range of levels. It is left under-trained on purpose: its accuracy is
high at d = 0 and falls off gradually, so that reinforcement learning has something to hold on to at
the next levels, and it is stopped while its learning rate is still high, so that there is something
to learn. (Trained to perfection on d = 0 and 1 alone, such a model scores 0 at d = 2.)
"""

# torch and transformers leave many of their types unknown.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

import json
import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Any, cast

import torch
import tyro

from rlve.collections import C16, HELD_OUT
from rlve.contract import Problem
from rlve.formats import PLAIN
from rlve.registry import environment

PAD, END = "<pad>", "<end>"


@dataclass(frozen=True)
class NanoConfig:
    """All settings that the weights depend on."""

    environments: tuple[str, ...] = ("Sorting", "MinimalCyclicShift", "ABProgramSimulation")
    """What it is taught."""
    highest: int = 8
    """References of d = 0 .. this are taught."""
    steps: int = 380
    """Of the optimiser."""
    schedule: int = 500
    """The steps after which its learning rate would have fallen to zero. Taught until then, the
    model would have most of what colder sampling can give, and little would be left to learn."""
    batch: int = 256
    """References in each step."""
    learning_rate: float = 2e-3
    """At its highest; it warms up, and falls along a cosine."""
    hidden: int = 128
    """Width of the model."""
    layers: int = 6
    """Depth of the model."""
    vocabulary: int = 2048
    """Tokens at most."""
    context: int = 1024
    """Positions of the model."""
    seed: int = 0
    """Of all random choices."""


def make_tokenizer(config: NanoConfig) -> Any:
    """Byte pairs learnt from our prompts, across words: what all prompts say is one token.

    Digits stay single, so that numbers are read and written digit by digit.
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
    """Many prompts of the environments that are taught, and some of a choice of others."""
    for name in dict.fromkeys((*config.environments, *C16, *HELD_OUT)):
        taught = name in config.environments
        for seed in range(64 if taught else 4):
            problem = environment(name).generate(difficulty=seed % 4, seed=seed)
            yield str(PLAIN.render(problem))
            if taught:
                yield answer_text(problem)


def answer_text(problem: Problem) -> str:
    """The output that is taught: the reference, marked as an answer."""
    return f"<answer>{problem.reference()}</answer>"


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


def examples(config: NanoConfig, tokenizer: Any) -> Iterator[tuple[list[int], list[int]]]:
    """Prompts and outputs as tokens, for ever; each seed is used once."""
    rng = Random(f"nano/{config.seed}")
    while True:
        name = rng.choice(config.environments)
        difficulty = rng.randint(0, config.highest)
        problem = environment(name).generate(difficulty=difficulty, seed=rng.getrandbits(48))
        prompt = tokenizer(PLAIN.render(problem))["input_ids"]
        output = [*tokenizer(answer_text(problem))["input_ids"], tokenizer.eos_token_id]
        yield prompt, output


def teach(config: NanoConfig, model: Any, tokenizer: Any) -> Iterator[float]:
    """Supervised training on references; yields the loss of each step."""
    device = next(model.parameters()).device
    optimizer = torch.optim.AdamW(
        model.parameters(), lr=config.learning_rate, betas=(0.9, 0.98), weight_decay=0.01
    )
    source = examples(config, tokenizer)
    for step in range(config.steps):
        warm = min(1.0, (step + 1) / 100)
        rate = 0.5 * (1 + math.cos(math.pi * step / config.schedule)) * warm
        for group in optimizer.param_groups:
            group["lr"] = config.learning_rate * rate
        rows = [next(source) for _ in range(config.batch)]
        width = max(len(prompt) + len(output) for prompt, output in rows)
        tokens = torch.zeros(len(rows), width, dtype=torch.long)
        labels = torch.full((len(rows), width), -100)
        for i, (prompt, output) in enumerate(rows):
            end = len(prompt) + len(output)
            tokens[i, :end] = torch.tensor(prompt + output)
            labels[i, len(prompt) : end] = torch.tensor(output)
        with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
            # Right padding needs no mask: no token looks at what comes after it.
            loss = model(input_ids=tokens.to(device), labels=labels.to(device)).loss
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        yield float(loss.detach())


def accuracy_by_level(
    model: Any, tokenizer: Any, name: str, levels: range, count: int = 200
) -> list[float]:
    """The share of problems that the model solves at each level, sampling at temperature 1."""
    from rlve.models.engines.in_process import InProcessEngine
    from rlve.models.rollouts import Rollout

    found: list[float] = []
    for difficulty in levels:
        problems = [
            environment(name).generate(difficulty=difficulty, seed=-1 - seed)
            for seed in range(count)
        ]
        rollouts = [Rollout(tokenizer(PLAIN.render(problem))["input_ids"]) for problem in problems]
        engine = InProcessEngine(model, stop_tokens=[tokenizer.eos_token_id], max_tokens=256)
        engine.submit(rollouts)
        while engine.collect():
            pass
        right = [
            problem.verify(tokenizer.decode(rollout.tokens, skip_special_tokens=True)).correct
            for problem, rollout in zip(problems, rollouts, strict=True)
        ]
        found.append(sum(right) / count)
    return found


def save(config: NanoConfig, model: Any, tokenizer: Any, folder: Path) -> None:
    """The policy in Hugging Face format; half precision halves what the package ships."""
    model.to("cpu", dtype=torch.bfloat16).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    (folder / "made_with.json").write_text(json.dumps(asdict(config), indent=2) + "\n")


def run(
    folder: tyro.conf.Positional[Path],
    config: tyro.conf.OmitArgPrefixes[NanoConfig] = NanoConfig(),  # noqa: B008  it is frozen
) -> None:
    """Make the embedded policy.

    Args:
        folder: Where it is written.
        config: How it is made.
    """
    device = "cuda" if torch.cuda.is_available() else "cpu"
    tokenizer = make_tokenizer(config)
    model = make_model(config, tokenizer).to(device)
    size = sum(p.numel() for p in model.parameters())
    print(f"{size:,} parameters, {len(tokenizer):,} tokens, on {device}")  # noqa: T201
    for step, loss in enumerate(teach(config, model, tokenizer), 1):
        if step % 50 == 0 or step == config.steps:
            print(f"step {step} of {config.steps}: loss {loss:.4f}", flush=True)  # noqa: T201
    for name in config.environments:
        shares = accuracy_by_level(model, tokenizer, name, range(config.highest + 1))
        shown = " ".join(f"{share:.0%}" for share in shares)
        print(f"{name}, d = 0 .. {config.highest}: {shown}")  # noqa: T201
    save(config, model, tokenizer, folder)


if __name__ == "__main__":
    tyro.cli(run)
