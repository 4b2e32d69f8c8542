"""Running the model that is sampled from: over prompts, and one step of decoding after another.

    prompts         each is processed once for all rollouts that share it
    catching up     what resumed rollouts have already sampled is processed in one pass
    decoding        a step gives every rollout one more token. An entire step (the model, the choice
                    of a token, its log-probability, whether it ends the output) is one CUDA graph,
                    recorded for each batch size, and several steps run before the host looks

engine.py decides what is sampled when, and in which pages it is stored.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import torch
from torch import Tensor

from rlve.models.engines.attention import Asked, unfit
from rlve.models.engines.paged.pages import (
    LEFT,
    PAGE,
    POSITION,
    SCRATCH,
    START,
    STREAM,
    TILE,
    TOKEN,
    Decode,
    PagePool,
    Prefill,
    Shape,
    Tables,
    packed,
    pages_for,
)
from rlve.models.engines.sampling import sample, uniform
from rlve.models.rollouts import Rollout

PREFILL_TOKENS = 32_768  # in one forward pass
SEATS = 64  # tokens that catch up in one tile
SMALLEST = 16  # the fewest rows or tiles for which a step is recorded

Tick: TypeAlias = Callable[[], None]
"""One step of decoding."""


@dataclass(eq=False)
class Row:
    """A rollout that is waiting or being sampled."""

    rollout: Rollout
    stream: int  # where its random numbers begin
    limit: int  # of its tokens
    pages: list[int] = field(default_factory=list[int])  # of what follows its prompt

    def own(self, ticks: int) -> int:
        """Its own positions after this many more tokens; the last token's is added later."""
        return min(len(self.rollout.tokens) + ticks, self.limit)


@dataclass(eq=False)
class Tile:
    """Rollouts that share a prompt."""

    prompt: list[int]
    pages: list[int]
    rows: list[Row] = field(default_factory=list[Row])

    @property
    def start(self) -> int:
        """The positions in its pages; the last token of the prompt begins each output."""
        return len(self.prompt) - 1


