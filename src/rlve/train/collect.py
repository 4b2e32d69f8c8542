"""One step's batch: draw problems, sample groups, judge them, keep those with signal.

Dynamic sampling drops groups whose rewards are all the same, and draws on until the batch is full.
Oversampling starts more problems than the batch needs. When it is full, what is unfinished is
cached with its tokens and their log-probabilities, and resumed first in the next step (partial
rollouts). The curriculum is fed with every finished rollout, also those of dropped groups.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from rlve.answers import Marker
from rlve.contract import Problem
from rlve.models.engines import Engine
from rlve.models.rollouts import Group, Rollout, group_from_state, group_state
from rlve.pool import Pool
from rlve.stream import Stream
from rlve.train.advantages import has_signal
from rlve.train.config import RolloutConfig
from rlve.train.rlvr import DatasetStream


@dataclass
class Batch:
    """What a step is trained on, and what was seen on the way."""

    groups: list[Group] = field(default_factory=list[Group])
    finished: list[Group] = field(default_factory=list[Group])
    """All groups that finished in this step, those without signal included."""

    @property
    def effective_prompt_ratio(self) -> float:
        """The share of prompts whose group has non-identical rewards."""
        return self.with_signal / len(self.finished) if self.finished else 0.0

    with_signal: int = 0


class Collector:
    """Collects the batches of a run, one after another."""

    def __init__(
        self,
        stream: Stream | DatasetStream,
        engine: Engine,
        pool: Pool,
        config: RolloutConfig,
        *,
        encode: Callable[[Problem], list[int]],
        decode: Callable[[list[int]], str],
        marker: Marker,
    ) -> None:
        self.stream = stream
        self.engine = engine
        self.pool = pool
        self.config = config
        self.encode = encode
        self.decode = decode
        self.marker: Marker = marker
        self.cache: list[Group] = []
        """Started but not trained on: partial rollouts, and finished groups beyond the batch."""

    def collect(self, step: int, progress: Callable[[int, int], None] | None = None) -> Batch:
        """The batch of a step; `progress` is told of groups kept and finished."""
        batch = Batch(groups=[group for group in self.cache if group.finished])
        flying = [group for group in self.cache if not group.finished]
        self.engine.submit([r for group in flying for r in group.rollouts if r.ending is None])
        if len(batch.groups) < self.config.problems:
            flying += self._draw(step, self.config.oversample - len(flying))
        more = self.config.oversample * (self.config.rounds - 1)  # problems that may be drawn yet
        while flying and len(batch.groups) < self.config.problems:
            self._judge(self.engine.collect(), flying)
            self._sort(batch, flying)
            if progress is not None:
                progress(len(batch.groups), len(batch.finished))
            # Draw on as soon as those in the air cannot fill the batch, and not only when all are
            # down: the longest output takes many times as long as the others.
            if more and len(batch.groups) + len(flying) < self.config.problems:
                drawn = self._draw(step, min(more, self.config.oversample - len(flying)))
                more -= len(drawn)
                flying += drawn
        # The batch may be short: when hardly any group has signal, the curriculum must move first.
        self.engine.stop()
        surplus = batch.groups[self.config.problems :]
        del batch.groups[self.config.problems :]
        if self.config.partial:
            self.cache = surplus + [group for group in flying if group.started]
        return batch

    def _draw(self, step: int, count: int) -> list[Group]:
        groups: list[Group] = []
        for item in self.stream.take(count):
            prompt = self.encode(item.problem)
            rollouts = [Rollout(prompt) for _ in range(self.config.group)]
            groups.append(Group(item, rollouts, step))
        self.engine.submit([rollout for group in groups for rollout in group.rollouts])
        return groups

    def _judge(self, ended: list[Rollout], flying: list[Group]) -> None:
        problem_of = {id(r): group.item for group in flying for r in group.rollouts}
        for rollout in ended:
            rollout.text = self.decode(rollout.tokens)
        pairs = [(problem_of[id(rollout)].problem, rollout.text) for rollout in ended]
        verdicts = self.pool.verify(pairs, marker=self.marker)
        for rollout, verdict in zip(ended, verdicts, strict=True):
            rollout.verdict = verdict
            item = problem_of[id(rollout)]
            self.stream.curriculum.observe(item.name, item.difficulty, verdict.correct)

    def _sort(self, batch: Batch, flying: list[Group]) -> None:
        """Take finished groups out of the air: into the batch if they have signal."""
        for group in [group for group in flying if group.finished]:
            flying.remove(group)
            batch.finished.append(group)
            if has_signal(self.rewards(group)):
                batch.with_signal += 1
                batch.groups.append(group)

    def rewards(self, group: Group) -> list[float]:
        """What the group is trained on: shaped rewards, or correctness."""
        if self.config.signal == "correct":
            return [float(verdict.correct) for verdict in group.verdicts]
        return [verdict.reward for verdict in group.verdicts]

    def state_dict(self) -> dict[str, Any]:
        """The cached groups, as plain JSON."""
        return {"cache": [group_state(group) for group in self.cache]}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on with these cached groups."""
        self.cache = [group_from_state(group) for group in state["cache"]]
