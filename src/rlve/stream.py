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

Some levels give no problem: their prompts are too long, or they cannot be generated in time. Such
a draw is replaced by another, and a level that has refused nearly all draws is avoided from then
on. Which levels to avoid is decided every ROUND positions, so that this does not depend on how
many are taken at once either. Draws count from the round of a level's first refusal. But if the
machine may be to blame, because a draw missed the deadline or its worker was killed, all that the
level has ever given counts.
"""

import contextlib
import logging
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self, TypeVar

import msgspec

from rlve.contract import Problem
from rlve.curricula import Curriculum
from rlve.errors import GenerationError, UserError
from rlve.foundation.limits import AtLeastOne, AtLeastZero, LevelKey, check_limit
from rlve.pool.worker import Failure, Request, attempt, generate
from rlve.registry import environment

if TYPE_CHECKING:
    from rlve.pool import Pending, Pool

TRIES: Final = 100  # draws in a row that may give no problem
SKIPS: Final = 10_000  # draws in a row that may be avoided
ROUND: Final = 256  # positions between decisions on which levels to avoid
HOPELESS: Final = 8  # refusals that make a level avoided, if there are over 8 for each problem
BUSY: Final = frozenset({"deadline", "crash"})  # failures for which the machine may be to blame
TOO_LONG: Final = "too long"
AVOIDED: Final = "avoided"

T = TypeVar("T")

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
    counted in `redrawn` and replaced by a new draw of environment and difficulty. Levels that give
    hardly any problems are `avoided`. The curriculum's draw() must change nothing: it may be called
    for problems that are never given out.
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
        self._levels: dict[tuple[str, int], _Yield] = {}
        self._given: dict[tuple[str, int], int] = {}  # problems, before the first refusal's round
        self._avoided: set[tuple[str, int]] = set()
        self._expected: dict[int, _Expected] = {}  # by position
        self._horizon = 0  # the first position of which nothing is expected
        self._moved = False  # whether an expectation was wrong, so that others may be as well

    def take(self, count: int) -> list[Item]:
        """The next problems, drawn from the curriculum as it stands now."""
        check_limit("count", count, AtLeastZero)
        items: list[Item] = []
        begin, end = self.position, self.position + count
        levels, given, avoided = dict(self._levels), dict(self._given), set(self._avoided)
        before, redrawn = self._redrawn, Counter[tuple[str, str]]()
        try:
            while self.position < end:
                redrawn.clear()
                items += self._take(min(end, (self.position // ROUND + 1) * ROUND), redrawn)
                self._redrawn = self._redrawn + redrawn
            self._ahead = max(self._ahead, count) if self._ahead else 0
            self._follow()
        except BaseException as error:  # an interrupted call leaves everything as it was
            self.position, self._levels, self._given, self._avoided = begin, levels, given, avoided
            # The round that gave no problem is counted, which says why.
            self._redrawn = before + redrawn if isinstance(error, GenerationError) else before
            raise
        return items

    def _take(self, end: int, redrawn: Counter[tuple[str, str]]) -> list[Item]:
        """The problems up to a position in the current round; counts the draws without one."""
        items: list[Item] = []
        missing = dict.fromkeys(range(self.position, end), 0)  # position -> number of its next draw
        tries = 0
        while missing:
            draws: dict[int, Request] = {}
            for position, start in missing.items():
                draws[position], missing[position], skipped = self._draw(position, start)
                redrawn.update((name, AVOIDED) for name in skipped)
            results = [
                self._accept(position, draw, made)
                for (position, draw), made in zip(draws.items(), self._generate(draws), strict=True)
            ]
            items += [result for result in results if isinstance(result, Item)]
            refused = [result for result in results if isinstance(result, _Refusal)]
            for refusal in refused:
                key = refusal.draw.name, refusal.kind
                if key not in redrawn and key not in self._redrawn:
                    _log.warning("replaced a draw without a problem (first such case): %s", refusal)
                redrawn[key] += 1
                self._refuse(refusal)
            missing = {refusal.position: missing[refusal.position] + 1 for refusal in refused}
            tries += 1
            if refused and tries == TRIES:
                raise GenerationError(
                    f"{TRIES} draws in a row gave no problem, the last: {refused[-1]}"
                )
        for item in items:
            self._note((item.name, item.difficulty), given=1)
        self.position = end
        if end % ROUND == 0:
            self._decide()
        return sorted(items, key=lambda item: item.position)

    def _refuse(self, refusal: "_Refusal") -> None:
        level = refusal.draw.name, refusal.draw.difficulty
        given = self._given.pop(level, 0) if refusal.kind in BUSY else 0
        self._note(level, given=given, refused=1)

    def _note(self, level: tuple[str, int], *, given: int = 0, refused: int = 0) -> None:
        known = self._levels.get(level, _Yield())
        self._levels[level] = _Yield(known.given + given, known.refused + refused)

    def _decide(self) -> None:
        """Avoid levels that give hardly any problems."""
        for key, known in list(self._levels.items()):
            if not known.refused:
                self._given[key] = self._given.get(key, 0) + known.given
                del self._levels[key]
            elif key not in self._avoided and known.hopeless:
                self._avoided.add(key)
                _log.warning("%s at difficulty %d is avoided from now on: %s", *key, known)

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

    @property
    def avoided(self) -> dict[str, list[int]]:
        """The levels that are no longer tried, by environment."""
        levels: dict[str, list[int]] = {}
        for name, level in sorted(self._avoided):
            levels.setdefault(name, []).append(level)
        return levels

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
                levels=_by_name(self._levels),
                avoided=self.avoided,
                given=_by_name(self._given),
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
        self._levels = _by_level(loaded.levels)
        self._given = _by_level(loaded.given)
        self._avoided = {
            (name, level) for name, levels in loaded.avoided.items() for level in levels
        }
        for position in list(self._expected):
            self._drop(position)
        self._horizon = self.position

    def _draw(self, position: int, start: int) -> tuple[Request, int, list[str]]:
        """The first draw from `start` on that is not avoided, its number, and the names skipped."""
        skipped: list[str] = []
        for number in range(start, start + SKIPS):
            rng = Random(f"stream/{self.seed}/{position}/{number}")
            seed = rng.randrange(2**32)  # first, so that it stays the same when other ranges move
            name, difficulty = self.curriculum.draw(rng)
            if (name, difficulty) not in self._avoided:
                return Request(environment(name), difficulty, seed), number, skipped
            skipped.append(name)
        raise GenerationError(
            f"the curriculum draws only levels that gave hardly any problems: {self.avoided}; "
            "raise the prompt limit or the deadline, or lower the difficulties"
        )

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
        draws: dict[int, Request] = {}
        with contextlib.suppress(GenerationError):  # for take() to raise, if it gets there
            for position in range(start, horizon):
                draws[position] = self._draw(position, 0)[0]
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


class _Yield(msgspec.Struct, frozen=True):
    """How many draws of a level gave a problem, and how many refused."""

    given: AtLeastZero = 0
    refused: AtLeastZero = 0

    @property
    def hopeless(self) -> bool:
        return self.refused >= HOPELESS and HOPELESS * self.given < self.refused

    def __str__(self) -> str:
        return f"{self.given} of {self.given + self.refused} draws gave a problem"


class _State(msgspec.Struct, forbid_unknown_fields=True):
    seed: int
    position: AtLeastZero
    redrawn: dict[str, dict[str, AtLeastZero]]
    curriculum: dict[str, Any]
    levels: dict[str, dict[LevelKey, _Yield]] = {}
    avoided: dict[str, list[AtLeastZero]] = {}
    given: dict[str, dict[LevelKey, AtLeastZero]] = {}


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


def _by_name(levels: dict[tuple[str, int], T]) -> dict[str, dict[str, T]]:
    """What is known of levels, as JSON has it."""
    names: dict[str, dict[str, T]] = {}
    for (name, level), known in sorted(levels.items()):
        names.setdefault(name, {})[str(level)] = known
    return names


def _by_level(names: dict[str, dict[str, T]]) -> dict[tuple[str, int], T]:
    """The reverse of _by_name."""
    return {
        (name, int(level)): known
        for name, levels in names.items()
        for level, known in levels.items()
    }
