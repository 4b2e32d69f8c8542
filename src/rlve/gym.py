"""The gym as a trainer sees it: problems out, verdicts in, one curriculum between.

    gym = Gym(["Sorting", "C4"], group=16)
    items = gym.take(128)                   drawn from the curriculum as it stands now
    prompts = [gym.prompt(item) for item in items]
    verdicts = gym.verify([(item.problem, output), ...])
    gym.count(item.name, item.difficulty, verdicts_of_its_group)     every finished group
    metrics = gym.step()                    the end of a training step: h may rise

Where a library judges outputs in processes of its own, a problem travels as a `Row` (plain JSON,
the columns of `rlve dataset`), `judge` gives its verdicts there, and `count` is called with them
in the one process that owns the curriculum.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any, Literal, Self, TypeAlias

import msgspec

from rlve.answers import Marker
from rlve.collections import resolve
from rlve.contract import Problem, Verdict
from rlve.curricula import AdaptiveCurriculum, Curriculum, StaticCurriculum
from rlve.errors import UserError
from rlve.formats import Format, Prompt, prompt_format
from rlve.pool import Pool
from rlve.registry import environment
from rlve.stream import Item, Stream
from rlve.targets import load, target_of

Signal: TypeAlias = Literal["reward", "correct"]
"""What is trained on, and what dynamic sampling compares: the shaped reward, or 0/1."""


class Row(msgspec.Struct, frozen=True):
    """A problem on its way through another library, as plain JSON."""

    environment: str
    difficulty: int
    seed: int
    marker: Marker
    parameters: str  # JSON, because every environment has its own
    source: str | None = None  # where another process finds one that is not of RLVE-Gym

    def as_dict(self) -> dict[str, Any]:
        return msgspec.to_builtins(self)


class GymSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings of a gym as plain JSON, where a library can only carry such; see Gym."""

    format: str = "chat"
    signal: Signal = "reward"
    static: tuple[int, int] | None = None
    tau_acc: float = 0.9
    tau_num: int | None = None
    window: int = 4
    workers: int | None = None
    deadline: float = 10.0


