"""One step's batch: draw problems, sample groups, judge them, keep those with signal.

Dynamic sampling drops groups whose rewards are all the same, and keeps drawing until the batch is
full. Oversampling starts more problems than the batch needs. When the batch is full, unfinished
groups are cached with their tokens and log-probabilities, and resumed first in the next step
(partial rollouts). Problems that have not been started by then are not cached: environments draw
others, at the difficulties of the next step, and a fixed set gets them back. The gym counts every
group when it has finished, even one that is dropped. If rollouts were counted one by one, short
outputs would come first, and if wrong ones are longer the difficulty would rise too early.

Sampling, judging and generating overlap. While the engine samples one round, the pool judges the
outputs that ended in the round before; it waits for their verdicts only if they decide whether to
sample more. Nothing depends on which verdicts arrive first, so a run can be repeated exactly,
however fast the workers are. A verdict that takes longer than PATIENCE no longer holds anything up;
it counts when it arrives.

A problem that answers back replies to an output instead of judging it, unless that was the last.
The reply comes in the same way as a verdict, and the rollout is sampled on after it.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Final, TypeAlias

from rlve.contract import Problem, Verdict
from rlve.dialogue import Dialogue, Reply, messages_of, respond
from rlve.gym import Gym
from rlve.models.engines import Engine
from rlve.models.rollouts import check_numbers
from rlve.pool import Failure, Pending
from rlve.train.advantages import Normalisation
from rlve.train.config import RolloutConfig
from rlve.train.groups import (
    Group,
    RewardRule,
    TrainingRollout,
    group_from_state,
    group_state,
)

PATIENCE: Final = 2.0  # seconds to wait for the next verdict on the previous round

_UnderWay: TypeAlias = tuple[
    Pending[Verdict | Failure] | Pending[Reply | Failure], dict[int, TrainingRollout]
]
"""What is awaited, and whose it is, by index."""


@dataclass
class Batch:
    """The groups to train on in a step, and all that finished on the way."""

    groups: list[Group] = field(default_factory=list[Group])
    finished: list[Group] = field(default_factory=list[Group])
    """All groups that finished in this step, including those without signal."""


@dataclass(eq=False)
class Collector:
    """Collects the batches of a run, one after another."""

    gym: Gym
    engine: Engine
    config: RolloutConfig
    _: KW_ONLY
    encode: Callable[[Problem], list[int]]
    decode: Callable[[list[int]], str]
    reply: Callable[[list[int], str], list[int]] | None = None
    """The tokens after a message: a reply to it, up to where the next begins."""
    normalisation: str | Normalisation = "deviation"
    """What advantages are divided by."""
    cache: list[Group] = field(default_factory=list[Group])
    """Started but not trained on: partial rollouts, and finished groups beyond the batch."""

    def __post_init__(self) -> None:
        self._rule = RewardRule(self.config, self.normalisation)
        self._judging = _Judging(self.gym, self.decode, self.reply, self.config.max_tokens)

    def collect(self, step: int, progress: Callable[[int, int], None] | None = None) -> Batch:
        """Collect the batch of a step; `progress` is called with the groups kept and finished."""
        batch = Batch()
        flying: list[Group] = []
        for group in self.cache:
            for rollout in group.rollouts:
                rollout.stale = len(rollout.tokens)
            (batch.groups if group.finished else flying).append(group)
        judging = self._judging
        judging.start(flying)
        self.engine.submit([r for group in flying for r in group.rollouts if r.ending is None])
        flying += self._draw(step, max(0, self._lacking(batch) - len(flying)))
        more = self.config.oversample * (self.config.rounds - 1)  # problems that may still be drawn
        while flying and len(batch.groups) < self.config.problems:
            ended = self.engine.collect()
            check_numbers(ended)
            self.engine.submit(judging.settle(late=not ended))
            judging.start(flying)
            self._sort(batch, flying)
            sampling = sum(group.sampling for group in flying)
            wanted = self.config.problems - len(batch.groups)
            if len(flying) - sampling >= wanted or (more and sampling < wanted):
                # The batch may be full, or there may be too few groups in flight to fill it. To
                # keep sampling without knowing could take long: until the next output ends.
                self.engine.submit(judging.settle())
                self._sort(batch, flying)
                sampling = sum(group.sampling for group in flying)  # after replies, too
            if progress is not None:
                progress(len(batch.groups), len(batch.finished))
            # Draw more as soon as the groups in flight cannot fill the batch, not only when all
            # have landed: the longest output takes many times as long as the others.
            if more and len(batch.groups) + sampling < self.config.problems:
                room = self.config.oversample - len(flying)
                drawn = self._draw(step, min(more, room, self._lacking(batch) - sampling))
                more -= len(drawn)
                flying += drawn
        # The batch may be short: if very few groups have signal, the curriculum must move first.
        self.engine.stop()
        judging.settle()
        self._sort(batch, flying)
        surplus = batch.groups[self.config.problems :]
        del batch.groups[self.config.problems :]
        if self.config.partial:
            self.cache = surplus + [group for group in flying if group.started]
            self._give_back(group for group in flying if not group.started)
        else:
            judging.give_up()
            self._give_back(surplus + flying)
        return batch

    def _give_back(self, groups: Iterable[Group]) -> None:
        """Put back the problems that were drawn in vain: not started, or not kept."""
        self.gym.stream.put_back(group.item for group in groups)

    def _lacking(self, batch: Batch) -> int:
        """The groups to have in flight: `oversample` for an empty batch, and in proportion.

        More would end in the cache, and be trained on a step later than they were sampled.
        """
        lacking = max(0, self.config.problems - len(batch.groups))
        return -(-self.config.oversample * lacking // self.config.problems)

    def _draw(self, step: int, count: int) -> list[Group]:
        groups: list[Group] = []
        for item in self.gym.take(count):
            prompt = self.encode(item.problem)
            rollouts = [TrainingRollout(prompt) for _ in range(self.config.group)]
            groups.append(Group(item, rollouts, step, self._rule))
        self.engine.submit([rollout for group in groups for rollout in group.rollouts])
        return groups

    def _sort(self, batch: Batch, flying: list[Group]) -> None:
        """Move finished groups out of `flying`, and into the batch if they have signal."""
        for group in [group for group in flying if group.finished]:
            flying.remove(group)
            batch.finished.append(group)
            item, outcome = group.item, group.outcome
            self.gym.count_group(
                item.name, item.difficulty, group.judged, outcome.rewards, signal=outcome.signal
            )
            if outcome.signal:
                batch.groups.append(group)

    def state_dict(self) -> dict[str, Any]:
        """The cached groups, as plain JSON."""
        return {"cache": [group_state(group) for group in self.cache]}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self._judging.give_up()
        self.cache = [group_from_state(group, self.decode, self._rule) for group in state["cache"]]


@dataclass(eq=False)
class _Judging:
    """Outputs that the pool is judging or replying to."""

    gym: Gym
    decode: Callable[[list[int]], str]
    reply: Callable[[list[int], str], list[int]] | None
    max_tokens: int
    under_way: list[_UnderWay] = field(default_factory=list[_UnderWay])
    late: int = 0  # how many of them, from the first, have already been waited for

    def start(self, groups: Sequence[Group]) -> None:
        """Have outputs that have ended judged, unless that is under way; returns at once."""
        known = {id(rollout) for _, left in self.under_way for rollout in left.values()}
        judged: list[tuple[Problem, TrainingRollout]] = []
        heard: list[tuple[Problem, TrainingRollout]] = []
        for group in groups:
            problem = group.item.problem
            for rollout in group.rollouts:
                if rollout.ending is None or rollout.judged is not None or id(rollout) in known:
                    continue
                rollout.text = group.text(rollout, self.decode)
                talks = isinstance(problem, Dialogue) and rollout.ending == "stop"
                (heard if talks else judged).append((problem, rollout))
        if judged:
            verdicts = self.gym.start_judging([(problem, r.text) for problem, r in judged])
            self.under_way.append((verdicts, {i: r for i, (_, r) in enumerate(judged)}))
        if heard:
            messages = [(problem, messages_of(r.text)) for problem, r in heard]
            replies = self.gym.pool.start_calls(respond, messages)
            self.under_way.append((replies, {i: r for i, (_, r) in enumerate(heard)}))

    def settle(self, *, late: bool = False) -> list[TrainingRollout]:
        """Wait for verdicts and replies as long as they keep coming; return what is to be sampled.

        Those that it has already waited for in vain, it waits for again only if `late` is true.
        """
        going: list[TrainingRollout] = []
        for position, (pending, left) in enumerate(self.under_way):
            patience = 0.0 if position < self.late and not late else PATIENCE
            came: dict[int, Verdict | Reply | Failure] = {}
            while pending.wait(patience):
                came |= dict(pending.finished())
            for index in sorted(came.keys() & left.keys()):  # in whatever order they came
                going += self._take(left.pop(index), came[index])
        self.under_way = [(pending, left) for pending, left in self.under_way if left]
        self.late = len(self.under_way)
        return going

    def _take(
        self, rollout: TrainingRollout, found: Verdict | Reply | Failure
    ) -> list[TrainingRollout]:
        """Store a verdict, or continue after a reply; returns the rollout if it is to go on."""
        if isinstance(found, Reply):
            rollout.wasted += not found.readable
            if found.verdict is None:
                if self.reply is None:
                    raise TypeError("a problem that answers back needs the tokens of its replies")
                rollout.hear(self.reply(rollout.tokens, found.text), self.max_tokens)
                return [rollout] if rollout.ending is None else []
            found = found.verdict
        rollout.judged = found
        return []

    def give_up(self) -> None:
        """Cancel what is still under way."""
        for pending, _ in self.under_way:
            pending.cancel()
        self.under_way = []
        self.late = 0
