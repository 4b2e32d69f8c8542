"""Outputs from a transformers model in this process.

The engine is the trainer's, and on a GPU the fast one: continuous batching, and a question's prompt
is processed once for all its samples. Every sample has random numbers of its own, so that it does
not depend on what else is sampled, or was sampled before. (Except for rounding, which depends on
the batch and decides now and then, when a random number falls very close to the boundary between
two tokens. In bfloat16, on a GPU, that is not rare.)
"""

from collections.abc import Generator, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Literal

import torch

from rlve.datasets.outputs import SampleKey
from rlve.errors import UserError
from rlve.evaluate.backends import DOES_NOT_FIT, ModelOutput, Notify, SampleRequest, Sampling
from rlve.formats import Prompt
from rlve.foundation.limits import AtLeastOne, check_limit
from rlve.models.config import PolicyConfig
from rlve.models.engines import Engine
from rlve.models.engines.choice import make_engine
from rlve.models.engines.in_process import InProcessEngine
from rlve.models.engines.trial import LONG, PROMPT, speeds
from rlve.models.policy import Policy, context_of, load_policy
from rlve.models.rollouts import Rollout, check_numbers

MASK = 2**64 - 1
MEMORY = 0.85  # of a GPU's, since nothing but sampling needs it


@dataclass(eq=False)
class InProcessBackend:
    """Samples from `nano`, or from a causal language model given by its folder or hub name.

    slots   outputs to sample at the same time; by default 64, and 512 or more on a GPU
    device  auto is the GPU if there is one, where the model computes in bfloat16
    engine  the name of one in rlve.models.engines.table
    """

    model: str
    _: KW_ONLY
    slots: int | None = None
    device: Literal["auto", "cpu", "cuda"] = "auto"
    engine: str = "auto"
    notify: Notify = lambda text: None

    def __post_init__(self) -> None:
        check_limit("concurrency", self.slots, AtLeastOne)
        self._loaded: _Loaded | None = None

    def generate(
        self, requests: Sequence[SampleRequest], sampling: Sampling
    ) -> Generator[tuple[SampleKey, ModelOutput]]:
        """The output of every request, as it finishes.

        The model stays loaded for further requests with the same settings.
        """
        loaded, self._loaded = self._loaded, None
        new = False
        if loaded is None or loaded.sampling != sampling:
            if loaded is not None:
                loaded.engine.close()
            del loaded  # before another is loaded
            loaded = self._load(sampling)
            new = True
        try:
            yield from self._sample(loaded, requests, new=new)
        except BaseException:  # with what it has not finished, the engine is of no use
            loaded.engine.close()
            raise
        self._loaded = loaded

    def close(self) -> None:
        """Let go of the model."""
        loaded, self._loaded = self._loaded, None
        if loaded is not None:
            loaded.engine.close()

    def _load(self, sampling: Sampling) -> "_Loaded":
        policy = _load(self.model, self.device, sampling.stop_strings)
        policy = replace(policy, template=sampling.template())
        context = context_of(policy.model.config)
        if context is not None and sampling.max_tokens >= context:
            self.notify(
                f"outputs are limited to what the prompt leaves of {self.model}'s context of "
                f"{context:,} tokens, rather than to {sampling.max_tokens:,}"
            )
        engine = make_engine(
            policy,
            name=self.engine,
            max_tokens=min(sampling.max_tokens, context or sampling.max_tokens),
            slots=self.slots,
            temperature=sampling.temperature,
            top_p=sampling.top_p,
            context=context,
            memory=MEMORY,
            numbers=_numbers,
            seeds=lambda sample: sample.request.seed if isinstance(sample, _Sample) else 0,
        )
        # The model itself is not needed if the engine has a copy.
        return _Loaded(sampling, replace(policy, model=None), context, engine)

    def _tell_cost(self, engine: Engine, samples: "Sequence[_Sample]") -> None:
        """Say so if what is asked may take long on a CPU."""
        if not isinstance(engine, InProcessEngine) or engine.device.type != "cpu":
            return
        first = min(samples, key=lambda sample: len(sample.prompt))
        prompt, request = first.prompt[:PROMPT], first.request
        _, speed = speeds(engine, lambda: _Sample(prompt, request=request))
        seconds = len(samples) * engine.max_tokens / speed
        if seconds > LONG:
            self.notify(
                f"on this CPU, {len(samples):,} outputs of up to {engine.max_tokens:,} tokens "
                f"take up to {seconds / 3600:,.1f} hours, at about {speed:,.0f} tokens a second; "
                "a lower --max-tokens takes less"
            )

    def _sample(
        self, loaded: "_Loaded", requests: Sequence[SampleRequest], *, new: bool
    ) -> Generator[tuple[SampleKey, ModelOutput]]:
        policy, context, engine = loaded.policy, loaded.context, loaded.engine
        chat = any(not isinstance(request.prompt, str) for request in requests)
        if chat and policy.tokenizer.chat_template is None:
            raise UserError(
                f"{self.model} has no chat template, but some prompts need one; use --format base "
                "for a model without one"
            )
        samples: list[_Sample] = []
        too_long: list[SampleKey] = []
        last: Prompt | None = None
        tokens: list[int] = []
        for request in requests:
            if request.prompt != last:
                last = request.prompt
                tokens = policy.tokenise(last)
            if context is not None and len(tokens) >= context:
                too_long.append(request.key)
            else:
                samples.append(_Sample(tokens, request=request))
        if too_long:
            self.notify(
                f"{len(too_long):,} prompts do not fit into the context of {context:,} tokens, and "
                "stay unanswered"
            )
        for key in too_long:
            yield key, DOES_NOT_FIT
        if new and samples:
            self._tell_cost(engine, samples)
        engine.submit(samples)
        del samples  # so that finished ones are not kept
        while ended := engine.collect():
            check_numbers(ended)
            for sample in ended:
                if isinstance(sample, _Sample) and sample.ending is not None:
                    text = policy.decode(sample.tokens)
                    output = ModelOutput(text, sample.ending, len(sample.tokens))
                    following = sample.request.follow(output)
                    tokens = policy.tokenise(following.prompt) if following else []
                    if following is None:
                        yield sample.request.key, output
                    elif context is not None and len(tokens) >= context:
                        yield following.key, DOES_NOT_FIT
                    else:
                        engine.submit([_Sample(tokens, request=following)])


