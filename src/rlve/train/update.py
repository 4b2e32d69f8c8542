"""One step on the weights: rollouts and advantages -> gradient -> optimiser step."""

# torch and transformers leave many of their types unknown.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from rlve.train.config import UpdateConfig
from rlve.train.loss import dapo_loss, normaliser


@dataclass(frozen=True)
class Row:
    """One output to learn from."""

    prompt: list[int]
    tokens: list[int]
    logprobs: list[float]  # under which the tokens were sampled
    advantage: float

    def __len__(self) -> int:
        return len(self.prompt) + len(self.tokens)


@dataclass(frozen=True)
class Padded:
    """Rows as tensors, padded at their ends.

    There, padding needs no attention mask: no token looks at what comes after it. (Before a row it
    would be looked at by nothing and look at nothing, and some kernels give such places gradients
    that are no numbers.) All but input_ids begin at the first column that holds an output.
    """

    input_ids: Tensor
    tokens: Tensor
    mask: Tensor  # 1 on sampled tokens, 0 on prompts and padding
    sampled: Tensor  # log-probabilities, where the mask is 1
    advantages: Tensor  # one for each row


class DivergedError(RuntimeError):
    """The loss or the gradient is no longer a number."""


class Updater:
    """Applies batches to a model."""

    def __init__(
        self,
        model: Any,
        optimizer: torch.optim.Optimizer,
        config: UpdateConfig,
        *,
        temperature: float = 1.0,
        computing: AbstractContextManager[Any] | None = None,
    ) -> None:
        self.model = model
        self.optimizer = optimizer
        self.config = config
        self.temperature = temperature  # logits are scaled as they were for sampling
        self.computing = computing or nullcontext()

    def update(self, rows: Sequence[Row]) -> dict[str, float]:
        """Train on the rows; returns the metrics of the step."""
        parts = self.config.updates_per_step
        size = math.ceil(len(rows) / parts)
        mini_batches = [rows[i : i + size] for i in range(0, len(rows), size)]
        # With one update the weights of the step's beginning are the present ones.
        old = [self._logprobs(batch) if parts > 1 else None for batch in mini_batches]
        found = [self._step(batch, o) for batch, o in zip(mini_batches, old, strict=True)]
        return {key: sum(each[key] for each in found) / len(found) for key in found[0]}

    def _step(self, rows: Sequence[Row], old: dict[int, Tensor] | None) -> dict[str, float]:
        self.model.train()
        self.optimizer.zero_grad(set_to_none=True)
        total = normaliser([len(row.tokens) for row in rows], self.config.aggregation)
        tokens = sum(len(row.tokens) for row in rows)
        sums = torch.zeros(4, dtype=torch.float64)
        for indices in micro_batches([len(row) for row in rows], self.config.micro_batch_tokens):
            padded = pad([rows[i] for i in indices], self._device)
            new = self._forward(padded)
            if old is None:
                before = new.detach()
            else:
                before = torch.zeros_like(new)
                before[padded.mask.bool()] = torch.cat([old[i] for i in indices])
            parts = dapo_loss(
                new,
                before,
                padded.sampled,
                padded.advantages,
                padded.mask,
                normaliser=total,
                aggregation=self.config.aggregation,
                clip_low=self.config.clip_low,
                clip_high=self.config.clip_high,
                truncation=self.config.truncation,
            )
            parts.loss.backward()  # pyright: ignore[reportUnknownMemberType]
            sums += torch.stack([part.detach().double().cpu() for part in parts])
        norm = torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.config.max_grad_norm)
        loss, clipped, truncated, gap = sums.tolist()
        if not (math.isfinite(loss) and math.isfinite(float(norm))):
            self.optimizer.zero_grad(set_to_none=True)
            raise DivergedError(f"the loss is {loss} and the norm of its gradient {float(norm)}")
        self.optimizer.step()
        return {
            "loss": loss,
            "grad_norm": float(norm),
            "clipped": clipped / tokens,
            "truncated_weights": truncated / tokens,
            "sampler_gap": gap / tokens,
        }

    @torch.no_grad()
    def _logprobs(self, rows: Sequence[Row]) -> dict[int, Tensor]:
        """The log-probabilities of the outputs under the present weights, by row."""
        self.model.eval()
        found: dict[int, Tensor] = {}
        for indices in micro_batches([len(row) for row in rows], self.config.micro_batch_tokens):
            padded = pad([rows[i] for i in indices], self._device)
            outputs = self._forward(padded)[padded.mask.bool()]
            found |= zip(
                indices, outputs.split([len(rows[i].tokens) for i in indices]), strict=True
            )
        return found

    def _forward(self, padded: Padded) -> Tensor:
        with self.computing:
            logits: Tensor = self.model(
                input_ids=padded.input_ids,
                use_cache=False,
                logits_to_keep=padded.tokens.shape[1] + 1,  # each is predicted by the one before
            ).logits[:, :-1]
        return chosen_logprobs(logits / self.temperature, padded.tokens)

    @property
    def _device(self) -> torch.device:
        return next(self.model.parameters()).device


def learning_rate(config: UpdateConfig, step: int) -> float:
    """Of a step, counted from 1: constant, after it has risen evenly."""
    return config.learning_rate * min(1.0, step / max(1, config.warmup_steps))


def chosen_logprobs(logits: Tensor, tokens: Tensor) -> Tensor:
    """The log-probability of each token, in single precision."""
    picked = logits.gather(-1, tokens.unsqueeze(-1)).squeeze(-1).float()
    return picked - logits.float().logsumexp(-1)


def micro_batches(lengths: Sequence[int], budget: int) -> Iterator[list[int]]:
    """Indices of rows of similar length, such that rows x longest is at most the budget."""
    order = sorted(range(len(lengths)), key=lambda i: lengths[i], reverse=True)
    while order:
        count = max(1, budget // lengths[order[0]])
        yield order[:count]
        order = order[count:]


def pad(rows: Sequence[Row], device: torch.device) -> Padded:
    """The rows as tensors."""
    width = max(map(len, rows))
    first = min(len(row.prompt) for row in rows)

    def columns(values: Iterable[Sequence[float]], dtype: torch.dtype) -> Tensor:
        padded = [list(each) + [0] * (width - len(each)) for each in values]
        return torch.tensor(padded, dtype=dtype, device=device)

    def outputs(values: Iterable[Sequence[float]]) -> Tensor:
        after_prompts = (
            [0] * len(row.prompt) + list(v) for row, v in zip(rows, values, strict=True)
        )
        return columns(after_prompts, torch.float32)[:, first:]

    input_ids = columns([row.prompt + row.tokens for row in rows], torch.long)
    return Padded(
        input_ids=input_ids,
        tokens=input_ids[:, first:],
        mask=outputs([1.0] * len(row.tokens) for row in rows),
        sampled=outputs(row.logprobs for row in rows),
        advantages=torch.tensor([row.advantage for row in rows], device=device),
    )
