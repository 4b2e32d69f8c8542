"""The policy: a Hugging Face causal language model, its tokenizer, and its prompt format."""

import copy
import difflib
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final, cast

import torch
from safetensors.torch import load_file

from rlve.contract import Problem
from rlve.errors import UserError
from rlve.formats import Format, Message, Prompt, prompt_format
from rlve.models.config import PolicyConfig
from rlve.models.dropout import without_dropout
from rlve.models.fusion import fuse_adapters, fuse_for_training
from rlve.models.gguf import finish_gguf
from rlve.models.locations import check_model, is_gguf, source_of
from rlve.models.reading import make_valid, model_settings, reading, reading_model
from rlve.models.templates import ANSWERED, SAID, check_template, render

# For tokenizers: outputs are judged as they were written, without "cleaning up" their spaces.
AS_WRITTEN: Final = {"clean_up_tokenization_spaces": False}
ADAPTERS: Final = "adapter_model.safetensors"  # peft's file in a folder of adapters
THOUGHT: Final = "<think>\nIs it 7?\n</think>\n\nIt is 7."  # as models write that think
REPLY: Final = "No, it is not 7."


@dataclass(frozen=True)
class Policy:
    """The model to train, and how problems are put to it."""

    model: Any
    tokenizer: Any
    format: Format
    stop_tokens: tuple[int, ...]
    stop_strings: tuple[str, ...] = ()
    system_prompt: str | None = None
    template: Mapping[str, object] = field(default_factory=dict[str, object])
    """Arguments for the chat template."""

    def load_weights(self, folder: Path) -> None:
        """Load the weights of a checkpoint in place, because the optimiser refers to them."""
        if hasattr(self.model, "peft_config"):
            self._load_adapters(folder)
            return
        # Through transformers, as the names and shapes in its files are those of the hub, and not
        # always those of the model in memory: experts, for example, are apart there.
        model = self.model
        settings = copy.deepcopy(model.config)
        with reading(f"the weights in {folder}"):
            stored, info = type(model).from_pretrained(
                folder,
                config=settings,
                dtype=torch.float32,
                output_loading_info=True,
                trust_remote_code=False,
            )
        if any(info[kind] for kind in ("missing_keys", "unexpected_keys", "mismatched_keys")):
            raise UserError(f"the weights in {folder} belong to another model")
        model.load_state_dict(stored.state_dict())

    def _load_adapters(self, folder: Path) -> None:
        from peft import set_peft_model_state_dict  # pyright: ignore

        file = folder / ADAPTERS
        if not file.is_file():
            raise UserError(f"the checkpoint {folder} holds no adapters")
        with reading(f"the weights in {folder}"):
            weights = load_file(file)
        try:
            found = cast(Any, set_peft_model_state_dict)(self.model, weights)
        except RuntimeError as error:  # of another shape
            raise UserError(f"the adapters in {folder} have another rank or model") from error
        if found.unexpected_keys or any(".lora_" in name for name in found.missing_keys):
            raise UserError(f"the adapters in {folder} belong to other layers")

    def encode(self, problem: Problem) -> list[int]:
        """The tokens of a problem's prompt, as the model reads it."""
        return self.tokenise(self.format.render(problem))

    def tokens_of(self, text: str) -> list[int]:
        """The tokens of a problem's text in the policy's format."""
        return self.tokenise(self.format.wrap(text))

    def encode_all(self, problems: Sequence[Problem]) -> list[list[int]]:
        """The same for many problems, on several cores."""
        prompts = [self.format.render(problem) for problem in problems]
        texts = [prompt for prompt in prompts if isinstance(prompt, str)]
        chats = [self._chat(prompt) for prompt in prompts if not isinstance(prompt, str)]
        plain = iter(self.tokenizer(texts)["input_ids"] if texts else [])
        templated = iter(self._templated(chats) if chats else [])
        return [list(next(plain if isinstance(prompt, str) else templated)) for prompt in prompts]

    def tokenise(self, prompt: Prompt) -> list[int]:
        """The tokens of a prompt, in training and in evaluation."""
        if isinstance(prompt, str):
            return list(self.tokenizer(prompt)["input_ids"])
        return list(self._templated(self._chat(prompt)))

    def _chat(self, messages: list[Message]) -> list[Message]:
        if self.system_prompt is None:
            return messages
        return [{"role": "system", "content": self.system_prompt}, *messages]

    def _templated(
        self, chats: list[Message] | list[list[Message]], *, tokenize: bool = True
    ) -> Any:
        """One conversation, or many, as tokens or as text."""
        return render(
            self.tokenizer, chats, add_generation_prompt=True, tokenize=tokenize, **self.template
        )

    def continuation(self, text: str) -> list[int]:
        """The tokens of a text that an output begins with."""
        return list(self.tokenizer(text, add_special_tokens=False)["input_ids"])

    def reply(self, message: Sequence[int], text: str) -> list[int]:
        """The tokens after a message: a reply to it, up to where the next message begins.

        The message itself is not tokenised again. A template ends it with a token, at once or after
        a space; the policy may have sampled that one already.
        """
        before, after = self.around_replies
        tokens, end = self.continuation(before + text + after), message[-1]
        ended = end in self.stop_tokens and end in tokens[:2]
        return tokens[tokens.index(end) + 1 :] if ended else tokens

    @cached_property
    def around_replies(self) -> tuple[str, str]:
        """What the format writes between a message and a reply, and after the reply.

        Raises a UserError if a template rewrites earlier messages, for example drops thoughts: a
        conversation would not be one sequence of tokens.
        """
        opening = (self.format.wrap_marked or self.format.wrap)("Which number is it?")
        once = self.format.follow(opening, THOUGHT, REPLY)
        twice = self.format.follow(once, THOUGHT, REPLY)
        start, first, second = (self._text(prompt) for prompt in (opening, once, twice))
        added = first.removeprefix(start + THOUGHT)
        if first != start + THOUGHT + added or second != first + THOUGHT + added:
            raise UserError(
                f"the chat template of {self.tokenizer.name_or_path} rewrites earlier messages, "
                "as one that drops thoughts does, so no dialogue can be trained on: each message "
                "must follow the same tokens that the model has read and written; choose another "
                "model, or set policy.format to base or plain"
            )
        before, _, after = added.rpartition(REPLY)
        return before, after

    def _text(self, prompt: Prompt) -> str:
        if isinstance(prompt, str):
            return prompt
        return self._templated(self._chat(prompt), tokenize=False)

    def decode(self, tokens: list[int]) -> str:
        """The text of an output."""
        return self.tokenizer.decode(tokens, skip_special_tokens=True)