class Passes:
    """Forward passes of a model whose keys and values are stored in the pages of a pool.

    slots          the most rows
    max_tokens     the most tokens of a row
    group          the most rows of a tile
    stop_tokens    tokens that end an output
    ticks          the most steps before the host looks
    kernels        whether to use our Triton kernels
    graphs         whether to record steps
    """

    def __init__(
        self,
        model: Any,
        pool: PagePool,
        *,
        slots: int,
        max_tokens: int,
        group: int,
        stop_tokens: Iterable[int],
        ticks: int,
        kernels: bool,
        graphs: bool,
    ) -> None:
        self.model = model
        self.pool = pool
        self.slots = slots
        self.group = group
        self.kernels = kernels
        self.graphs = graphs
        self.device = pool.keys[0].device
        self._stops = torch.tensor(sorted(stop_tokens), device=self.device)
        self._ticks = max(ticks, 2)
        width = pages_for(max_tokens)
        self._tables = Tables.new(slots, width, pool.size, self.device)
        self._mirror = Tables.new(slots, width, pool.size, torch.device("cpu"))
        self._out = torch.zeros(self._ticks * 2 * slots, dtype=torch.int32).to(self.device)
        self._at = torch.zeros(1, dtype=torch.long, device=self.device)
        if self.device.type == "cuda":
            self._mirror = Tables(*(each.pin_memory() for each in vars(self._mirror).values()))
            self._graph_pool = torch.cuda.graph_pool_handle()
        self._recorded: dict[tuple[Shape, float, float], Tick] = {}

    def forget(self) -> None:
        self._recorded.clear()

    # Prompts and resumed rollouts:

    def prefill(self, admitted: Sequence[tuple[Tile, Row]], stored: set[Tile]) -> None:
        """Compute the keys and values of all but the last token of each.

        A prompt is processed once, unless its tile is already stored. A resumed rollout catches up,
        or, if it is longer than its prompt, is processed together with it.
        """
        sequences: list[tuple[list[int], np.ndarray]] = []  # tokens, and where to store them
        kept = set(stored)
        behind: dict[Tile, list[Row]] = {}
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

    def _catch_up(self, behind: dict[Tile, list[Row]]) -> None:
        """Compute what resumed rollouts have already sampled, without computing prompts again.

        Each of their tokens is a row of one decoding step. All keys are stored before any is looked
        at, and each row sees only what comes before it.
        """
        waiting = [(tile, row) for tile, rows in behind.items() for row in rows]
        while waiting:
            part: dict[Tile, list[Row]] = {}
            room = PREFILL_TOKENS
            while waiting and (not part or len(waiting[0][1].rollout.tokens) <= room):
                tile, row = waiting.pop(0)
                part.setdefault(tile, []).append(row)
                room -= len(row.rollout.tokens)
            self._step_over(part)

    def _step_over(self, part: dict[Tile, list[Row]]) -> None:
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
            self.model.base_model,  # nobody asks for logits
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
        self._forward(
            self.model,
            input_ids=given,
            position_ids=torch.arange(ids.shape[1], device=self.device).expand_as(given),
            logits_to_keep=1,
            rlve_step=Prefill(self.pool, where // PAGE, where % PAGE),
        )

    # Decoding:

    def decode(
        self, tiles: Sequence[Tile], ticks: int, *, temperature: float, top_p: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """Sample several tokens for every row: ticks x rows, -1 after the end.

        Returns the tokens and their log-probabilities.
        """
        rows = sum(len(tile.rows) for tile in tiles)
        shape = self._shape(tiles)
        tick = self._tick_for(shape, temperature, top_p)
        self._at.zero_()
        for _ in range(ticks):
            tick()
        # The one wait for the GPU.
        found = self._written(shape)[:ticks].cpu().numpy()[:, :, :rows]
        return found[:, 0], found[:, 1].view(np.float32)

    def upload(self, tiles: Sequence[Tile]) -> None:
        """Bring the tables on the device up to date: these tiles are decoded from now on."""
        tables, mirror = self._tables, self._mirror
        rows = [row for tile in tiles for row in tile.rows]
        state, sizes = mirror.state.numpy(), [len(tile.rows) for tile in tiles]
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

        table = mirror.tiles.numpy()
        table[:] = 0
        pages, _, _ = packed([tile.pages for tile in tiles])
        held = [len(tile.pages) for tile in tiles]
        mirror.tile_pages.numpy()[: len(pages)] = pages
        table[0, : len(sizes)] = np.cumsum(held) - held
        table[1, : len(sizes)] = [tile.start for tile in tiles]
        table[2, : len(sizes)] = np.cumsum(sizes) - sizes
        table[3, : len(sizes)] = sizes
        for name, ours in vars(mirror).items():
            getattr(tables, name).copy_(ours, non_blocking=True)

    def _shape(self, tiles: Sequence[Tile]) -> Shape:
        """The smallest recorded shape that is large enough."""
        rows = _rounded(sum(len(tile.rows) for tile in tiles), self.slots)
        if self.kernels:
            # Tiles are usually full; otherwise there can be as many as rows.
            full = _rounded(-(-rows // self.group), rows)
            return Shape(rows, full if len(tiles) <= full else rows, self.group)
        longest = max(len(tile.pages) for tile in tiles)
        own = max(len(row.pages) for tile in tiles for row in tile.rows)
        return Shape(
            rows,
            _rounded(len(tiles), self.slots),
            self.group,
            prompt_pages=_power_of_2(longest) if longest else 0,
            own_pages=min(_power_of_2(own), self._tables.row_pages.shape[1]),
        )

    def _tick_for(self, shape: Shape, temperature: float, top_p: float) -> Tick:
        """A function that samples one token for rows of this shape."""
        key = (shape, temperature, top_p)
        if key not in self._recorded:
            tick = partial(self._tick, shape, temperature, top_p)
            self._recorded[key] = self._record(tick) if self.graphs else tick
        return self._recorded[key]

    def _record(self, tick: Tick) -> Tick:
        state = self._tables.state
        before = state.clone()
        state[LEFT] = 0  # the runs before recording change no row
        self._at.zero_()
        present = torch.cuda.current_stream(self.device)
        aside = torch.cuda.Stream(self.device)
        aside.wait_stream(present)
        with torch.cuda.stream(aside):
            for _ in range(2):  # what is compiled or set up on first use cannot be recorded
                tick()
        present.wait_stream(aside)
        graph = torch.cuda.CUDAGraph()
        # Other threads may use the GPU in the meantime.
        with torch.cuda.graph(graph, pool=self._graph_pool, capture_error_mode="thread_local"):
            tick()
        state.copy_(before)
        return graph.replay

    def _tick(self, shape: Shape, temperature: float, top_p: float) -> None:
        """Sample one token for every row that has not ended; for the others it has no effect."""
        state = self._tables.state[:, : shape.rows]
        logits = self._forward(
            self.model,
            input_ids=state[TOKEN].unsqueeze(1),
            position_ids=state[POSITION].unsqueeze(1),
            rlve_step=self._decode(shape, self._tables),
        ).logits[:, -1]
        numbers = uniform(state[STREAM] + state[POSITION] - state[START])
        tokens, logprobs = sample(
            logits, numbers, temperature=temperature, top_p=top_p, kernels=self.kernels
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
        if not self.kernels:
            return Decode(self.pool, tables, shape)
        from rlve.models.engines.paged.kernels import KernelDecode

        return KernelDecode(self.pool, tables, shape)

    def _written(self, shape: Shape) -> Tensor:
        """ticks x (tokens, log-probabilities) x rows; -1 means no token."""
        return self._out[: self._ticks * 2 * shape.rows].view(self._ticks, 2, shape.rows)

    def _forward(self, model: Any, **inputs: Any) -> Any:
        return forward(model, self.pool.dtype, **inputs)


def forward(model: Any, dtype: torch.dtype, **inputs: Any) -> Any:
    """A forward pass of a copy whose matrices are of this type."""
    kind = inputs["input_ids"].device.type
    # Autocast would cache weights that it has cast, but there are none.
    with torch.autocast(kind, dtype, enabled=dtype != torch.float32, cache_enabled=False):
        return model(use_cache=False, **inputs)


@torch.inference_mode()
def stored_shapes(model: Any, dtype: torch.dtype) -> list[tuple[int, int]]:
    """By layer, the number of heads with keys, and their size."""
    step = _Found()
    one = torch.zeros(1, 1, dtype=torch.long, device=next(model.parameters()).device)
    forward(model, dtype, input_ids=one, position_ids=one, rlve_step=step)
    if sorted(step.shapes) != list(range(len(step.shapes))):
        raise unfit(f"not all layers of {type(model).__name__} attend")
    return [shape for _, shape in sorted(step.shapes.items())]


class _Found:
    """A pass that finds out what layers store."""

    def __init__(self) -> None:
        self.shapes: dict[int, tuple[int, int]] = {}

    def attend(self, layer: int, query: Tensor, key: Tensor, value: Tensor, asked: Asked) -> Tensor:
        if key.shape != value.shape or key.shape[-1] != query.shape[-1] or layer in self.shapes:
            raise unfit("its keys and values are not alike, or layers share them")
        self.shapes[layer] = (key.shape[1], key.shape[3])
        return value.repeat_interleave(query.shape[1] // key.shape[1], 1).transpose(1, 2)


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