@dataclass(frozen=True)
class _Loaded:
    """A model that is ready to sample."""

    sampling: Sampling
    policy: Policy
    context: int | None
    engine: Engine


@dataclass(eq=False, kw_only=True)
class _Sample(Rollout):
    """An output being sampled, with random numbers of its own."""

    request: SampleRequest


def _load(
    model: str, device: Literal["auto", "cpu", "cuda"], stop_strings: tuple[str, ...]
) -> Policy:
    # The policy's format is not used: prompts are ready-made here.
    config = PolicyConfig(model=model, format="plain", stop_strings=stop_strings, device=device)
    policy = load_policy(config, context=0)
    if next(policy.model.parameters()).device.type == "cuda":
        policy.model.to(torch.bfloat16)
    return policy


def _numbers(samples: Sequence[Rollout]) -> list[float]:
    """A number in [0, 1) for the next token of each, determined by its seed and position."""
    return [
        _mix(sample.request.seed << 32 | len(sample.tokens)) / 2**53
        for sample in samples
        if isinstance(sample, _Sample)
    ]


def _mix(value: int) -> int:
    """53 random bits: the finaliser of SplitMix64, which hides the pattern of a counter."""
    value = (value + 0x9E3779B97F4A7C15) & MASK
    value = ((value ^ value >> 30) * 0xBF58476D1CE4E5B9) & MASK
    value = ((value ^ value >> 27) * 0x94D049BB133111EB) & MASK
    return (value ^ value >> 31) >> 11