def computing_in(config: PolicyConfig, device: torch.device) -> torch.autocast:
    """The context in which the model runs: bfloat16 on a GPU, unless the config says otherwise."""
    half = config.dtype == "bfloat16" or (config.dtype == "auto" and device.type == "cuda")
    return torch.autocast(device.type, dtype=torch.bfloat16, enabled=half)


def holds_half(config: PolicyConfig, device: str) -> bool:
    """Whether the weights below adapters are held in half precision: on a GPU that computes in it.

    Elsewhere they stay as they are, and an export is merged with them.
    """
    return config.lora_rank > 0 and device == "cuda" and config.dtype != "float32"


def hold_half(model: Any) -> None:
    """Hold those frozen weights in half precision that autocast would cast again for every use.

    No bit of any result changes: what an embedding gives is not cast, nor are experts.
    """
    from transformers.pytorch_utils import Conv1D

    modules = list(model.modules())
    shared = {module.weight for module in modules if isinstance(module, torch.nn.Embedding)}
    layers = [module for module in modules if isinstance(module, (torch.nn.Linear, Conv1D))]
    for weight in {weight for layer in layers for weight in layer.parameters()} - shared:
        if weight.dtype == torch.float32 and not weight.requires_grad:
            weight.data = weight.data.to(torch.bfloat16)


