"""Sampling with transformers on a GPU, in the trainer's own process, on a copy of its weights.

What makes it fast, most important first:

- an entire step (the model, the choice of a token, its log-probability, whether it ends the output)
  is one CUDA graph, recorded for each batch size, and many steps run before the host looks;
- a group's prompt is processed once, stored once and read once for all its rollouts (pages.py,
  kernels.py), and keys that several heads share are never repeated;
- the matrices of the copy are in half precision, so they are read fast and never cast (copies.py).

Everything but the recording also runs without a GPU, where it is tested.
"""

# torch and transformers leave many of their types unknown.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor

from rlve.errors import UserError
from rlve.models.engines.attention import Asked, check
from rlve.models.engines.copies import copy_of
from rlve.models.engines.pages import (
    LEFT,
    PAGE,
    POSITION,
    SCRATCH,
    START,
    STREAM,
    TILE,
    TOKEN,
    Decode,
    Pool,
    Prefill,
    Shape,
    Tables,
    packed,
    pages_for,
)
from rlve.models.engines.sampling import sample, stream, uniform
from rlve.models.engines.weights import base_of, copy_weights
from rlve.models.rollouts import Rollout
from rlve.models.stopping import StopStrings

TICKS = 8  # tokens that each rollout gets before the host looks
PREFILL_TOKENS = 32_768  # in one forward pass
SEATS = 64  # tokens that catch up in one tile
SMALLEST = 16  # the fewest rows or tiles for which a step is recorded
LONGEST_PROMPT = 2_048  # assumed when planning memory, if the length of prompts is unknown
CPU_CACHE = 2**30  # bytes; on a CPU the cache is for tests
GAPS = {torch.float32: 1e-3}  # between the log-probabilities of the copy and the model
GAP = 0.25  # in half precision

Attention = Literal["auto", "torch", "triton"]


@dataclass(eq=False)
class _Row:
    """A rollout that is waiting or being sampled."""

    rollout: Rollout
    stream: int  # where its random numbers begin
    limit: int  # of its tokens
    pages: list[int] = field(default_factory=list[int])  # of what follows its prompt

    def own(self, ticks: int) -> int:
        """Its own positions after this many more tokens; the last token's is added later."""
        return min(len(self.rollout.tokens) + ticks, self.limit)


@dataclass(eq=False)
class _Tile:
    """Rollouts that share a prompt."""

    prompt: list[int]
    pages: list[int]
    rows: list[_Row] = field(default_factory=list[_Row])

    @property
    def start(self) -> int:
        """The positions in its pages; the last token of the prompt begins each output."""
        return len(self.prompt) - 1


