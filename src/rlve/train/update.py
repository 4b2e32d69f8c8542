"""One update of the weights: rollouts and advantages -> gradient -> optimiser step."""

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, TypeAlias, TypeVar

import torch
from torch import Tensor

from rlve.models.logprobs import Scorer
from rlve.models.packs import PackedRow, can_share, fill, share
from rlve.models.pass_sizes import PassSize
from rlve.models.rollouts import Span, sampled
from rlve.train.config import OptimiserConfig, UpdateConfig
from rlve.train.loss import Loss, Outputs, batch_size, policy_loss

PASS_TOKENS: Final = 16_384  # on a CPU

T = TypeVar("T")


@dataclass(frozen=True)
class TrainingRow:
    """One output to learn from."""

    prompt: list[int]
    tokens: list[int]
    logprobs: list[float]  # with which the tokens were sampled
    advantage: float
    stale_tokens: int = 0  # how many, from the first, older weights sampled before this step
    given: Sequence[Span] = ()  # where replies are among the tokens; they carry no loss

    @cached_property
    def learnt(self) -> Sequence[int]:
        """The indices of the tokens that carry loss."""
        return sampled(self.tokens, self.given)

    def __len__(self) -> int:
        return len(self.prompt) + len(self.tokens)


Bundle: TypeAlias = Sequence[TrainingRow]
"""Outputs of one prompt that share a row of the model's input."""


class DivergedError(RuntimeError):
    """The loss or the gradient is no longer finite."""