def load_policy(config: PolicyConfig, *, context: int) -> Policy:
    """Load a policy for training; `context` is the longest prompt plus the longest output."""
    config.check()
    device = config.device
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    elif device == "cuda" and not torch.cuda.is_available():
        raise UserError("policy.device is cuda, but torch sees no GPU")
    model, tokenizer = _load(config)
    limit = context_of(model.config)
    if limit is not None and context > limit:
        raise UserError(
            f"prompts and outputs of up to {context:,} tokens do not fit into the context of "
            f"{config.model}, {limit:,} tokens"
        )
    format = format_of(config, tokenizer)
    if holds_half(config, device):
        hold_half(model.requires_grad_(requires_grad=False))
    model = model.to(device)
    # cuDNN's attention would build a plan for every new shape, about 7 ms per layer on an H200, and
    # every sampled token makes a new shape. The other kernels need no plan.
    torch.backends.cuda.enable_cudnn_sdp(False)
    if device == "cuda":
        fuse_for_training(model)
    if config.lora_rank:
        model = with_adapters(model, config)
        if device == "cuda":
            fuse_adapters(model)
    if config.gradient_checkpointing:
        new = "activation_checkpointing_enable"  # its name from transformers 5.23 on
        getattr(model, new if hasattr(model, new) else "gradient_checkpointing_enable")()
        model.enable_input_require_grads()  # otherwise adapters would get no gradient
    return Policy(
        model,
        tokenizer,
        format,
        _stop_tokens(model, tokenizer, config.template_options()),
        config.stop_strings,
        config.system_prompt,
        config.template_options(),
    )


def context_of(settings: Any) -> int | None:
    """The most tokens that a model can read, by its settings; None if they name no limit."""
    return getattr(settings.get_text_config(), "max_position_embeddings", None)


def load_reader(config: PolicyConfig) -> Policy:
    """The policy without its model: enough to count the tokens of a prompt."""
    tokenizer = _load_tokenizer(config)
    format = format_of(config, tokenizer)
    return Policy(
        None,
        tokenizer,
        format,
        (),
        system_prompt=config.system_prompt,
        template=config.template_options(),
    )


def format_of(config: PolicyConfig, tokenizer: Any) -> Format:
    has_template = tokenizer.chat_template is not None
    automatic = "chat" if has_template else "base"
    format = prompt_format(automatic if config.format == "auto" else config.format)
    if format.name == "chat" and not has_template:
        raise UserError(f"{config.model} has no chat template; set policy.format to base")
    if format.name != "chat" and (config.system_prompt or config.template_arguments):
        raise UserError(
            f"policy.system-prompt and policy.template-arguments are for chats, but the format of "
            f"{config.model} is {format.name}"
        )
    return format


def _load_tokenizer(config: PolicyConfig) -> Any:
    from transformers import AutoTokenizer

    check_model(config)
    place, options = source_of(config)
    with reading_model(config):
        tokenizer = cast(Any, AutoTokenizer).from_pretrained(place, **AS_WRITTEN, **options)
    if tokenizer.chat_template is not None:
        check_template(tokenizer, config.template_options())
    return tokenizer


def _load(config: PolicyConfig) -> tuple[Any, Any]:
    """The model, on the CPU, and its tokenizer."""
    from transformers import AutoModelForCausalLM

    _no_bars()
    tokenizer = _load_tokenizer(config)
    settings = without_dropout(model_settings(config))
    place, options = source_of(config)
    attention = {} if config.attention == "auto" else {"attn_implementation": config.attention}
    with reading_model(config):
        # Weights stay in single precision, because bfloat16 would round away steps of 2e-6.
        model, info = cast(Any, AutoModelForCausalLM).from_pretrained(
            place,
            config=settings,
            dtype=torch.float32,
            output_loading_info=True,
            **options,
            **attention,
        )
        if missing := sorted(info["missing_keys"]):  # transformers would draw them at random
            raise ValueError(f"it has no weights {missing[0]}")
        known = model.get_input_embeddings().weight.shape[0]
        if tokenizer.vocab_size > known:
            raise ValueError(
                f"its tokenizer has {tokenizer.vocab_size:,} tokens, and the model {known:,}"
            )
        make_valid(model.generation_config, known)
    if is_gguf(config.model):
        finish_gguf(model)
    return model, tokenizer


