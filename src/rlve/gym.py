"""The gym as a trainer sees it: problems out, verdicts in, one curriculum between.

    gym = rlve.Gym(["Sorting", "C4"], group=16)
    items = gym.take(128)                   drawn from the curriculum as it stands now
    prompts = [gym.prompt(item) for item in items]
    judged = gym.judge([(item.problem, output), ...])
    rewards, signal = gym.count(item.name, item.difficulty, judged_of_its_group)
                                            every finished group
    metrics = gym.step()                    the end of a training step: h may rise

rlve's own trainer and every adapter use it. If a library judges outputs in processes of its own,
problems travel there as plain JSON (rlve.datasets.transfer), and `count` is called with the
verdicts in the one process that owns the curriculum.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, Final, Literal, NamedTuple, Protocol, Self, TypeAlias, cast, get_args

import msgspec

from rlve.answers import Reading, check_reading
from rlve.collections import resolve
from rlve.contract import Explanation, Problem, Verdict
from rlve.curricula import Change, Curriculum, CurriculumSettings
from rlve.curricula.protocol import check_changes, check_draw
from rlve.datasets.transfer import TravellingRow, travelling_row
from rlve.errors import UserError
from rlve.formats import Format, Prompt, prompt_format
from rlve.foundation.limits import AtLeastTwo, check_limit
from rlve.foundation.metrics import CURRICULUM, read_metric
from rlve.pool import Failure, Pending, Pool
from rlve.registry import DIALOGUE, family
from rlve.rewards import UNPARSEABLE
from rlve.stream import Item, Stream

Signal: TypeAlias = Literal["reward", "correct", "form"]
"""What training uses and dynamic sampling compares: the shaped reward, 0/1 correctness, or, as a
control, only whether there is a readable answer."""

GROUPS: Final = "counted_groups"  # in a state: what was counted since the last step, if anything


@dataclass(frozen=True, kw_only=True)
class GymSettings(CurriculumSettings):
    """The settings of a gym, for libraries that can only pass plain JSON; see Gym."""

    format: str = "chat"
    signal: Signal = "reward"
    workers: int | None = None
    deadline: float = 10.0


class GymMetrics(msgspec.Struct, frozen=True, kw_only=True):
    """What was measured in a training step; None if it could not be measured."""

    prompts: int = 0
    effective_prompt_ratio: float | None = None
    reward: float | None = None
    accuracy: float | None = None
    accuracy_at_high: float | None = None
    ill_formed: float | None = None
    failures: dict[str, dict[str, int]] = {}
    bounds: dict[str, tuple[int, int]] = {}
    accuracy_at_high_of: dict[str, float] = {}
    raised: dict[str, int] = {}
    lowered: dict[str, int] = {}
    drawn: dict[str, dict[int, int]] = {}
    redrawn: dict[str, dict[str, int]] = {}

    def flat(self) -> dict[str, float]:
        """The numbers, under names like rlve/accuracy, for other trainers' loggers."""
        numbers = {
            row.logged: read_metric(CURRICULUM, name, self)
            for name, row in CURRICULUM.items()
            if row.logged
        }
        named = {
            f"rlve/{name}": float(value) for name, value in numbers.items() if value is not None
        }
        return named | {f"rlve/h/{name}": float(high) for name, (_, high) in self.bounds.items()}


class ProblemSource(Protocol):
    """Where a gym's problems come from: a Stream, or the questions of a data set."""

    curriculum: Curriculum

    @property
    def redrawn(self) -> dict[str, dict[str, int]]: ...

    def take(self, count: int) -> list[Item]: ...

    def put_back(self, items: Iterable[Item]) -> None: ...

    def look_ahead(self) -> None: ...

    def state_dict(self) -> dict[str, Any]: ...

    def load_state_dict(self, state: dict[str, Any]) -> None: ...


