"""An endless, seeded, resumable stream of problems.

    stream = Stream(curriculum, seed=0, pool=pool)
    for item in stream.take(128):       drawn from the curriculum as it stands now
        ...                             item.problem, and what is needed to generate it again
    state = stream.state_dict()         small JSON, including the curriculum's state

Every position has its own random numbers, made from the seed and the position. The problem at a
position therefore depends only on the seed, the position and the curriculum's ranges at the moment
it is taken. It does not depend on how many are taken at once, on the workers, on looking ahead, or
on having been saved and resumed. (The exception is a pool's deadline: a problem that barely meets
it on one machine may miss it on another, and is then replaced.)

While the caller trains, the pool looks ahead: it generates what will come if the curriculum stays
as it is. What is drawn is always decided when it is taken. If that is what was expected, the
problem is ready; if the curriculum has moved, it is generated then.

Some draws give no problem: the prompt is too long, or it cannot be generated in time. Such a draw
is replaced by another at the same position.
"""

import logging
from collections import Counter
from collections.abc import Callable, Iterable
from random import Random
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

import msgspec

from rlve.contract import Problem
from rlve.curricula import Curriculum
from rlve.errors import GenerationError, UserError
from rlve.foundation.limits import AtLeastOne, AtLeastZero, check_limit
from rlve.pool.worker import Failure, Request, attempt, generate
from rlve.registry import environment

if TYPE_CHECKING:
    from rlve.pool import Pending, Pool

TRIES: Final = 100  # draws in a row that may give no problem
TOO_LONG: Final = "too long"

_log = logging.getLogger(__name__)


class Item(msgspec.Struct, frozen=True):
    """A problem of the stream, as environment(name).generate(difficulty=..., seed=...) makes it."""

    position: int
    name: str
    difficulty: int
    seed: int
    problem: Problem