class Updater:
    """Applies batches to a model.

    temperature   at which the outputs were sampled
    max_tokens    their limit, by which `dr-grpo` divides
    computing     the context in which the model runs
    start         the initial policy, for the KL term; by default the model without its adapters
    flat          whether rows are without padding; by default where a kernel can attend to them
    """

    def __init__(
        self,
        model: Any,
        optimizer: torch.optim.Optimizer,
        config: UpdateConfig,
        *,
        temperature: float = 1.0,
        max_tokens: int | None = None,
        computing: AbstractContextManager[Any] | None = None,
        start: Any | None = None,
        flat: bool | None = None,
    ) -> None:
        known = start is not None or hasattr(model, "disable_adapter")
        if (config.kl > 0 and not known) or (config.kl == 0 and start is not None):
            raise ValueError("the KL term needs the initial policy, and only it does")
        self.model = model
        self.optimizer = optimizer
        self.config = config
        self.max_tokens = max_tokens
        self.score = Scorer(model, temperature=temperature, computing=computing, flat=flat)
        device = next(model.parameters()).device
        self.passes = PassSize(config.micro_batch_tokens, usual=PASS_TOKENS, device=device)
        self._start = None
        if start is not None:
            self._start = Scorer(
                start.eval(), temperature=temperature, computing=computing, flat=self.score.flat
            )

    def update(self, groups: Sequence[Sequence[TrainingRow]]) -> dict[str, float]:
        """Train on groups of outputs, each for one prompt, and return the metrics of the step."""
        parts = self.config.updates_per_step
        size = math.ceil(len(groups) / parts)
        batches = [groups[i : i + size] for i in range(0, len(groups), size)]
        # With one update, the weights at the beginning of the step are the present ones.
        old: dict[int, Tensor] = {}
        for batch in batches if parts > 1 else ():
            old |= self._in_passes(lambda micro: self._logprobs(micro), batch)
        metrics = [self._step(batch, old) for batch in batches]
        self.passes.grow()
        return _means(metrics)

    def _in_passes(
        self, work: Callable[[list[list[Bundle]]], T], groups: Sequence[Sequence[TrainingRow]]
    ) -> T:
        """Do it with a batch that is cut into passes that fit into memory."""
        return self.passes.fit(
            lambda: work(self._cut(groups)), lambda: self.optimizer.zero_grad(set_to_none=True)
        )

    def _cut(self, groups: Sequence[Sequence[TrainingRow]]) -> list[list[Bundle]]:
        """A batch as micro-batches of bundles."""
        longest = max(len(row) for group in groups for row in group)
        sharing = self.config.share_prompts
        if not self.score.flat:
            sharing = sharing and can_share(self.model, longest)
        bundles = [
            [group[i] for i in indices]
            for group in groups
            for indices in self._bundles(group, sharing=sharing)
        ]
        rows = [_packed(bundle) for bundle in bundles]
        chosen = self.score.passes(rows, self.passes.tokens)
        return [[bundles[i] for i in indices] for indices in chosen]

    def _bundles(self, group: Sequence[TrainingRow], *, sharing: bool) -> list[list[int]]:
        """Which outputs for one prompt share a row, by index."""
        if not sharing:
            return [[i] for i in range(len(group))]
        prompt = group[0].prompt
        if any(row.prompt != prompt for row in group):
            raise ValueError("all outputs of a group must have the same prompt")
        lengths = [len(row.tokens) for row in group]
        if self.score.flat:
            return fill(lengths, self.passes.tokens - len(prompt))
        return share(len(prompt), lengths)

    def _step(
        self, groups: Sequence[Sequence[TrainingRow]], old: Mapping[int, Tensor]
    ) -> dict[str, float]:
        """Take an optimiser step; `old` as from _logprobs(), if the weights have changed since."""
        metrics = self._in_passes(lambda micro: self._gradient(micro, old), groups)
        metrics["grad_norm"] = apply_gradient(
            self.model, self.optimizer, metrics["loss"], self.config.max_grad_norm
        )
        if self.config.kl == 0:
            del metrics["kl"]
        return metrics

    def _gradient(
        self, micro: Sequence[Sequence[Bundle]], old: Mapping[int, Tensor]
    ) -> dict[str, float]:
        """Compute the gradient of a batch, and return its metrics."""
        self.model.train()
        self.optimizer.zero_grad(set_to_none=True)
        lengths = [len(row.learnt) for bundles in micro for bundle in bundles for row in bundle]
        size = batch_size(lengths, self.config, self.max_tokens)
        sums = _Sums()
        for bundles in micro:
            rows = [_packed(bundle) for bundle in bundles]
            with self.passes.measuring(sum(map(len, rows))):
                new, entropy = self.score(rows)
                learnt = [row for bundle in bundles for row in bundle]
                before = torch.cat([old[id(row)] for row in learnt]) if old else new.detach()
                start = self._at_the_start(rows)
                outputs, stale = _outputs(learnt, new.device)
                parts = policy_loss(new, before, outputs, self.config, size=size, start=start)
                with self.score.attention():
                    parts.loss.backward()
            sums.add(parts, entropy, (before - outputs.sampled).abs(), stale)
        return sums.means()

    @torch.no_grad()
    def _at_the_start(self, rows: Sequence[PackedRow]) -> Tensor | None:
        """The log-probabilities of the outputs under the initial policy, if the KL term is on."""
        if self.config.kl == 0:
            return None
        if self._start is not None:
            return self._start(rows).logprobs
        with self.model.disable_adapter():
            return self.score(rows).logprobs

    @torch.no_grad()
    def _logprobs(self, micro: Sequence[Sequence[Bundle]]) -> dict[int, Tensor]:
        """The log-probabilities of the outputs under the present weights, by id() of the row."""
        self.model.eval()
        found: dict[int, Tensor] = {}
        for bundles in micro:
            rows = [row for bundle in bundles for row in bundle]
            scores = self.score([_packed(bundle) for bundle in bundles]).logprobs
            parts = scores.split([len(row.learnt) for row in rows])
            found |= {id(row): part for row, part in zip(rows, parts, strict=True)}
        return found