class Gym:
    """Problems, verdicts and the curriculum, for one owner.

    environments       a name, or names, of environments and collections (C1, C4, C16, C256, ALL)
    group              rollouts per problem
    format             how problems are put to the model: chat, base, plain, or a Format
    signal             what is trained on: the shaped reward, or 0/1
    static             a fixed range of difficulties, instead of adapting them
    tau_acc, tau_num, window     of Algorithm 1; tau_num is 8 x group unless given
    max_prompt_length  a problem with a longer prompt is drawn again; `length` measures it
    ahead              how many problems are generated in advance (0: none)
    workers, deadline  of the pool that generates and verifies; `pool` is one's own instead
    """

    def __init__(
        self,
        environments: str | Iterable[str],
        *,
        group: int,
        seed: int = 0,
        format: str | Format | Callable[[str], Prompt] = "chat",  # noqa: A002
        signal: Signal = "reward",
        static: tuple[int, int] | None = None,
        tau_acc: float = 0.9,
        tau_num: int | None = None,
        window: int = 4,
        max_prompt_length: int | None = None,
        length: Callable[[str], int] = len,
        ahead: int = 256,
        workers: int | None = None,
        deadline: float = 10.0,
        pool: Pool | None = None,
    ) -> None:
        if group < 2:
            raise UserError(f"a group has at least 2 rollouts, not {group}")
        if signal not in ("reward", "correct"):
            raise UserError(f"the signal is 'reward' or 'correct', not {signal!r}")
        names = resolve([environments] if isinstance(environments, str) else environments)
        self.group = group
        self.format = prompt_format(format)
        self.signal: Signal = signal
        self.curriculum: Curriculum = (
            StaticCurriculum(names, *static)
            if static is not None
            else AdaptiveCurriculum(
                names,
                tau_acc=tau_acc,
                tau_num=8 * group if tau_num is None else tau_num,
                window=window,
            )
        )
        self._owns_pool = pool is None
        self.pool = Pool(workers, deadline=deadline) if pool is None else pool
        self.stream = Stream(
            self.curriculum,
            seed=seed,
            pool=self.pool,
            max_prompt_length=max_prompt_length,
            length=length,
            ahead=ahead,
        )
        self._tally = _Tally()

    def take(self, count: int) -> list[Item]:
        """The next problems."""
        return self.stream.take(count)

    def prompt(self, item: Item) -> Prompt:
        """The problem as the model is given it."""
        return self.format.render(item.problem)

    def row(self, item: Item) -> Row:
        """The problem as plain JSON, for `judge` in another process."""
        return to_row(item, self.format.marker)

    def verify(self, outputs: Iterable[tuple[Problem, str]]) -> list[Verdict]:
        """The verdict on each (problem, output), in order."""
        return self.pool.verify(outputs, marker=self.format.marker)

    def reward(self, verdict: Verdict) -> float:
        """What a verdict is worth in training."""
        return reward(verdict, self.signal)

    def count(self, name: str, difficulty: int, verdicts: Sequence[Verdict]) -> bool:
        """Feed the verdicts of a finished group; says whether its rewards differ.

        A group without such signal is counted all the same: it is what moves the curriculum on.
        """
        for verdict in verdicts:
            self.curriculum.observe(name, difficulty, verdict.correct)
        signal = len({self.reward(verdict) for verdict in verdicts}) > 1
        self._tally.add(verdicts, signal, at_high=difficulty == self.curriculum.bounds(name)[1])
        return signal

    def step(self) -> dict[str, float]:
        """Close a training step: move the curriculum, and say how it stands."""
        metrics = self._tally.metrics()
        self._tally = _Tally()
        self.curriculum.step()
        self.stream.look_ahead()
        return metrics | self.levels()

    def levels(self) -> dict[str, float]:
        """The highest level h of every environment, and their mean."""
        high = {name: self.curriculum.bounds(name)[1] for name in self.curriculum.names}
        mean = sum(high.values()) / len(high)
        return {"rlve/h": mean} | {f"rlve/h/{name}": float(h) for name, h in high.items()}

    def state_dict(self) -> dict[str, Any]:
        """What load_state_dict needs to go on exactly from here, as small plain JSON."""
        return self.stream.state_dict()

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from a state."""
        self.stream.load_state_dict(state)
        self._tally = _Tally()

    def close(self) -> None:
        """Kill the workers, unless the pool was given."""
        if self._owns_pool:
            self.pool.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class _Tally:
    """What was seen since the last step."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._reward = 0.0

    def add(self, verdicts: Sequence[Verdict], signal: bool, *, at_high: bool) -> None:
        correct = sum(verdict.correct for verdict in verdicts)
        self._reward += sum(verdict.reward for verdict in verdicts)
        self._counts += Counter(
            groups=1,
            effective=int(signal),
            rollouts=len(verdicts),
            correct=correct,
            ill_formed=sum(not verdict.well_formed for verdict in verdicts),
            at_high=len(verdicts) * at_high,
            correct_at_high=correct * at_high,
        )

    def metrics(self) -> dict[str, float]:
        seen, found = self._counts, dict[str, float]()
        found["rlve/groups"] = float(seen["groups"])
        if seen["groups"]:
            found["rlve/effective_prompt_ratio"] = seen["effective"] / seen["groups"]
        if seen["rollouts"]:
            found["rlve/reward"] = self._reward / seen["rollouts"]
            found["rlve/accuracy"] = seen["correct"] / seen["rollouts"]
            found["rlve/ill_formed"] = seen["ill_formed"] / seen["rollouts"]
        if seen["at_high"]:
            found["rlve/accuracy_at_h"] = seen["correct_at_high"] / seen["at_high"]
        return found


def reward(verdict: Verdict, signal: Signal) -> float:
    """What a verdict is worth in training."""
    return float(verdict.correct) if signal == "correct" else verdict.reward


def to_row(item: Item, marker: Marker) -> Row:
    """A problem as plain JSON, whose answer is marked so."""
    source = target_of(type(item.problem))
    return Row(
        environment=item.name,
        difficulty=item.difficulty,
        seed=item.seed,
        marker=marker,
        parameters=json.dumps(item.problem.parameters()),
        source=None if source == item.name else source,
    )


def judge(row: Row, output: str) -> Verdict:
    """The verdict on an output, in whichever process this is called.

    The output is judged in a worker of its own, as everywhere, so that a hostile one can neither
    hang nor crash the process that asks.
    """
    cls = environment(row.environment) if row.source is None else load(row.source)
    problem = cls.from_parameters(json.loads(row.parameters))
    return _pool().verify([(problem, output)], marker=row.marker)[0]


@cache
def _pool() -> Pool:
    return Pool(workers=1)