class PagedEngine:
    """Samples from a copy of a transformers causal language model.

    slots          rollouts to sample at the same time
    max_tokens     the response limit
    stop_tokens    tokens that end an output
    stop_strings   strings that also end it; checked when the host looks
    temperature    0 takes the most likely token
    top_p          sample from the smallest set of most likely tokens with this much probability
    context        the longest prompt and output together
    group          the usual number of rollouts per prompt; more are split into several tiles
    seeds          gives the 32-bit seed of a rollout's random numbers; by default seeds are drawn
                   one after another
    dtype          of the copy: bfloat16 on a GPU, float32 otherwise
    attention      triton needs a GPU, or Triton's interpreter; auto uses it on a GPU
    graphs         whether to record steps; by default on a GPU
    cache_tokens   positions of prompts and outputs to store; by default what the slots can need,
                   or the share `memory` of the GPU's free memory if that is less
    ticks          tokens that each rollout gets before the host looks
    """

    def __init__(
        self,
        model: Any,
        *,
        stop_tokens: Sequence[int],
        stop_strings: StopStrings | None = None,
        max_tokens: int,
        slots: int = 256,
        temperature: float = 1.0,
        top_p: float = 1.0,
        seed: int = 0,
        context: int | None = None,
        group: int = 16,
        seeds: Callable[[Rollout], int] | None = None,
        dtype: torch.dtype | None = None,
        attention: Attention = "auto",
        graphs: bool | None = None,
        cache_tokens: int | None = None,
        memory: float = 0.4,
        ticks: int = TICKS,
    ) -> None:
        check(model)
        self.device = next(model.parameters()).device
        on_gpu = self.device.type == "cuda"
        self.dtype = dtype or (torch.bfloat16 if on_gpu else torch.float32)
        self.attention = ("triton" if on_gpu else "torch") if attention == "auto" else attention
        self.graphs = on_gpu if graphs is None else graphs
        self.stop_tokens = frozenset(stop_tokens)
        self.stop_strings = stop_strings
        self.max_tokens = max_tokens
        self.slots = slots
        self.temperature = temperature
        self.top_p = top_p
        self.context = context
        self.group = group
        self.seeds = seeds
        self.ticks = ticks
        self._generator = torch.Generator().manual_seed(seed)
        self._waiting: deque[_Row] = deque()
        self._tiles: list[_Tile] = []
        self._over: list[Rollout] = []  # had already ended when they were submitted
        self._held = False  # memory ran out: nothing is admitted until something ends
        self._changed = True  # the tables on the device are out of date

        try:
            self._copy = copy_of(model, self.dtype, kernels=self.attention == "triton")
            self._stops = torch.tensor(sorted(stop_tokens), device=self.device)
            shapes = self._shapes()
            pages = self._budget(shapes, cache_tokens, memory)
            self._pool = Pool(shapes, pages, dtype=self.dtype, device=self.device)
            width = pages_for(max_tokens)
            self._tables = Tables.new(slots, width, pages, self.device)
            self._mirror = Tables.new(slots, width, pages, torch.device("cpu"))
            self._out = torch.zeros(max(ticks, 2) * 2 * slots, dtype=torch.int32).to(self.device)
            self._at = torch.zeros(1, dtype=torch.long, device=self.device)
        except torch.OutOfMemoryError as error:
            raise self._too_small() from error
        if on_gpu:
            self._mirror = Tables(*(each.pin_memory() for each in vars(self._mirror).values()))
            self._graph_pool = torch.cuda.graph_pool_handle()
        self._recorded: dict[tuple[Shape, float, float], Callable[[], None]] = {}
        self._compare(model)

    def submit(self, rollouts: Sequence[Rollout]) -> None:
        drawn = torch.randint(2**32, (len(rollouts),), generator=self._generator).tolist()
        for rollout, number in zip(rollouts, drawn, strict=True):
            seed = number if self.seeds is None else self.seeds(rollout)
            row = _Row(rollout, stream(seed), self._limit(rollout))
            if self._settle(row, known=len(rollout.tokens) - 1):
                self._over.append(rollout)
                continue
            if pages_for(len(rollout.prompt) - 1) + pages_for(row.limit) > self._pool.size:
                raise self._too_small()
            self._waiting.append(row)

    @torch.inference_mode()
    def collect(self) -> list[Rollout]:
        ended, self._over = self._over, []
        try:
            while not ended:
                self._admit()
                if not self._tiles:
                    break
                ended += self._burst()
        except torch.OutOfMemoryError as error:
            raise self._too_small() from error
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

    def reseed(self, seed: int) -> None:
        self._generator.manual_seed(seed)

    def state_dict(self) -> dict[str, Any]:
        return {"generator": self._generator.get_state()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self._generator.set_state(state["generator"])

    def close(self) -> None:
        self.stop()
        self._recorded.clear()
        del self._copy, self._pool, self._tables, self._out

    # Rows and pages:

    def _rows(self) -> Iterator[_Row]:
        """Those being sampled, in the order of the tables."""
        return (row for tile in self._tiles for row in tile.rows)

    def _limit(self, rollout: Rollout) -> int:
        """The most tokens it can have."""
        if self.context is None:
            return self.max_tokens
        return max(1, min(self.max_tokens, self.context - len(rollout.prompt)))

    def _settle(self, row: _Row, *, known: int) -> bool:
        """Whether it has ended after its first `known` tokens; if so, records why."""
        tokens = row.rollout.tokens
        if (end := self._text_end(tokens, known)) is not None:
            del tokens[end:], row.rollout.logprobs[end:]  # what came before the host looked
            row.rollout.ending = "stop"
        elif tokens and tokens[-1] in self.stop_tokens:
            row.rollout.ending = "stop"
        elif len(tokens) >= row.limit:
            row.rollout.ending = "length"
        return row.rollout.ending is not None

    def _text_end(self, tokens: list[int], known: int) -> int | None:
        """The number of tokens after which a stop string ends it, if one does."""
        if self.stop_strings is None or not tokens:
            return None
        return self.stop_strings.end(tokens, known)

    def _forget(self) -> list[_Row]:
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
        admitted: list[tuple[_Tile, _Row]] = []
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
                tile = _Tile(list(key), self._pool.take(shared))
                self._tiles.append(tile)
                open_tiles[key] = tile
            row.pages = self._pool.take(own)
            tile.rows.append(row)
            admitted.append((tile, row))
            if len(tile.rows) == self.group:
                del open_tiles[key]
        if admitted:
            self._changed = True
            self._prefill(admitted, old)

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

    def _drop(self, gone: set[_Row]) -> None:
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

    # Passes of the model:

    def _prefill(self, admitted: Sequence[tuple[_Tile, _Row]], old: set[_Tile]) -> None:
        """Compute the keys and values of all but the last token of each.

        A prompt that is in no tile yet is processed once. A resumed rollout catches up, or, if it
        is longer than its prompt, is processed together with it.
        """
        sequences: list[tuple[list[int], np.ndarray]] = []  # tokens, and where to store them
        kept = set(old)  # tiles whose prompt is already stored
        behind: dict[_Tile, list[_Row]] = {}
        for tile, row in admitted:
            if not (tokens := row.rollout.tokens):
                continue
            if len(tokens) <= tile.start:
                behind.setdefault(tile, []).append(row)
                continue
            shared = _places([SCRATCH] if tile in kept else tile.pages, tile.start)
            kept.add(tile)
            places = np.concatenate([shared, _places(row.pages, len(tokens))])
            sequences.append((row.rollout.context[:-1], places))
        for tile, _ in admitted:
            if tile not in kept and tile.start:
                kept.add(tile)
                sequences.append((tile.prompt[:-1], _places(tile.pages, tile.start)))
        sequences.sort(key=lambda each: len(each[0]))
        while sequences:
            count = max(1, PREFILL_TOKENS // len(sequences[-1][0]))
            self._pass(sequences[-count:])
            del sequences[-count:]
        if behind:
            self._catch_up(behind)

    def _catch_up(self, behind: dict[_Tile, list[_Row]]) -> None:
        """Compute what resumed rollouts have already sampled, without computing prompts again.

        Each of their tokens is a row of one decoding step. All keys are stored before any is looked
        at, and each row sees only what comes before it.
        """
        waiting = [(tile, row) for tile, rows in behind.items() for row in rows]
        while waiting:
            part: dict[_Tile, list[_Row]] = {}
            room = PREFILL_TOKENS
            while waiting and (not part or len(waiting[0][1].rollout.tokens) <= room):
                tile, row = waiting.pop(0)
                part.setdefault(tile, []).append(row)
                room -= len(row.rollout.tokens)
            self._step_over(part)

    def _step_over(self, part: dict[_Tile, list[_Row]]) -> None:
        """One pass over the tokens that these have sampled, except for their last."""
        known = [row for rows in part.values() for row in rows]
        counts = [len(row.rollout.tokens) for row in known]
        seats = max(self.group, SEATS)
        tiles: list[tuple[int, int, int, int]] = []  # as in the table
        page = token = 0
        for tile, rows in part.items():
            end = token + sum(len(row.rollout.tokens) for row in rows)
            for begin in range(token, end, seats):
                tiles.append((page, tile.start, begin, min(seats, end - begin)))
            page += len(tile.pages)
            token = end

        state = np.zeros((6, token), np.int64)
        state[TOKEN] = [
            each for row in known for each in (row.rollout.prompt[-1], *row.rollout.tokens[:-1])
        ]
        state[START] = np.repeat([len(row.rollout.prompt) - 1 for row in known], counts)
        state[POSITION] = state[START] + np.concatenate([np.arange(count) for count in counts])
        state[TILE] = np.repeat(np.arange(len(tiles)), [count for *_, count in tiles])
        pages, source, place = packed([row.pages for row in known])
        row_pages = np.zeros((len(known), self._tables.row_pages.shape[1]), np.int32)
        row_pages[source, place] = pages
        tile_pages, _, _ = packed([tile.pages for tile in part])
        tables = Tables(
            *(
                torch.from_numpy(table).to(self.device)
                for table in (
                    state,
                    np.repeat(row_pages, counts, axis=0),
                    np.append(tile_pages, SCRATCH).astype(np.int32),
                    np.array(tiles, np.int32).T.copy(),
                )
            )
        )
        shape = Shape(
            rows=token,
            tiles=len(tiles),
            seats=seats,
            prompt_pages=max(len(tile.pages) for tile in part),
            own_pages=max(len(row.pages) for row in known),
        )
        self._forward(
            self._copy.base_model,  # nobody asks for logits
            input_ids=tables.state[TOKEN].unsqueeze(1),
            position_ids=tables.state[POSITION].unsqueeze(1),
            rlve_step=self._decode(shape, tables),
        )

    def _pass(self, sequences: Sequence[tuple[list[int], np.ndarray]]) -> None:
        """One forward pass over sequences; their padding comes last, so that nothing sees it."""
        ids = np.zeros((len(sequences), len(sequences[-1][0])), np.int64)
        places = np.full_like(ids, SCRATCH * PAGE)
        for index, (tokens, kept) in enumerate(sequences):
            ids[index, : len(tokens)] = tokens
            places[index, : len(tokens)] = kept
        given, where = (torch.from_numpy(each).to(self.device) for each in (ids, places))
        self._logits(
            input_ids=given,
            position_ids=torch.arange(ids.shape[1], device=self.device).expand_as(given),
            logits_to_keep=1,
            rlve_step=Prefill(self._pool, where // PAGE, where % PAGE),
        )

    def _logits(self, **inputs: Any) -> Tensor:
        return self._forward(self._copy, **inputs).logits

    def _forward(self, model: Any, **inputs: Any) -> Any:
        half = self.dtype != torch.float32
        # Autocast would cache weights that it has cast, but there are none.
        with torch.autocast(self.device.type, self.dtype, enabled=half, cache_enabled=False):
            return model(use_cache=False, **inputs)

    def _burst(self) -> list[Rollout]:
        """Sample several tokens for every row, and return the rollouts that have ended."""
        left = max(row.limit - len(row.rollout.tokens) for row in self._rows())
        ticks = min(self.ticks, left)
        self._make_room(ticks)
        rows = list(self._rows())
        if self._changed:
            self._upload(rows)
            self._changed = False
        shape = self._shape(len(rows))
        tick = self._tick_for(shape)
        self._at.zero_()
        for _ in range(ticks):
            tick()
        # The one wait for the GPU.
        found = self._written(shape)[:ticks].cpu().numpy()[:, :, : len(rows)]
        return self._record(rows, found[:, 0], found[:, 1].view(np.float32))

    def _upload(self, rows: Sequence[_Row]) -> None:
        """Bring the tables on the device up to date."""
        tables, mirror = self._tables, self._mirror
        state, sizes = mirror.state.numpy(), [len(tile.rows) for tile in self._tiles]
        state[:, len(rows) :] = 0
        rollouts = [row.rollout for row in rows]
        count = len(rows)
        state[TOKEN, :count] = [(each.tokens or each.prompt)[-1] for each in rollouts]
        state[START, :count] = [len(each.prompt) - 1 for each in rollouts]
        state[POSITION, :count] = [len(each.prompt) + len(each.tokens) - 1 for each in rollouts]
        state[LEFT, :count] = [row.limit - len(row.rollout.tokens) for row in rows]
        state[STREAM, :count] = [row.stream for row in rows]
        state[TILE, :count] = np.repeat(np.arange(len(sizes)), sizes)
        pages, source, place = packed([row.pages for row in rows])
        mirror.row_pages.zero_()
        mirror.row_pages.numpy()[source, place] = pages

        tiles = mirror.tiles.numpy()
        tiles[:] = 0
        pages, _, _ = packed([tile.pages for tile in self._tiles])
        held = [len(tile.pages) for tile in self._tiles]
        mirror.tile_pages.numpy()[: len(pages)] = pages
        tiles[0, : len(sizes)] = np.cumsum(held) - held
        tiles[1, : len(sizes)] = [tile.start for tile in self._tiles]
        tiles[2, : len(sizes)] = np.cumsum(sizes) - sizes
        tiles[3, : len(sizes)] = sizes
        for name, ours in vars(mirror).items():
            getattr(tables, name).copy_(ours, non_blocking=True)

    def _shape(self, rows: int) -> Shape:
        """The smallest recorded shape that is large enough."""
        rows = _rounded(rows, self.slots)
        if self.attention == "triton":
            # Tiles are usually full; otherwise there can be as many as rows.
            full = _rounded(-(-rows // self.group), rows)
            return Shape(rows, full if len(self._tiles) <= full else rows, self.group)
        tiles = _rounded(len(self._tiles), self.slots)
        longest = max(len(tile.pages) for tile in self._tiles)
        own = max(len(row.pages) for row in self._rows())
        return Shape(
            rows,
            tiles,
            self.group,
            prompt_pages=_power_of_2(longest) if longest else 0,
            own_pages=min(_power_of_2(own), self._tables.row_pages.shape[1]),
        )

    def _tick_for(self, shape: Shape) -> Callable[[], None]:
        """Sample one token for rows of this shape."""
        key = (shape, self.temperature, self.top_p)
        if key not in self._recorded:
            self._recorded[key] = self._record_tick(shape) if self.graphs else self._ticking(shape)
        return self._recorded[key]

    def _ticking(self, shape: Shape) -> Callable[[], None]:
        return lambda: self._tick(shape)

    def _record_tick(self, shape: Shape) -> Callable[[], None]:
        state = self._tables.state
        before = state.clone()
        state[LEFT] = 0  # the runs before recording change no row
        self._at.zero_()
        present = torch.cuda.current_stream(self.device)
        aside = torch.cuda.Stream(self.device)
        aside.wait_stream(present)
        with torch.cuda.stream(aside):
            for _ in range(2):  # what is compiled or set up on first use cannot be recorded
                self._tick(shape)
        present.wait_stream(aside)
        graph = torch.cuda.CUDAGraph()
        # Other threads may use the GPU in the meantime.
        with torch.cuda.graph(graph, pool=self._graph_pool, capture_error_mode="thread_local"):
            self._tick(shape)
        state.copy_(before)
        return graph.replay

    def _tick(self, shape: Shape) -> None:
        """Sample one token for every row that has not ended; for the others it has no effect."""
        state = self._tables.state[:, : shape.rows]
        logits = self._logits(
            input_ids=state[TOKEN].unsqueeze(1),
            position_ids=state[POSITION].unsqueeze(1),
            rlve_step=self._decode(shape, self._tables),
        )[:, -1]
        numbers = uniform(state[STREAM] + state[POSITION] - state[START])
        tokens, logprobs = sample(
            logits,
            numbers,
            temperature=self.temperature,
            top_p=self.top_p,
            kernels=self.attention == "triton",
        )
        going = state[LEFT] > 0
        written = torch.stack([torch.where(going, tokens, -1).int(), logprobs.view(torch.int32)])
        self._written(shape).index_copy_(0, self._at, written.unsqueeze(0))
        self._at += 1
        stopped = (tokens.unsqueeze(1) == self._stops).any(1)
        state[LEFT] = torch.where(stopped, 0, state[LEFT] - 1).clamp_(min=0)
        moves = state[LEFT] > 0
        state[TOKEN] = torch.where(moves, tokens, state[TOKEN])
        state[POSITION] += moves

    def _decode(self, shape: Shape, tables: Tables) -> Any:
        if self.attention == "torch":
            return Decode(self._pool, tables, shape)
        from rlve.models.engines.kernels import KernelDecode

        return KernelDecode(self._pool, tables, shape)

    def _written(self, shape: Shape) -> Tensor:
        """ticks x (tokens, log-probabilities) x rows; -1 means no token."""
        ticks = max(self.ticks, 2)
        return self._out[: ticks * 2 * shape.rows].view(ticks, 2, shape.rows)

    def _record(
        self, rows: Sequence[_Row], tokens: np.ndarray, logprobs: np.ndarray
    ) -> list[Rollout]:
        """Add new tokens to their rollouts; those that have ended leave."""
        counts = (tokens >= 0).sum(0).tolist()
        gone: list[_Row] = []
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

    @torch.inference_mode()
    def _shapes(self) -> list[tuple[int, int]]:
        """By layer, the number of heads with keys, and their size."""
        step = _Found()
        one = torch.zeros(1, 1, dtype=torch.long, device=self.device)
        self._logits(input_ids=one, position_ids=one, rlve_step=step)
        if sorted(step.shapes) != list(range(len(step.shapes))):
            raise UserError(
                "this model cannot be sampled in this process: not all layers of "
                f"{type(self._copy).__name__} attend"
            )
        return [shape for _, shape in sorted(step.shapes.items())]

    def _budget(
        self, shapes: Sequence[tuple[int, int]], cache_tokens: int | None, memory: float
    ) -> int:
        """The number of pages."""
        if cache_tokens is not None:
            return max(1, cache_tokens // PAGE)
        size = 2 * PAGE * sum(heads * width for heads, width in shapes) * self.dtype.itemsize
        prompt = LONGEST_PROMPT
        if self.context is not None:
            prompt = max(1, min(prompt, self.context - self.max_tokens))
        tiles = 2 * -(-self.slots // self.group)  # some groups are partly finished
        wanted = self.slots * pages_for(self.max_tokens) + tiles * pages_for(prompt)
        room = CPU_CACHE
        if self.device.type == "cuda":
            unused = torch.cuda.memory_reserved(self.device)
            unused -= torch.cuda.memory_allocated(self.device)
            room = int(memory * (torch.cuda.mem_get_info(self.device)[0] + unused))
        return max(1, min(wanted, room // size))

    def _too_small(self) -> UserError:
        return UserError(
            "there is not enough memory for sampling; lower rollout.slots, rollout.max-tokens or "
            "data.max-prompt-tokens"
        )

    def _compare(self, model: Any) -> None:
        """Refuse a model whose copy samples differently."""
        rng = Random(0)
        size = base_of(model).config.get_text_config().vocab_size
        prompts = [[rng.randrange(size) for _ in range(length)] for length in (9, 40)]
        rollouts = [Rollout(prompt) for prompt in prompts for _ in range(min(2, self.slots))]
        settings = ("temperature", "top_p", "max_tokens", "context", "graphs", "seeds")
        before = {name: getattr(self, name) for name in settings}
        state = self.state_dict()
        self.temperature, self.top_p, self.seeds = 1.0, 1.0, None
        self.max_tokens, self.context, self.graphs = min(self.max_tokens, 4), None, False
        self.submit(rollouts)
        while self.collect():
            pass
        for name, value in before.items():
            setattr(self, name, value)
        self.load_state_dict(state)
        self._recorded.clear()
        gap = float(torch.cat([_gaps(model, rollout) for rollout in rollouts]).mean())
        if not gap <= GAPS.get(self.dtype, GAP):
            raise UserError(
                f"this model cannot be sampled in this process: for {type(base_of(model)).__name__}"
                f" the log-probabilities of a few tokens differ by {gap:.3g} on average"
            )


class _Found:
    """A pass that finds out what layers store."""

    def __init__(self) -> None:
        self.shapes: dict[int, tuple[int, int]] = {}

    def attend(self, layer: int, query: Tensor, key: Tensor, value: Tensor, asked: Asked) -> Tensor:
        if key.shape != value.shape or key.shape[-1] != query.shape[-1] or layer in self.shapes:
            raise UserError(
                "this model cannot be sampled in this process: its keys and values are not alike, "
                "or layers share them"
            )
        self.shapes[layer] = (key.shape[1], key.shape[3])
        return value.repeat_interleave(query.shape[1] // key.shape[1], 1).transpose(1, 2)


@torch.inference_mode()
def _gaps(model: Any, rollout: Rollout) -> Tensor:
    """The mean difference between a rollout's log-probabilities and the model's."""
    training = model.training
    model.eval()
    ids = torch.tensor([rollout.context], device=next(model.parameters()).device)
    logits: Tensor = model(input_ids=ids, use_cache=False).logits[0]
    model.train(training)
    rows = logits[len(rollout.prompt) - 1 : -1].float().log_softmax(-1)
    chosen = rows.gather(1, ids[0, len(rollout.prompt) :].unsqueeze(1)).squeeze(1).cpu()
    return (chosen - torch.tensor(rollout.logprobs)).abs()


def _places(pages: Sequence[int], count: int) -> np.ndarray:
    """The indices of the first positions of these pages, counted over all pages."""
    at = np.arange(count)
    index = np.minimum(at // PAGE, len(pages) - 1)  # of the scratch page there is one
    return np.asarray(pages, np.int64)[index] * PAGE + at % PAGE


def _rounded(count: int, most: int) -> int:
    return min(max(SMALLEST, _power_of_2(count)), most)


def _power_of_2(count: int) -> int:
    """The next one."""
    return 1 << (count - 1).bit_length()