class _Sums:
    """Adds up the results of micro-batches on their device, since reading them would wait."""

    def __init__(self) -> None:
        self.values: Tensor | None = None

    def add(self, parts: Loss, entropy: Tensor, gap: Tensor, stale: Tensor) -> None:
        resumed = (gap * stale).sum()
        sums = [*parts, entropy.sum(), gap.sum() - resumed, resumed, (~stale).sum(), stale.sum()]
        values = torch.stack([value.detach().double() for value in sums])
        self.values = values if self.values is None else self.values + values

    def means(self) -> dict[str, float]:
        """The loss, and means over tokens."""
        if self.values is None:
            raise ValueError("nothing has been added up")
        loss, clipped, truncated, kl, entropy, gap, gap_resumed, fresh, stale = self.values.tolist()
        tokens = fresh + stale
        metrics = {
            "loss": loss,
            "entropy": entropy / tokens,
            "clipped": clipped / tokens,
            "truncated_weights": truncated / tokens,
            "kl": kl / tokens,
        }
        if fresh:
            metrics["sampler_gap"] = gap / fresh
        if stale:
            metrics["sampler_gap_resumed"] = gap_resumed / stale
        return metrics


def make_optimizer(model: Any, config: OptimiserConfig) -> torch.optim.Optimizer:
    """AdamW for the weights that are trained.

    Its moments are made now: engines see what memory is left, and no step can run out of it.
    """
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(
        trained,
        lr=config.peak,
        betas=(config.beta1, config.beta2),
        weight_decay=config.weight_decay,
        fused=trained[0].device.type == "cuda",
    )
    for weight in trained:
        moments = {name: torch.zeros_like(weight) for name in ("exp_avg", "exp_avg_sq")}
        optimizer.state[weight] = {"step": torch.zeros((), device=weight.device), **moments}
    return optimizer


def apply_gradient(
    model: Any, optimizer: torch.optim.Optimizer, loss: float, max_norm: float
) -> float:
    """Clip the gradient to `max_norm`, take an optimiser step, and return the unclipped norm."""
    norm = float(torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm))
    if not (math.isfinite(loss) and math.isfinite(norm)):
        optimizer.zero_grad(set_to_none=True)
        raise DivergedError(f"the loss is {loss} and the norm of its gradient is {norm}")
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)  # sampling can use the memory
    return norm


def learning_rate(config: OptimiserConfig, step: int, steps: int) -> float:
    """The learning rate of a step, counted from 1: it rises linearly, then follows its schedule."""
    if step <= config.warmup_steps:
        return config.peak * step / config.warmup_steps
    left = 1 - (step - 1 - config.warmup_steps) / max(1, steps - config.warmup_steps)
    if config.schedule == "linear":
        return config.peak * left
    if config.schedule == "cosine":
        return config.peak * 0.5 * (1 - math.cos(math.pi * left))
    return config.peak


def _packed(bundle: Bundle) -> PackedRow:
    given = [row.given for row in bundle]
    return PackedRow(bundle[0].prompt, [row.tokens for row in bundle], given)


def _outputs(rows: Sequence[TrainingRow], device: torch.device) -> tuple[Outputs, Tensor]:
    """The rows' tokens for the loss, and whether each was sampled before this step."""
    lengths = torch.tensor([len(row.learnt) for row in rows])
    logprobs = torch.tensor([row.logprobs[i] for row in rows for i in row.learnt])
    stale = [i < row.stale_tokens for row in rows for i in row.learnt]
    outputs = Outputs(
        sampled=logprobs.to(device),
        output=torch.repeat_interleave(lengths).to(device),
        advantages=torch.tensor([row.advantage for row in rows]).to(device),
        lengths=lengths.to(device),
    )
    return outputs, torch.tensor(stale).to(device)


def _means(metrics: Sequence[dict[str, float]]) -> dict[str, float]:
    """The mean of each metric over the dictionaries that have it."""
    keys = dict.fromkeys(key for part in metrics for key in part)
    values = {key: [part[key] for part in metrics if key in part] for key in keys}
    return {key: sum(numbers) / len(numbers) for key, numbers in values.items()}
