"""Any environment as a dialogue: several tries at one problem.

    Sorting_3Tries = rlve.tries("Sorting", 3)

After a try, the environment says what could not be read, or that the answer is wrong, and never
what is right. The class has a name of its own, Sorting_3Tries, by which it is found everywhere.
"""

from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import takewhile
from random import Random
from typing import Any, ClassVar, Self

import msgspec

from rlve.contract import AnyEnvironment, Level, Problem
from rlve.dialogue import Dialogue, Player
from rlve.errors import UserError
from rlve.registry import MOST_TRIES, environment, is_dialogue, is_tries
from rlve.rewards import RIGHT

LEVELS = 10  # at which answers are counted: above them, there are hardly fewer
DRAWN = 40  # problems
OFTEN = 1 / 3  # of the problems may be won by always trying the same answers


class Tries(Dialogue[str]):
    """Several tries at one problem of another environment."""

    problem: str  # its parameters, as JSON

    inner: ClassVar[AnyEnvironment]
    tries: ClassVar[int]
    template = ""

    def opening(self) -> str:
        return self._problem().prompt()

    @classmethod
    def level(cls, d: int) -> list[Level]:
        return cls.inner.level(d)

    @classmethod
    def sample(cls, rng: Random, **level: Any) -> Self:
        problem = cls.inner.sample(rng, **level)
        return cls(problem=msgspec.json.encode(problem).decode())

    @property
    def turns(self) -> int:
        return self.tries

    @property
    def passing(self) -> float:
        return RIGHT

    def parse(self, text: str) -> str:
        self._problem().parse(text)  # which says what cannot be read
        return text

    def reply(self, moves: Sequence[str]) -> str | float:
        problem = self._problem()
        right = problem.score(problem.parse(moves[-1])) >= problem.passing
        return RIGHT if right else "This answer is wrong."

    def play(self) -> Player:
        reference = self._problem().reference()
        if reference is None:
            raise UserError(f"{self.inner.__name__} has no reference for this problem")
        yield reference

    def _problem(self) -> Problem:
        return self.inner.from_parameters(msgspec.json.decode(self.problem))


def tries(target: str | AnyEnvironment, k: int) -> type[Tries]:
    """The environment, given by its class or its name, with up to k tries at each problem."""
    cls = environment(target) if isinstance(target, str) else target
    if is_dialogue(cls) or cls.marked:
        raise UserError(
            f"{cls.__name__} takes no tries: its problems are no answers in one message"
        )
    name = f"{cls.__name__}_{k}Tries"
    if not is_tries(name):
        raise UserError(f"the number of tries must be from 1 to {MOST_TRIES}, not {k}")
    ends = (_levels(cls)[0], _levels(cls)[-1]) if k > 1 else ()
    counts = [len(_answers(cls, d)) for d in ends]
    if counts and all(0 < count <= k for count in counts):
        raise UserError(
            f"{cls.__name__} has {max(counts)} answers, so whoever tries all of them wins: the "
            f"number of tries must be below that, not {k}"
        )
    return _make(cls, k, name)


@cache
def _answers(cls: AnyEnvironment, difficulty: int) -> Counter[str]:
    """How often which answer is right, if they are few enough to be tried one by one."""
    try:
        drawn = [cls.generate(difficulty=difficulty, seed=seed) for seed in range(DRAWN)]
    except NotImplementedError:  # the problems come from a data set
        return Counter()
    answers = [problem.reference() for problem in drawn]
    found = Counter(answer for answer in answers if answer is not None)
    return Counter() if None in answers or 4 * len(found) > DRAWN else found


def _levels(cls: AnyEnvironment) -> range:
    return range(LEVELS if cls.max_difficulty is None else min(LEVELS, cls.max_difficulty + 1))


def _guessable(cls: AnyEnvironment, k: int) -> str | None:
    """What is said of one try, and up to which level the k most frequent answers win often."""
    shares = (
        sum(times for _, times in _answers(cls, d).most_common(k)) / DRAWN for d in _levels(cls)
    )
    won = [*takewhile(lambda share: share > OFTEN, shares)] if k > 1 else []
    if not won:
        return cls.guessable
    sure = len([*takewhile(lambda share: share == 1, won)])
    said = [f"all problems up to d = {sure - 1}"] if sure else []
    said += [f"at least {min(won):.0%} up to d = {len(won) - 1}"] if len(won) > sure else []
    note = f"There are so few answers that {k} tries win {' and '.join(said)} unseen."
    return f"{cls.guessable} {note}" if cls.guessable else note


@cache
def _make(cls: AnyEnvironment, k: int, name: str) -> type[Tries]:
    class Named(Tries):
        inner = cls
        tries = k
        max_difficulty = cls.max_difficulty
        guessable = _guessable(cls, k)

    task = (cls.__doc__ or cls.__name__).strip().splitlines()[0].strip()
    Named.__doc__ = f"{task} In up to {k} tries."
    Named.__name__ = Named.__qualname__ = name
    return Named


def __getattr__(name: str) -> type[Tries]:
    """The class of this name, so that other processes can load it by its name, too."""
    if not is_tries(name):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    inner, _, count = name.rpartition("_")
    return tries(inner, int(count.removesuffix("Tries")))
