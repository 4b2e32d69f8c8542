"""Sampling with transformers, in the trainer's own process, on its own weights.

Three things make it faster than `model.generate` for groups of outputs. A group's prompt is run
through the model once, and its keys and values are copied to all rollouts of the group. A rollout
that ends leaves the batch at once, and the next one takes its place (continuous batching). And
nothing is computed for padding because of a longer rollout in the batch.
"""

from collections import deque
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Self

import torch
from torch import Tensor
from transformers import DynamicCache

from rlve.models.engines.attention import ROWS, attending, check, rotation_limit, unfit
from rlve.models.engines.choice import EngineSettings
from rlve.models.engines.local import LocalEngine
from rlve.models.engines.row_cache import RowCache
from rlve.models.engines.sampling import sample
from rlve.models.engines.weights import base_of
from rlve.models.policy import Policy
from rlve.models.rollouts import Rollout

TICKS = 16  # the least number of tokens that each rollout gets in one call of collect()
PREFILL_TOKENS = 16_384  # in one forward pass


class InProcessEngine(LocalEngine):
    """Samples from a transformers causal language model, which it shares with the trainer.

    numbers    gives, for the next token of each rollout, the random number in [0, 1) that picks it;
               by default they come from one generator, in the order of sampling
    settings   of LocalEngine
    """

    def __init__(
        self,
        model: Any,
        *,
        numbers: Callable[[Sequence[Rollout]], Sequence[float]] | None = None,
        computing: AbstractContextManager[Any] | None = None,
        **settings: Any,
    ) -> None:
        super().__init__(**settings)
        check(model)
        limit = rotation_limit(base_of(model).config)
        if limit is not None and (self.context is None or self.context > limit):
            raise unfit(
                f"beyond {limit:,} tokens {type(base_of(model)).__name__} rotates positions in "
                "another way; limit prompts and outputs to that together, or choose the engine vllm"
            )
        self.model = model
        self.numbers = numbers
        self.computing = computing or nullcontext()
        self.device = next(model.parameters()).device
        self.generator = torch.Generator(self.device).manual_seed(self.seed)
        self._stops = torch.tensor(sorted(self.stop_tokens), device=self.device)
        self._waiting: deque[Rollout] = deque()
        self._active: list[Rollout] = []  # by row of the cache
        self._cache = RowCache()
        self._last = torch.empty(0, dtype=torch.long, device=self.device)  # the last token by row

    @classmethod
    def for_policy(cls, policy: Policy, settings: EngineSettings) -> Self:
        return cls(
            policy.model,
            **settings.own(policy),
            numbers=settings.numbers,
            computing=settings.computing,
        )

    def submit(self, rollouts: Sequence[Rollout]) -> None:
        self._waiting.extend(rollouts)

    @torch.inference_mode()
    def collect(self) -> list[Rollout]:
        training = self.model.training
        self.model.eval()
        ended: list[Rollout] = []
        ticks = 0
        with self.computing:
            while ticks < TICKS or not ended:
                while self._waiting and len(self._active) < self.slots:
                    ended += self._admit()
                if not self._active:
                    break
                ended += self._advance()
                ticks += 1
        self.model.train(training)
        return ended

    def stop(self) -> list[Rollout]:
        unfinished = [*self._active, *self._waiting]
        self._waiting.clear()
        self._active.clear()
        self._cache = RowCache()  # keys and values of weights that are about to change
        return unfinished

    def update(self, model: Any) -> None:
        self.model = model

    def close(self) -> None:
        self.stop()

    def _admit(self) -> list[Rollout]:
        """Put waiting rollouts in free rows, with one forward pass over their distinct contexts."""
        contexts: list[list[int]] = []
        admitted: list[Rollout] = []
        source: list[int] = []  # for each rollout, its context
        while self._waiting and len(self._active) + len(admitted) < self.slots:
            context = self._waiting[0].context
            if not contexts or context != contexts[-1]:
                longest = max([len(context), *map(len, contexts)])
                if contexts and longest * (len(contexts) + 1) > PREFILL_TOKENS:
                    break
                contexts.append(context)
            admitted.append(self._waiting.popleft())
            source.append(len(contexts) - 1)

        longest = max(map(len, contexts))
        lengths = torch.tensor([len(context) for context in contexts], device=self.device)
        rows = [[0] * (longest - len(context)) + context for context in contexts]
        mask = torch.arange(longest, device=self.device) >= longest - lengths.unsqueeze(1)
        fresh = DynamicCache()  # of all positions, also in layers that look at a window of them
        logits: Tensor = self.model(
            input_ids=torch.tensor(rows, device=self.device),
            attention_mask=mask.long(),
            position_ids=(mask.long().cumsum(1) - 1).clamp(min=0),
            past_key_values=fresh,
            use_cache=True,
            logits_to_keep=1,
        ).logits
        index = torch.tensor(source, device=self.device)
        self._cache.append(fresh, index, lengths)
        self._active += admitted
        tokens, logprobs = self._sample(logits[:, -1].index_select(0, index))
        self._last = torch.cat([self._last[: len(self._active) - len(admitted)], tokens])
        return self._record(admitted, tokens, logprobs)

    def _advance(self) -> list[Rollout]:
        """One more token for every active rollout."""
        positions = self._cache.begin()
        with attending(self.model, ROWS):
            logits: Tensor = self.model(
                input_ids=self._last.unsqueeze(1),
                attention_mask=self._cache.mask(),
                position_ids=positions.unsqueeze(1),
                past_key_values=self._cache,
                use_cache=True,
                logits_to_keep=1,
            ).logits
        self._last, logprobs = self._sample(logits[:, -1])
        return self._record(self._active, self._last, logprobs)

    def _sample(self, logits: Tensor) -> tuple[Tensor, Tensor]:
        """Tokens, and their log-probabilities under the distribution from which they were drawn."""
        rows, kind = len(logits), torch.float64
        if self.numbers is None:
            numbers = torch.rand(rows, dtype=kind, device=self.device, generator=self.generator)
        else:
            given = self.numbers(self._active[len(self._active) - rows :])
            numbers = torch.tensor(given, dtype=kind, device=self.device)
        return sample(logits, numbers, temperature=self.temperature, top_p=self.top_p)

    def _record(self, rows: list[Rollout], tokens: Tensor, logprobs: Tensor) -> list[Rollout]:
        """Add new tokens to the rollouts in the last rows; those that ended leave the batch."""
        stops = torch.isin(tokens, self._stops)
        first = len(self._active) - len(rows)
        gone: list[int] = []
        # A single copy, because every copy waits for the GPU.
        values = torch.stack([tokens.double(), logprobs.double(), stops.double()]).tolist()
        records = zip(rows, *values, strict=True)
        for row, (rollout, token, logprob, stop) in enumerate(records, first):
            rollout.tokens.append(int(token))
            rollout.logprobs.append(logprob)
            if self.stop_strings is not None and not stop:
                known = len(rollout.tokens) - 1
                stop = self.stop_strings.end(rollout.tokens, known, rollout.begin) is not None
            if stop or len(rollout.tokens) >= rollout.limit(self.max_tokens, self.context):
                rollout.ending = "stop" if stop else "length"
                gone.append(row)
        ended = [self._active[row] for row in gone]
        if gone:
            self._drop(gone)
        return ended

    def _drop(self, gone: list[int]) -> None:
        """Free rows. The last rows move into the gaps, so that little is copied."""
        left = len(self._active) - len(gone)
        gaps = [row for row in gone if row < left]
        movers = sorted(set(range(left, len(self._active))).difference(gone))
        for gap, mover in zip(gaps, movers, strict=True):
            self._active[gap] = self._active[mover]
        del self._active[left:]
        to, source = _on(self.device, [gaps, movers])
        self._last[to] = self._last[source]
        self._last = self._last[:left]
        # All but the last token, whose keys and values are computed with the next.
        longest = max((len(r.prompt) + len(r.tokens) - 1 for r in self._active), default=0)
        self._cache.move(to, source, left, longest)


def _on(device: torch.device, values: Sequence[Sequence[int]]) -> Tensor:
    """Copy the values to a device without waiting for it."""
    tensor = torch.tensor(values, dtype=torch.long)
    if device.type == "cuda":
        tensor = tensor.pin_memory()  # only from there does a copy not wait
    return tensor.to(device, non_blocking=True)
