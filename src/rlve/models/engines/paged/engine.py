"""Sampling with transformers on a GPU, in the trainer's own process, on a copy of its weights.

What makes it fast, most important first:

- a step of decoding is one CUDA graph, and several run before the host looks (passes.py);
- a group's prompt is processed once, stored once and read once for all its rollouts (pages.py,
  kernels.py), and keys that several heads share are never repeated;
- the matrices of the copy are in half precision, so they are read fast and never cast (copies.py);
- many small kernels are one (models/fusion.py).

This module decides what is sampled when, and in which pages it is stored. Everything but the
recording also runs without a GPU, where it is tested.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from random import Random
from typing import Any, Literal, Self

import numpy as np
import torch
from torch import Tensor

from rlve.errors import UserError
from rlve.models.engines.attention import check, unfit
from rlve.models.engines.choice import EngineSettings, examples
from rlve.models.engines.local import LocalEngine
from rlve.models.engines.paged.copies import copy_of
from rlve.models.engines.paged.pages import PAGE, PagePool, pages_for
from rlve.models.engines.paged.passes import Passes, Row, Tile, stored_shapes
from rlve.models.engines.sampling import stream
from rlve.models.engines.weights import base_of, copy_weights, single_precision
from rlve.models.logprobs import logprobs_of
from rlve.models.policy import Policy
from rlve.models.rollouts import Rollout

TICKS = 8  # tokens that each rollout gets before the host looks
LONGEST_PROMPT = 2_048  # assumed when planning memory, if the length of prompts is unknown
MOST_OF_FREE = 0.9  # memory for keys and values; recorded steps need some, too
CPU_CACHE = 2**30  # bytes; on a CPU the cache is for tests
ROUNDING = 1e-3  # between the log-probabilities of the copy and the model, in single precision
TIMES = 3.0  # in half precision, this many times what half precision changes in the model itself

Attention = Literal["auto", "torch", "triton"]


class PagedEngine(LocalEngine):
    """Samples from a copy of a transformers causal language model.

    group          the usual number of rollouts per prompt; more are split into several tiles
    seeds          gives the 32-bit seed of a rollout's random numbers; by default seeds are drawn
                   one after another
    dtype          of the copy: bfloat16 on a GPU, float32 otherwise
    attention      triton needs a GPU, or Triton's interpreter; auto uses it on a GPU
    graphs         whether to record steps; by default on a GPU
    memory         the share of the GPU's memory to take, for the copy and what it stores; by
                   default half of what is free beyond the reserve
    reserve        bytes of it that the update will need
    cache_tokens   positions of prompts and outputs to store; by default what the slots can need,
                   or what `memory` has room for if that is less
    ticks          tokens that each rollout gets before the host looks
    examples       prompts on which to compare the copy with the model; random tokens by default
    settings       of LocalEngine; stop strings are looked for when the host looks
    """

    def __init__(
        self,
        model: Any,
        *,
        group: int = 16,
        seeds: Callable[[Rollout], int] | None = None,
        dtype: torch.dtype | None = None,
        attention: Attention = "auto",
        graphs: bool | None = None,
        cache_tokens: int | None = None,
        memory: float | None = None,
        reserve: int = 0,
        ticks: int = TICKS,
        examples: Sequence[Sequence[int]] = (),
        **settings: Any,
    ) -> None:
        super().__init__(**settings)
        check(model)
        self.device = next(model.parameters()).device
        on_gpu = self.device.type == "cuda"
        self.dtype = dtype or (torch.bfloat16 if on_gpu else torch.float32)
        self.attention = ("triton" if on_gpu else "torch") if attention == "auto" else attention
        self.group = group
        self.seeds = seeds
        self.ticks = ticks
        self.generator = torch.Generator().manual_seed(self.seed)
        self._waiting: deque[Row] = deque()
        self._tiles: list[Tile] = []
        self._over: list[Rollout] = []  # had already ended when they were submitted
        self._held = False  # memory ran out: nothing is admitted until something ends
        self._changed = True  # the tables on the device are out of date

        kernels = self.attention == "triton"
        try:
            self._copy = copy_of(model, self.dtype, kernels=kernels)
            shapes = stored_shapes(self._copy, self.dtype)
            room = self._room(memory, reserve)
            pages = self._budget(shapes, cache_tokens, room)
            self._pool = PagePool(shapes, pages, dtype=self.dtype, device=self.device)
            self._passes = Passes(
                self._copy,
                self._pool,
                slots=self.slots,
                max_tokens=self.max_tokens,
                group=group,
                stop_tokens=self.stop_tokens,
                ticks=ticks,
                kernels=kernels,
                graphs=on_gpu if graphs is None else graphs,
            )
        except torch.OutOfMemoryError as error:
            raise self._too_small() from error
        self._compare(model, examples)

    @classmethod
    def for_policy(cls, policy: Policy, settings: EngineSettings) -> Self:
        return cls(
            policy.model,
            **settings.own(policy),
            group=settings.group,
            seeds=settings.seeds,
            memory=settings.memory,
            reserve=settings.reserve,
            examples=examples(policy),
        )

    def submit(self, rollouts: Sequence[Rollout]) -> None:
        drawn = torch.randint(2**32, (len(rollouts),), generator=self.generator).tolist()
        for rollout, number in zip(rollouts, drawn, strict=True):
            seed = number if self.seeds is None else self.seeds(rollout)
            row = Row(rollout, stream(seed), rollout.limit(self.max_tokens, self.context))
            if self._settle(row, known=len(rollout.tokens) - 1):
                self._over.append(rollout)
                continue
            if pages_for(len(rollout.prompt) - 1) + pages_for(row.limit) > self._pool.size:
                raise self._too_small()
            self._waiting.append(row)

    @torch.inference_mode()
    def collect(self) -> list[Rollout]:
        try:
            return self._collect()
        except torch.OutOfMemoryError:
            pass
        # Out here, nothing of the pass that failed is held any more. What torch keeps for the
        # update may be enough; whatever was being sampled goes on from the tokens that it has.
        self._waiting.extendleft(reversed(self._forget()))
        self._passes.forget()
        torch.cuda.empty_cache()
        try:
            return self._collect()
        except torch.OutOfMemoryError as error:
            raise self._too_small() from error

    def _collect(self) -> list[Rollout]:
        ended, self._over = self._over, []
        while not ended:
            self._admit()
            if not self._tiles:
                break
            ended += self._burst()
        return ended

    def stop(self) -> list[Rollout]:
        unfinished = [*self._over, *(row.rollout for row in [*self._rows(), *self._waiting])]
        self._over = []
        self._waiting.clear()
        self._forget()
        return unfinished

    def update(self, model: Any) -> None:
        # Keys and values of the old weights are no longer of use.
        self._waiting.extendleft(reversed(self._forget()))
        copy_weights(model, self._copy)

    def close(self) -> None:
        self.stop()
        self._passes.forget()
        del self._passes, self._copy, self._pool

    # Rows and pages:

    def _rows(self) -> Iterator[Row]:
        """Those being sampled, in the order of the tables."""
        return (row for tile in self._tiles for row in tile.rows)

    def _settle(self, row: Row, *, known: int) -> bool:
        """Whether it has ended after its first `known` tokens; if so, records why."""
        rollout, tokens = row.rollout, row.rollout.tokens
        begun = len(tokens) > rollout.begin  # otherwise the last token was given
        texts = self.stop_strings if begun else None
        if texts is not None and (end := texts.end(tokens, known, rollout.begin)) is not None:
            del tokens[end:], rollout.logprobs[end:]  # what came before the host looked
            rollout.ending = "stop"
        elif begun and tokens[-1] in self.stop_tokens:
            rollout.ending = "stop"
        elif len(tokens) >= row.limit:
            rollout.ending = "length"
        return rollout.ending is not None

    def _forget(self) -> list[Row]:
        """Free all rows and pages, and return the rows."""
        rows = list(self._rows())
        for row in rows:
            row.pages = []
        self._tiles.clear()
        self._pool.clear()
        self._held, self._changed = False, True
        return rows

    def _admit(self) -> None:
        """Admit waiting rollouts, with one pass over their distinct prompts."""
        free = self.slots - sum(len(tile.rows) for tile in self._tiles)
        # A pass takes almost as long for one prompt as for dozens, so not for every free row.
        enough = max(1, self.slots // 8, min(self.group, self.slots // 4))
        enough = min(enough, len(self._waiting))
        if not enough or self._held or (self._tiles and free < enough):
            return
        old = set(self._tiles)
        open_tiles = {
            tuple(tile.prompt): tile for tile in self._tiles if len(tile.rows) < self.group
        }
        admitted: list[tuple[Tile, Row]] = []
        prompt: list[int] | None = None
        key: tuple[int, ...] = ()
        while self._waiting and len(admitted) < free:
            row = self._waiting[0]
            if row.rollout.prompt is not prompt:
                prompt = row.rollout.prompt
                key = tuple(prompt)
            tile = open_tiles.get(key)
            own = pages_for(row.own(self.ticks))
            shared = pages_for(len(key) - 1) if tile is None else 0
            if own + shared > self._pool.free:
                break
            self._waiting.popleft()
            if tile is None:
                tile = Tile(list(key), self._pool.take(shared))
                self._tiles.append(tile)
                open_tiles[key] = tile
            row.pages = self._pool.take(own)
            tile.rows.append(row)
            admitted.append((tile, row))
            if len(tile.rows) == self.group:
                del open_tiles[key]
        if admitted:
            self._changed = True
            self._passes.prefill(admitted, old)

    def _make_room(self, ticks: int) -> None:
        """Give every row the pages for this many tokens; if necessary, the youngest are removed."""
        for row in list(self._rows()):
            need = pages_for(row.own(ticks)) - len(row.pages)
            while row.pages and need > self._pool.free:
                self._held = self._changed = True
                tile = self._tiles[-1]
                youngest = tile.rows.pop()
                self._pool.give(youngest.pages)
                youngest.pages = []
                self._waiting.appendleft(youngest)
                if not tile.rows:
                    self._pool.give(self._tiles.pop().pages)
            if row.pages and need > 0:
                row.pages += self._pool.take(need)
                self._changed = True

    def _drop(self, gone: set[Row]) -> None:
        """Free rows that have ended."""
        for tile in self._tiles:
            for row in tile.rows:
                if row in gone:
                    self._pool.give(row.pages)
            tile.rows = [row for row in tile.rows if row not in gone]
            if not tile.rows:
                self._pool.give(tile.pages)
        self._tiles = [tile for tile in self._tiles if tile.rows]
        self._held, self._changed = False, True

    # Sampling:

    def _burst(self) -> list[Rollout]:
        """Sample several tokens for every row, and return the rollouts that have ended."""
        left = max(row.limit - len(row.rollout.tokens) for row in self._rows())
        ticks = min(self.ticks, left)
        self._make_room(ticks)
        if self._changed:
            self._passes.upload(self._tiles)
            self._changed = False
        tokens, logprobs = self._passes.decode(
            self._tiles, ticks, temperature=self.temperature, top_p=self.top_p
        )
        return self._record(list(self._rows()), tokens, logprobs)

    def _record(
        self, rows: Sequence[Row], tokens: np.ndarray, logprobs: np.ndarray
    ) -> list[Rollout]:
        """Add new tokens to their rollouts; those that have ended leave."""
        counts = (tokens >= 0).sum(0).tolist()
        gone: list[Row] = []
        for row, count, new, chances in zip(
            rows, counts, tokens.T.tolist(), logprobs.T.tolist(), strict=True
        ):
            known = len(row.rollout.tokens)
            row.rollout.tokens += new[:count]
            row.rollout.logprobs += chances[:count]
            if self._settle(row, known=known):
                gone.append(row)
        if gone:
            self._drop(set(gone))
        return [row.rollout for row in gone]

    # Set up once:

    def _budget(
        self, shapes: Sequence[tuple[int, int]], cache_tokens: int | None, room: int
    ) -> int:
        """The number of pages, which take at most this many bytes."""
        if cache_tokens is not None:
            return max(1, cache_tokens // PAGE)
        size = 2 * PAGE * sum(heads * width for heads, width in shapes) * self.dtype.itemsize
        prompt = LONGEST_PROMPT
        if self.context is not None:
            prompt = max(1, min(prompt, self.context - self.max_tokens))
        tiles = 2 * -(-self.slots // self.group)  # some groups are partly finished
        wanted = self.slots * pages_for(self.max_tokens) + tiles * pages_for(prompt)
        return max(1, min(wanted, room // size))

    def _room(self, memory: float | None, reserve: int) -> int:
        """Bytes for keys and values, beside the copy of the weights.

        Half of what the update leaves is for others: recorded steps, larger passes, and runs that
        share the GPU.
        """
        if self.device.type != "cuda":
            return CPU_CACHE
        free, total = torch.cuda.mem_get_info(self.device)
        free += torch.cuda.memory_reserved(self.device) - torch.cuda.memory_allocated(self.device)
        if memory is None:
            return max(0, free - reserve) // 2
        copied = sum(weight.nbytes for weight in self._copy.state_dict().values())
        return min(int(memory * total) - copied, int(MOST_OF_FREE * free))

    def _too_small(self) -> UserError:
        return UserError(
            "there is not enough memory for sampling; sample fewer outputs at a time, or limit the "
            "length of outputs or prompts: in training, lower rollout.slots, rollout.max-tokens or "
            "update.micro-batch-tokens, or set rollout.memory"
        )

    def _compare(self, model: Any, examples: Sequence[Sequence[int]]) -> None:
        """Refuse a model whose copy samples differently.

        How much half precision changes depends on the model and on the text. So the copy is
        compared on prompts like those it will get, and may differ from single precision by a few
        times as much as the model's own half precision does on the same tokens.
        """
        rollouts = self._try_out(model, examples)
        sampled = torch.tensor([chance for rollout in rollouts for chance in rollout.logprobs])
        exact, half = (
            torch.cat([_logprobs(model, rollout, dtype) for rollout in rollouts])
            for dtype in (torch.float32, self.dtype)
        )
        gap = float((sampled - exact).abs().mean())
        limit = ROUNDING + TIMES * float((half - exact).abs().mean())
        if not gap <= limit:
            raise unfit(
                f"for {type(base_of(model)).__name__} the log-probabilities of a few tokens differ "
                f"by {gap:.3g} on average, and rounding explains at most {limit:.3g}"
            )

    def _try_out(self, model: Any, examples: Sequence[Sequence[int]]) -> list[Rollout]:
        """A few outputs, sampled without leaving a trace."""
        if not examples:
            rng = Random(0)
            size = base_of(model).config.get_text_config().vocab_size
            examples = [[rng.randrange(size) for _ in range(length)] for length in (9, 40)]
        tokens = min(self.max_tokens, 8)
        longest = PAGE * (self._pool.size - pages_for(tokens))
        if self.context is not None:
            longest = min(longest, self.context - tokens)
        prompts = [list(prompt[: max(1, longest)]) for prompt in examples]
        rollouts = [Rollout(prompt) for prompt in prompts for _ in range(min(2, self.slots))]
        settings = ("temperature", "top_p", "max_tokens", "context", "seeds", "stop_strings")
        before = {name: getattr(self, name) for name in settings}
        state = self.state_dict()
        self.temperature, self.top_p, self.seeds, self.stop_strings = 1.0, 1.0, None, None
        self.max_tokens, self.context = tokens, None
        graphs, self._passes.graphs = self._passes.graphs, False
        self.submit(rollouts)
        while self.collect():
            pass
        for name, value in before.items():
            setattr(self, name, value)
        self.load_state_dict(state)
        self._passes.graphs = graphs
        self._passes.forget()
        return rollouts


def _logprobs(model: Any, rollout: Rollout, dtype: torch.dtype) -> Tensor:
    """The log-probabilities of a rollout's tokens by the model itself, in this precision."""
    exact, kind = dtype == torch.float32, next(model.parameters()).device.type
    with (
        single_precision(model) if exact else nullcontext(),
        torch.autocast(kind, dtype, enabled=not exact),
    ):
        return logprobs_of(model, rollout.context)[len(rollout.prompt) - 1 :]
