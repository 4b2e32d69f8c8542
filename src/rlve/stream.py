"""An endless, seeded, resumable stream of problems.

    stream = Stream(curriculum, seed=0, pool=pool)
    for item in stream.take(128):       drawn from the curriculum as it stands now
        ...                             item.problem, and what is needed to make it again
    state = stream.state_dict()         small JSON, the curriculum's state included

Every position has random numbers of its own, made from the seed and the position. So what comes
at a position depends on the seed, the position and the ranges of the curriculum at the moment it
is taken, and on nothing else: not on how many are taken at once, on workers, on looking ahead, on
having been saved and resumed.

Looking ahead is a bet. While the caller trains, the pool generates what will come if the
curriculum stays as it is. What is drawn is always decided when it is taken: where the bet was
right the problem is there already, where the curriculum has moved it is generated then.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from random import Random
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

import msgspec

from rlve.curriculum import Curriculum
from rlve.environment import Problem
from rlve.errors import GenerationError, UserError
from rlve.registry import environment
from rlve.worker import Failure, Request, attempt, generate

if TYPE_CHECKING:
    from rlve.pool import Pending, Pool

TRIES: Final = 100  # draws in a row that may give no problem
TOO_LONG: Final = "too long"


class Item(msgspec.Struct, frozen=True):
    """A problem of the stream: environment(name).generate(difficulty=..., seed=...) makes it."""

    position: int
    name: str
    difficulty: int
    seed: int
    problem: Problem


class _Draw(NamedTuple):
    position: int
    name: str
    difficulty: int
    seed: int


class _Bet(NamedTuple):
    """A problem that is generated in case it will be drawn."""

    draw: _Draw
    pending: "Pending[Problem | Failure]"
    index: int  # of the problem in `pending`


class Stream:
    """Problems drawn from a curriculum, for ever; for one consumer.

    seed               of all random choices
    pool               generates the problems; without one the caller waits for each of them
    max_prompt_length  a problem with a longer prompt is not given out
    length             measures a prompt: by default its characters; a tokenizer's count, say
    ahead              how many problems the pool generates in advance (0: none); if more than
                       that are taken at once, as many as were taken

    A draw that gives no problem, because it cannot be generated or its prompt is too long, is
    counted in `redrawn` and made again.
    """

    def __init__(
        self,
        curriculum: Curriculum,
        *,
        seed: int,
        pool: "Pool | None" = None,
        max_prompt_length: int | None = None,
        length: Callable[[str], int] = len,
        ahead: int = 256,
    ) -> None:
        if max_prompt_length is not None and max_prompt_length < 1:
            raise UserError(f"max_prompt_length is at least 1, not {max_prompt_length!r}")
        if ahead < 0:
            raise UserError(f"ahead is a number of problems, at least 0, not {ahead!r}")
        self.curriculum = curriculum
        self.seed = seed
        self.position = 0  # of the next problem
        self._pool = pool
        self._limit = max_prompt_length
        self._length = length
        self._ahead = ahead
        self._redrawn: Counter[tuple[str, str]] = Counter()
        self._bets: dict[int, _Bet] = {}  # by position
        self._horizon = 0  # the first position that has not been bet on
        self._moved = False  # whether a bet was lost, so that others may be, too

    def take(self, count: int) -> list[Item]:
        """The next problems, drawn from the curriculum as it stands now."""
        if count < 0:
            raise UserError(f"a number of problems is at least 0, not {count!r}")
        items: dict[int, Item] = {}
        redrawn: Counter[tuple[str, str]] = Counter()
        missing = list(range(self.position, self.position + count))
        for attempt_number in range(TRIES):
            draws = [self._draw(position, attempt_number) for position in missing]
            missing = []
            for draw, result in zip(draws, self._generate(draws), strict=True):
                refusal = self._refusal(result)
                if refusal is None:
                    items[draw.position] = Item(*draw, problem=result)
                ...
