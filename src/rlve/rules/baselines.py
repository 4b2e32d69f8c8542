"""What guessing earns at a level: the mean reward of the best strategy that solves nothing.

It is stored for the environments of RLVE-Gym, and measured, in the workers of a pool, for others.
Between the difficulties of LEVELS it is taken to change in proportion, and beyond them to stay.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from importlib.resources import files
from itertools import pairwise

import msgspec

from rlve.contract import AnyEnvironment, Problem, Verdict
from rlve.errors import UserError
from rlve.pool import Failure, Pool
from rlve.pool.worker import begin_step
from rlve.registry import environment
from rlve.rules.guesses import is_the_task
from rlve.rules.strategies import LEVELS, PROBLEMS, Earnings, Question, earnings
from rlve.rules.subject import marked


class Baselines:
    """What guessing earns, by environment and difficulty.

    With a pool, it is measured for the environments named that are not stored.
    """

    def __init__(self, names: Iterable[str] = (), pool: Pool | None = None) -> None:
        self._rewards: dict[str, Sequence[float]] = {**stored()}
        if pool is not None:
            self._rewards |= _measure_own(
                [name for name in names if name not in self._rewards], pool
            )

    def at(self, name: str, difficulty: int) -> float | None:
        """The mean reward; None if it was neither stored nor measured, or there is no guess."""
        known = self._rewards.get(name)
        if not known:
            return None
        for (low, first), (high, last) in pairwise(zip(LEVELS, known, strict=False)):
            if difficulty < high:
                return first + (last - first) * (difficulty - low) / (high - low)
        return known[-1]


@cache
def stored() -> dict[str, list[float]]:
    """For each environment of RLVE-Gym, what guessing earns at those of LEVELS that it has."""
    text = files("rlve.rules").joinpath("baselines.json").read_bytes()
    return msgspec.json.decode(text, type=dict[str, list[float]])


def levels(cls: AnyEnvironment) -> list[int]:
    """The difficulties at which it is measured."""
    highest = cls.max_difficulty
    return [difficulty for difficulty in LEVELS if highest is None or difficulty <= highest]


def measure(
    cls: AnyEnvironment, difficulty: int, watch: Callable[[str], None] | None = None
) -> Earnings:
    """What the best strategies earn at a level; `watch` is told of each problem."""

    def question(seed: int) -> Question:
        if watch is not None:
            watch(f"problem {seed} of difficulty {difficulty}")
        return as_question(cls.generate(difficulty=difficulty, seed=seed))

    return earnings([question(seed) for seed in range(PROBLEMS)])


def rewards(found: Sequence[Earnings]) -> list[float]:
    """What guessing earns at each level; none if a strategy is the task itself, as in Sorting."""
    return [] if is_the_task(found) else [best.reward for best in found]


def as_question(problem: Problem) -> Question:
    """A problem, as far as a strategy and its judge know it."""

    def judge(text: str) -> Verdict:
        return problem.verify(marked(text))

    return Question(problem.prompt(), problem.reference(), judge)


def _measure_own(names: Sequence[str], pool: Pool) -> dict[str, list[float]]:
    found: dict[str, list[Earnings]] = {name: [] for name in names}
    wanted = [(name, difficulty) for name in names for difficulty in levels(environment(name))]
    levels_of = [(environment(name), difficulty) for name, difficulty in wanted]
    for (name, difficulty), best in zip(wanted, pool.call_iter(measure_at, levels_of), strict=True):
        if isinstance(best, Failure):
            raise UserError(
                f"cannot measure what guessing earns in {name} at difficulty {difficulty}: "
                f"{best.message}; rlve check {name} may find the fault"
            )
        found[name].append(best)
    return {name: rewards(levels) for name, levels in found.items()}


def measure_at(level: tuple[AnyEnvironment, int]) -> Earnings:
    """What the best strategies earn at a level of an environment; runs in a worker."""
    return measure(*level, watch=begin_step)