class Gym:
    """Problems, verdicts and the curriculum, for one owner.

    environments       one or more names of environments or collections (C1, C4, C16, C256, ALL)
    group              rollouts per problem
    format             how problems are put to the model: chat, base, plain, or a Format
    signal             what to train on: the shaped reward, 0/1 correctness, or 0/1 form
    reading            how answers are read: "exact" or "forgiving" (rlve.answers.forgiving)
    curriculum         a name, e.g. "two-way"; settings, e.g. CurriculumSettings(static=(0, 4)); or
                       your own curriculum, which has its environments: name none, or the same
    max_prompt_length  a problem with a longer prompt is replaced; `length` measures prompts
    ahead              how many problems to generate in advance (0: none)
    workers, deadline  for the pool that generates and judges; or pass your own as `pool`
    source             problems from elsewhere, such as a data set; its curriculum is used
    dialogues          take problems that answer back, too: you ask for messages turn by turn
                       (problem.respond), and judge the whole (rlve.dialogue.conversation)
    """

    def __init__(
        self,
        environments: str | Iterable[str] = (),
        *,
        group: int,
        seed: int = 0,
        format: str | Format | Callable[[str], Prompt] = "chat",
        signal: Signal = "reward",
        reading: Reading = "exact",
        curriculum: str | CurriculumSettings | Curriculum = "adaptive",
        max_prompt_length: int | None = None,
        length: Callable[[str], int] = len,
        ahead: int = 256,
        workers: int | None = None,
        deadline: float = 10.0,
        pool: Pool | None = None,
        source: ProblemSource | None = None,
        dialogues: bool = False,
    ) -> None:
        check_limit("group", group, AtLeastTwo)
        if signal not in get_args(Signal):
            raise UserError(f"the signal must be {', '.join(get_args(Signal))}, not {signal!r}")
        check_reading(reading)
        self.group = group
        self.format = prompt_format(format)
        self.signal: Signal = signal
        self.reading: Reading = reading
        names = resolve([environments] if isinstance(environments, str) else environments)
        if source is not None:
            curriculum = source.curriculum
        if isinstance(curriculum, str):
            curriculum = CurriculumSettings(curriculum=curriculum)
        if isinstance(curriculum, CurriculumSettings):
            curriculum = curriculum.build(names, group=group)
        else:
            if names:
                _check_same(names, curriculum.names)
            if source is None:
                check_draw(curriculum)
        if not dialogues:
            check_no_dialogue(curriculum.names)
        self._owns_pool = pool is None
        self.pool = Pool(workers, deadline=deadline) if pool is None else pool
        self.stream: ProblemSource = source or Stream(
            curriculum,
            seed=seed,
            pool=self.pool,
            max_prompt_length=max_prompt_length,
            length=length,
            ahead=ahead,
        )
        self.curriculum = self.stream.curriculum
        self.changes: list[Change] = []  # what moved at the end of the last step
        self._groups: list[_Group] = []  # counted since the last step

    @property
    def bounds(self) -> dict[str, tuple[int, int]]:
        """The range (l, h) of each environment."""
        return {name: self.curriculum.bounds(name) for name in self.curriculum.names}

    def take(self, count: int) -> list[Item]:
        """The next problems."""
        return self.stream.take(count)

    def prompt(self, item: Item) -> Prompt:
        """The problem as the model is given it."""
        return self.format.render(item.problem)

    def row(self, item: Item) -> TravellingRow:
        """The problem as plain JSON, for another process to judge."""
        return travelling_row(item, self.format.marker, self.reading)

    def judge(self, outputs: Iterable[tuple[Problem, str]]) -> list[Verdict | Failure]:
        """The verdict on each (problem, output), in order."""
        pairs = _pairs(outputs)
        return self.pool.judge(pairs, marker=self.format.marker, reading=self.reading)

    def explain(self, outputs: Iterable[tuple[Problem, str]]) -> list[Explanation | Failure]:
        """Like judge(), with what was read in each output and why it gets its verdict."""
        pairs = _pairs(outputs)
        return self.pool.explain(pairs, marker=self.format.marker, reading=self.reading)

    def start_judging(self, outputs: Iterable[tuple[Problem, str]]) -> Pending[Verdict | Failure]:
        """Like judge(), without waiting: take the verdicts later, by index."""
        pairs = _pairs(outputs)
        return self.pool.start_judging(pairs, marker=self.format.marker, reading=self.reading)

    def count(
        self, name: str, difficulty: int, judged: Sequence[Verdict | Failure]
    ) -> "GroupRewards":
        """Count the verdicts on a finished group; return what it is worth in training.

        A group whose rewards are all the same has no signal but still counts: solved groups are
        what moves the curriculum on. A rollout that could not be judged says nothing about the
        policy, so it counts as a failure and the curriculum ignores it.
        """
        worth = group_rewards(judged, self.signal)
        pairs = zip(worth.rewards, judged, strict=True)
        known = [reward for reward, result in pairs if isinstance(result, Verdict)]
        self.count_group(name, difficulty, judged, known, signal=worth.signal)
        return worth

    def count_group(
        self,
        name: str,
        difficulty: int,
        judged: Sequence[Verdict | Failure],
        rewards: Sequence[float],
        *,
        signal: bool,
    ) -> None:
        """Like count(), for a caller that already knows what the verdicts are rewarded with."""
        for result in judged:
            if not isinstance(cast(object, result), Verdict | Failure):
                raise TypeError(
                    f"count() takes what judge() returns, verdicts and failures, not {result!r:.60}"
                )
        verdicts = [result for result in judged if isinstance(result, Verdict)]
        correct = [verdict.correct for verdict in verdicts]
        self.curriculum.observe_group(name, difficulty, correct, rewards)
        self._groups.append(
            _Group(
                name=name,
                difficulty=difficulty,
                rewards=[verdict.reward for verdict in verdicts],
                correct=sum(correct),
                ill_formed=sum(not verdict.well_formed for verdict in verdicts),
                failures=[result.kind for result in judged if isinstance(result, Failure)],
                signal=signal,
                at_high=difficulty == self.curriculum.bounds(name)[1],
            )
        )

    def step(self) -> GymMetrics:
        """End a training step: move the curriculum, and return what was measured."""
        groups, self._groups = self._groups, []
        before = self.bounds
        self.changes = self.curriculum.step()
        check_changes(before, self.bounds, self.changes)
        self.stream.look_ahead()
        return GymMetrics(
            **_measure(groups),
            bounds=self.bounds,
            raised={new.name: new.high for new in self.changes if new.high > before[new.name][1]},
            lowered={new.name: new.high for new in self.changes if new.high < before[new.name][1]},
            redrawn=self.stream.redrawn,
        )

    def state_dict(self) -> dict[str, Any]:
        """What load_state_dict needs to continue exactly from here: a small plain JSON record."""
        state = self.stream.state_dict()
        return state | {GROUPS: msgspec.to_builtins(self._groups)} if self._groups else state

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continue from a saved state."""
        try:
            parts = msgspec.convert(state, dict[str, Any])
            groups = msgspec.convert(parts.pop(GROUPS, []), list[_Group])
        except msgspec.ValidationError as error:
            raise UserError(f"not the state of a gym: {error}") from None
        self.stream.load_state_dict(parts)
        self._groups = groups

    def close(self) -> None:
        """Stop the workers, unless the pool was passed in."""
        if self._owns_pool:
            self.pool.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class _Group(msgspec.Struct, frozen=True):
    """What the metrics need of a finished group."""

    name: str
    difficulty: int
    rewards: list[float]  # the shaped rewards of the rollouts that could be judged
    correct: int
    ill_formed: int
    failures: list[str]  # the kinds
    signal: bool
    at_high: bool


def _measure(groups: Sequence[_Group]) -> dict[str, Any]:
    drawn: dict[str, Counter[int]] = {}
    failures: dict[str, Counter[str]] = {}
    at_high: dict[str, list[_Group]] = {}
    for group in groups:
        drawn.setdefault(group.name, Counter())[group.difficulty] += 1
        if group.failures:
            failures.setdefault(group.name, Counter()).update(group.failures)
        if group.at_high and group.rewards:
            at_high.setdefault(group.name, []).append(group)
    rewards = [reward for group in groups for reward in group.rewards]
    return {
        "prompts": len(groups),
        "drawn": {name: dict(sorted(levels.items())) for name, levels in drawn.items()},
        "effective_prompt_ratio": mean(group.signal for group in groups),
        "reward": mean(rewards),
        "accuracy": _accuracy(groups),
        "accuracy_at_high": _accuracy([group for own in at_high.values() for group in own]),
        "ill_formed": sum(group.ill_formed for group in groups) / len(rewards) if rewards else None,
        "accuracy_at_high_of": {name: _accuracy(own) for name, own in sorted(at_high.items())},
        "failures": {name: dict(kinds) for name, kinds in sorted(failures.items())},
    }


def _accuracy(groups: Sequence[_Group]) -> float | None:
    rollouts = sum(len(group.rewards) for group in groups)
    return sum(group.correct for group in groups) / rollouts if rollouts else None


def check_no_dialogue(names: Iterable[str]) -> None:
    """Refuse problems that answer back where a rollout is a single message."""
    for name in names:
        if family(name) == DIALOGUE:
            raise UserError(
                f"{name} is a dialogue, and only problems that are answered in one message can be "
                "taken here; `rlve train`, `rlve eval` and `rlve studio` take dialogues"
            )


def _check_same(named: Iterable[str], drawn: Iterable[str]) -> None:
    """Refuse names that are not those of a curriculum that is ready."""
    missing, extra = sorted({*named} - {*drawn}), sorted({*drawn} - {*named})
    if missing or extra:
        raise UserError(
            "the curriculum has other environments than those named: "
            f"missing {missing or 'none'}, unexpected {extra or 'none'}; name the same, or none"
        )


def mean(values: Iterable[float]) -> float | None:
    """The mean, or None if there are no values."""
    listed = [float(value) for value in values]
    return fmean(listed) if listed else None


class GroupRewards(NamedTuple):
    """What a group is worth in training."""

    rewards: list[float]
    """Of each rollout; one that could not be judged gets the mean of the others."""
    signal: bool
    """Whether the rewards differ."""


def group_rewards(judged: Sequence[Verdict | Failure], signal: Signal) -> GroupRewards:
    """The rewards of a group, for libraries that need one for every rollout.

    A judging failure is not a wrong answer: it says nothing about the policy, and nothing must be
    learnt from it. With the mean reward, a rollout is neither better nor worse than its group, so
    its advantage is zero. If nothing could be judged, all get the lowest reward.
    """
    known = [reward(result, signal) for result in judged if isinstance(result, Verdict)]
    # The bounds keep rounding from making equal rewards differ.
    mean = min(max(fmean(known), min(known)), max(known)) if known else lowest(signal)
    given = iter(known)
    rewards = [next(given) if isinstance(result, Verdict) else mean for result in judged]
    return GroupRewards(rewards, has_signal(known))


def lowest(signal: Signal) -> float:
    """The reward to give while the rewards of the rest of the group are not yet known."""
    return UNPARSEABLE if signal == "reward" else 0.0


def has_signal(rewards: Sequence[float]) -> bool:
    """Whether a group can teach anything: identical rewards leave nothing to prefer."""
    return any(reward != rewards[0] for reward in rewards)


def reward(verdict: Verdict, signal: Signal) -> float:
    """What a verdict is worth in training."""
    match signal:
        case "reward":
            return verdict.reward
        case "correct":
            return float(verdict.correct)
        case "form":
            return float(verdict.well_formed)


def _pairs(outputs: Iterable[tuple[Problem, str]]) -> Iterator[tuple[Problem, str]]:
    for pair in outputs:
        given: Any = pair
        if type(given) not in (tuple, list) or len(given) != 2 or not isinstance(given[1], str):
            raise TypeError(f"outputs are pairs (problem, text), not {given!r:.60}")
        yield pair
