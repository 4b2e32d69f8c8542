"""Log-probabilities of sampled tokens under a model, without ever holding all logits at once.

The logits of a long output are by far the largest tensor of an update: for a row of 24,576 tokens
and a vocabulary of 151,936 they take 15 GB in single precision, several times over. So the body of
the model is run once, and its head on one chunk of tokens after another. The results of a chunk are
discarded, and recomputed for its gradient.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple, TypeAlias, cast

import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from rlve.models.dropout import check_certain
from rlve.models.engines.attention import SPANS, attending, has_kernel_for_spans
from rlve.models.engines.weights import base_of
from rlve.models.packs import (
    Packed,
    PackedRow,
    fill,
    is_known,
    micro_batches,
    pack,
    pack_flat,
    pass_overhead,
)

CHUNK = 2**27
"""Tokens x vocabulary in one chunk: 512 MiB in single precision, about four times over."""
CHUNK_ON_GPU = 2**29
"""The same on a GPU, where a kernel reads logits in half precision and stores no others: 1 GiB, and
as much for their gradient."""

TRIED = 16
"""Tokens on which it is tried out whether a model is its body and its head."""

Head: TypeAlias = Callable[[Tensor], Tensor]
"""From the last hidden states to logits."""


class Scores(NamedTuple):
    """The scores of sampled tokens, one after another, in single precision."""

    logprobs: Tensor
    entropy: Tensor  # of the distribution each was drawn from; has no gradient


class Scorer:
    """Scores sampled tokens under a model, at the temperature at which they were sampled.

    flat   whether rows come one after another, without padding; by default where a kernel can
           attend to them
    """

    def __init__(
        self,
        model: Any,
        *,
        temperature: float = 1.0,
        computing: AbstractContextManager[Any] | None = None,
        chunk: int | None = None,
        flat: bool | None = None,
    ) -> None:
        self.model = base_of(model)  # whose layers hold the adapters, if there are any
        self.temperature = temperature
        self.computing = computing or nullcontext()
        default = CHUNK_ON_GPU if self.model.device.type == "cuda" else CHUNK
        self.chunk = default if chunk is None else chunk
        with self.computing:
            self.parts = body_and_head(self.model)
            kernel = has_kernel_for_spans(self.model.device, self._computes_in())
        self.flat = (kernel and is_known(self.model)) if flat is None else flat
        check_certain(self.model)

    def __call__(self, rows: Sequence[PackedRow]) -> Scores:
        """The scores of all sampled tokens of all outputs, one after another."""
        with self.computing, self.attention():
            if self.flat:
                packed = pack_flat(rows, self.model.device)
            else:
                packed = pack(rows, self.model.device, self._computes_in())
            if self.parts is None:
                logits = self._logits(packed)
                return self._in_chunks(logits, lambda logits: logits, packed.tokens)
            body, head = self.parts
            hidden: Tensor = body(**packed.inputs, use_cache=False).last_hidden_state
            return self._in_chunks(hidden.flatten(0, 1)[packed.sources], head, packed.tokens)

    def passes(self, rows: Sequence[PackedRow], budget: int) -> list[list[int]]:
        """Which rows to score together, by index: at most `budget` tokens, including padding."""
        if self.flat:
            return fill([len(row) for row in rows], budget)
        return micro_batches(rows, budget, pass_overhead(self.model))

    def attention(self) -> AbstractContextManager[None]:
        """The attention that rows need, and their gradients if layers are then computed again."""
        return attending(self.model, SPANS) if self.flat else nullcontext()

    def _computes_in(self) -> torch.dtype:
        kind = self.model.device.type
        if torch.is_autocast_enabled(kind):
            return torch.get_autocast_dtype(kind)
        return self.model.dtype

    def _logits(self, packed: Packed) -> Tensor:
        """The model's own logits, from the first position that predicts a token."""
        width = packed.inputs["input_ids"].shape[1]
        row, column = packed.sources // width, packed.sources % width
        first = int(column.min())
        logits: Tensor = self.model(
            **packed.inputs, use_cache=False, logits_to_keep=width - first
        ).logits
        return logits[row, column - first]

    def _in_chunks(self, states: Tensor, head: Head, tokens: Tensor) -> Scores:
        size = max(1, self.chunk // self.model.config.get_text_config().vocab_size)
        if len(states) <= size:
            return self._scores(states, head, tokens)
        pieces = [
            self._checkpointed(*chunk, head=head)
            for chunk in zip(states.split(size), tokens.split(size), strict=True)
        ]
        return Scores(*(torch.cat(parts) for parts in zip(*pieces, strict=True)))

    def _checkpointed(self, states: Tensor, tokens: Tensor, *, head: Head) -> Scores:
        """The scores of a chunk, which are recomputed for its gradient."""
        scores = checkpoint(
            self._scores, states, head, tokens, use_reentrant=False, preserve_rng_state=False
        )
        return cast(Scores, scores)

    def _scores(self, states: Tensor, head: Head, tokens: Tensor) -> Scores:
        logits = head(states)
        kind: Any = _fused() if logits.is_cuda else ChosenLogprobs
        return Scores(*kind.apply(logits, tokens, self.temperature))


def _fused() -> Any:
    from rlve.models.fused_kernels import ChosenLogprobs

    return ChosenLogprobs


class ChosenLogprobs(torch.autograd.Function):
    """The log-probability of each token, and the entropy, in single precision.

    Autograd would walk over the logits about twice as often.
    """

    @staticmethod
    def forward(
        ctx: Any, logits: Tensor, tokens: Tensor, temperature: float
    ) -> tuple[Tensor, Tensor]:
        scaled = logits.float()  # before the division, which half precision would round
        logprobs = (scaled / temperature if temperature != 1 else scaled).log_softmax(-1)
        entropy = -(logprobs.exp() * logprobs).sum(-1)
        ctx.save_for_backward(logprobs, tokens)
        ctx.temperature = temperature
        ctx.dtype = logits.dtype
        ctx.mark_non_differentiable(entropy)
        return logprobs.gather(-1, tokens.unsqueeze(-1)).squeeze(-1), entropy

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> tuple[Tensor, None, None]:
        logprobs, tokens = ctx.saved_tensors
        grad = (grads[0] / ctx.temperature).unsqueeze(-1)
        to_logits = logprobs.exp().mul_(-grad)
        to_logits.scatter_add_(-1, tokens.unsqueeze(-1), grad)
        return to_logits.to(ctx.dtype), None, None


@torch.no_grad()
def logprobs_of(model: Any, tokens: Sequence[int]) -> Tensor:
    """The log-probability of each token of a text after the first."""
    training = model.training
    model.eval()
    ids = torch.tensor([tokens], device=next(model.parameters()).device)
    logits: Tensor = model(input_ids=ids, use_cache=False).logits[0, :-1]
    model.train(training)
    chosen = logits.float().log_softmax(-1).gather(1, ids[0, 1:].unsqueeze(1))
    return chosen.squeeze(1).cpu()


@torch.no_grad()
def body_and_head(model: Any) -> tuple[Any, Head] | None:
    """The two parts of a causal language model, if together they give its own logits.

    That is tried out on a few tokens. A model that does more computes its own logits.
    """
    layer, body = model.get_output_embeddings(), model.get_decoder()
    if layer is None or body is None or body is model:
        return None
    settings = model.config.get_text_config()
    ids = torch.arange(TRIED, device=model.device).unsqueeze(0) % settings.vocab_size
    training = model.training
    model.eval()
    own: Tensor = model(input_ids=ids, use_cache=False).logits
    states: Tensor = body(input_ids=ids, use_cache=False).last_hidden_state
    model.train(training)
    head = _finished(layer, settings)
    rounding = 1e-3 * float(own.abs().nan_to_num().max())  # a broken model is told of when sampled
    close = torch.allclose(head(states), own, rtol=0, atol=rounding, equal_nan=True)
    return (body, head) if close else None


def _finished(layer: Head, settings: Any) -> Head:
    """The last layer, with what models are known to do to their logits after it."""
    cap: float | None = getattr(settings, "final_logit_softcapping", None)
    if cap is not None:
        return lambda states: torch.tanh(layer(states) / cap) * cap
    factor: float = getattr(settings, "logit_scale", None) or 1.0
    divisor: float = getattr(settings, "logits_scaling", None) or 1.0
    if factor == divisor == 1:
        return layer
    return lambda states: layer(states) * factor / divisor