def _no_bars() -> None:
    """Hide progress bars for weights, which would disrupt our own; downloads keep theirs."""
    from huggingface_hub.utils import enable_progress_bars
    from transformers.utils import logging

    logging.disable_progress_bar()
    enable_progress_bars()


def with_adapters(model: Any, config: PolicyConfig) -> Any:
    """The model with low-rank adapters; only these are trained."""
    try:
        from peft import LoraConfig, get_peft_model  # pyright: ignore
    except ImportError:
        raise UserError("policy.lora-rank needs peft: pip install 'rlve[lora]'") from None
    _check_targets(model, config.lora_targets)
    rank, alpha = config.lora_rank, config.lora_alpha
    settings = LoraConfig(
        r=rank,
        lora_alpha=cast(Any, 2 * rank if alpha is None else alpha),
        target_modules=list(config.lora_targets) or "all-linear",
    )
    with warnings.catch_warnings():  # peft asks for a property that transformers has renamed
        warnings.filterwarnings("ignore", ".*is_gradient_checkpointing", FutureWarning)
        return cast(Any, get_peft_model)(model, settings)


def _check_targets(model: Any, targets: Sequence[str]) -> None:
    """Raise a UserError for the name of a layer that the model lacks, or that cannot be adapted."""
    from transformers.pytorch_utils import Conv1D

    kinds = (torch.nn.Linear, torch.nn.Embedding, Conv1D)
    modules: dict[str, Any] = dict(model.named_modules())
    ends = (model.get_input_embeddings(), model.get_output_embeddings())
    shared = ends[1] is not None and ends[0].weight is ends[1].weight
    for target in targets:
        chosen = [module for name, module in modules.items() if f".{name}".endswith(f".{target}")]
        if not chosen or not all(isinstance(module, kinds) for module in chosen):
            known = {name.rpartition(".")[2] for name, m in modules.items() if isinstance(m, kinds)}
            near = difflib.get_close_matches(target, sorted(known), n=1)
            raise UserError(
                f"policy.lora-targets: {type(model).__name__} has no linear layer {target!r}"
                + (f"; did you mean {near[0]}?" if near else f"; it has {', '.join(sorted(known))}")
            )
        if shared and any(module in ends for module in chosen):
            raise UserError(
                f"policy.lora-targets: {target} cannot be adapted, because the embedding and the "
                f"head of {type(model).__name__} share their weights"
            )


def _stop_tokens(model: Any, tokenizer: Any, template: Mapping[str, object]) -> tuple[int, ...]:
    """All tokens that end an output; some models have several."""
    listed = model.generation_config.eos_token_id
    ends = [listed] if isinstance(listed, int) else list(listed or [])
    if tokenizer.eos_token_id is not None:
        ends.append(tokenizer.eos_token_id)
    if (end := turn_end(tokenizer, template)) is not None:
        ends.append(end)
    if not ends:
        raise UserError("neither the model nor its tokenizer has a token that ends an output")
    return tuple(sorted(set(ends)))


def turn_end(tokenizer: Any, template: Mapping[str, object]) -> int | None:
    """The token that ends an assistant's turn in a chat; None without a chat template or a token.

    The end of text is often another one, above all in base models with a chat template.
    """
    if tokenizer.chat_template is None:
        return None
    try:
        chat: str = render(tokenizer, ANSWERED, tokenize=False, **template)
    except UserError:  # it has no turns of assistants, or not without something else
        return None
    _, found, after = chat.rpartition(SAID)
    after = after.lstrip()
    if not found or not after:
        return None
    first: int = tokenizer(after, add_special_tokens=False)["input_ids"][0]
    marks = {*tokenizer.all_special_ids, *tokenizer.get_added_vocab().values()}
    return first if first in marks else None