class Stream:
    """An endless stream of problems drawn from a curriculum, for one consumer.

    seed               seeds all random choices
    pool               generates the problems; without one the caller waits for each problem
    max_prompt_length  problems with longer prompts are replaced
    length             measures a prompt: in characters by default, or with a tokenizer
    ahead              how many problems the pool generates in advance (0: none); this rises to the
                       most that are ever taken at once

    A draw that gives no problem, because it cannot be generated or its prompt is too long, is
    counted in `redrawn` and replaced by a new draw of environment and difficulty; the first of each
    kind is a warning. The curriculum's draw() must change nothing: it may be called for problems
    that are never given out.
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
        check_limit("max_prompt_length", max_prompt_length, AtLeastOne)
        check_limit("ahead", ahead, AtLeastZero)
        self.curriculum = curriculum
        self.seed = seed
        self.position = 0  # of the next problem
        self._pool = pool
        self._limit = max_prompt_length
        self._length = length
        self._ahead = ahead
        self._redrawn: Counter[tuple[str, str]] = Counter()
        self._expected: dict[int, _Expected] = {}  # by position
        self._horizon = 0  # the first position of which nothing is expected
        self._moved = False  # whether an expectation was wrong, so that others may be as well

    def take(self, count: int) -> list[Item]:
        """The next problems, drawn from the curriculum as it stands now."""
        check_limit("count", count, AtLeastZero)
        items: list[Item] = []
        redrawn = Counter[tuple[str, str]]()
        begin, end = self.position, self.position + count
        missing, refused = list(range(begin, end)), list[_Refusal]()
        for number in range(TRIES):
            draws = {position: self._draw(position, number) for position in missing}
            refused.clear()
            for (position, draw), made in zip(draws.items(), self._generate(draws), strict=True):
                result = self._accept(position, draw, made)
                if isinstance(result, Item):
                    items.append(result)
                    continue
                key = draw.name, result.kind
                if key not in redrawn and key not in self._redrawn:
                    _log.warning("replaced a draw without a problem (first such case): %s", result)
                redrawn[key] += 1
                refused.append(result)
            if not refused:
                break
            missing = [refusal.position for refusal in refused]
        else:
            raise GenerationError(
                f"{TRIES} draws in a row gave no problem, the last: {refused[-1]}; raise the "
                "prompt limit or the deadline, or lower the difficulties"
            )
        self._ahead = max(self._ahead, count) if self._ahead else 0
        try:
            self.position = end
            self._follow()
        except BaseException:  # an interrupted call leaves everything as it was
            self.position = begin
            raise
        self._redrawn += redrawn
        return sorted(items, key=lambda item: item.position)

    def put_back(self, items: Iterable[Item]) -> None:
        """Forget what was drawn in vain: environments make other problems."""

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Item:
        return self.take(1)[0]

    @property
    def redrawn(self) -> dict[str, dict[str, int]]:
        """How many draws gave no problem, by environment and kind of failure."""
        counts: dict[str, dict[str, int]] = {}
        for (name, kind), count in sorted(self._redrawn.items()):
            counts.setdefault(name, {})[kind] = count
        return counts

    def look_ahead(self) -> None:
        """Have the pool generate what comes next, as the curriculum stands now.

        take() does this too. Calling it as soon as the curriculum has moved gives the pool the time
        until the next take().
        """
        self._expect(self.position)

    def state_dict(self) -> dict[str, Any]:
        """What load_state_dict needs to continue exactly from here: a small plain JSON record."""
        return msgspec.to_builtins(
            _State(
                seed=self.seed,
                position=self.position,
                redrawn=self.redrawn,
                curriculum=self.curriculum.state_dict(),
            )
        )

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continue from a saved state, which includes that of the curriculum."""
        try:
            loaded = msgspec.convert(state, _State)
        except msgspec.ValidationError as error:
            raise UserError(f"not the state of a stream: {error}") from None
        self.curriculum.load_state_dict(loaded.curriculum)
        self.seed = loaded.seed
        self.position = loaded.position
        self._redrawn = Counter(
            {
                (name, kind): count
                for name, kinds in loaded.redrawn.items()
                for kind, count in kinds.items()
            }
        )
        for position in list(self._expected):
            self._drop(position)
        self._horizon = self.position

    def _draw(self, position: int, number: int) -> Request:
        """What is drawn at a position, after so many draws there that gave no problem."""
        rng = Random(f"stream/{self.seed}/{position}/{number}")
        seed = rng.randrange(2**32)  # first, so that it stays the same when other ranges move
        name, difficulty = self.curriculum.draw(rng)
        return Request(environment(name), difficulty, seed)

    def _generate(self, draws: dict[int, Request]) -> list[Problem | Failure]:
        if self._pool is None:
            return [attempt(generate, draw) for draw in draws.values()]
        ready: dict[int, _Expected] = {}
        for position, draw in draws.items():
            expected = self._expected.get(position)
            if expected is not None and expected.draw == draw:
                ready[position] = self._expected.pop(position)
            elif expected is not None:
                self._drop(position)
                self._moved = True
        results = iter(
            self._pool.generate(draw for position, draw in draws.items() if position not in ready)
        )
        return [
            ready[position].result() if position in ready else next(results) for position in draws
        ]

    def _accept(self, position: int, draw: Request, result: Problem | Failure) -> "Item | _Refusal":
        if isinstance(result, Failure):
            return _Refusal(position, draw, result.kind, result.message)
        if self._limit is not None:
            length = self._length(result.prompt())
            if length > self._limit:
                message = f"its prompt has length {length}, more than {self._limit}"
                return _Refusal(position, draw, TOO_LONG, message)
        return Item(position, draw.name, draw.difficulty, draw.seed, result)

    def _follow(self) -> None:
        """Generate ahead for newly reachable positions, or all again after a wrong guess."""
        if self._moved:
            self._expect(self.position)
        elif self._horizon - self.position <= self._ahead // 2:  # not at every single position
            self._expect(max(self.position, self._horizon))

    def _expect(self, start: int) -> None:
        """Have the pool generate what will be drawn from a position on."""
        if self._pool is None or not self._ahead:
            return
        horizon = self.position + self._ahead
        draws = {position: self._draw(position, 0) for position in range(start, horizon)}
        known = {position: expected.draw for position, expected in self._expected.items()}
        new = {position: draw for position, draw in draws.items() if known.get(position) != draw}
        for position in new:
            self._drop(position)
        pending = self._pool.prepare(new.values())
        for number, (position, draw) in enumerate(new.items()):
            self._expected[position] = _Expected(draw, pending, number)
        self._horizon, self._moved = horizon, False

    def _drop(self, position: int) -> None:
        expected = self._expected.pop(position, None)
        if expected is not None:
            expected.pending.discard(expected.number)


class _State(msgspec.Struct, forbid_unknown_fields=True):
    seed: int
    position: AtLeastZero
    redrawn: dict[str, dict[str, AtLeastZero]]
    curriculum: dict[str, Any]


class _Refusal(NamedTuple):
    """Why a draw gave no problem."""

    position: int
    draw: Request
    kind: str
    message: str

    def __str__(self) -> str:
        draw = self.draw
        return (
            f"{draw.name} at difficulty {draw.difficulty} with seed {draw.seed}, {self.kind}: "
            f"{self.message}"
        )


class _Expected(NamedTuple):
    """A problem that is generated in advance, in case it will be drawn."""

    draw: Request
    pending: "Pending[Problem | Failure]"
    number: int  # of the problem in `pending`

    def result(self) -> Problem | Failure:
        return self.pending.take(self.number)
