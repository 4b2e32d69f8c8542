"""The rollout function: one generation batch, and the curriculum's step after it.

All it uses of TRL is a few attributes of the trainer. Every rank runs it at the same time:

    rank 0     draws the problems and sends them to all ranks
    each rank  samples and judges its share
    all ranks  receive all verdicts, count all of them, including those of dropped groups,
               and step; then they compare their states

A rollout that could not be judged stays in the batch, because TRL fixes the batch size, but is
left out of the loss; its reward is the mean of its group.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from rlve.contract import Verdict
from rlve.errors import UserError
from rlve.foundation.files import find_differences
from rlve.gym import Gym
from rlve.pool import Failure
from rlve.stream import Item


class Sampled(NamedTuple):
    """One rollout as tokens, with the log-probabilities they were sampled with, if known."""

    prompt: list[int]
    output: list[int]
    logprobs: list[float] | None


class Group(NamedTuple):
    """A problem and the verdicts on its rollouts."""

    item: Item
    judged: list[Verdict | Failure]
    rewards: list[float]
    signal: bool
    row: int  # of its first rollout, counted from the start of the batch's first round

    def trained(self, offset: int) -> bool:
        """Whether to train on this rollout, if the group is in the batch."""
        return self.signal and isinstance(self.judged[offset], Verdict)


class Row(NamedTuple):
    """A rollout of the batch."""

    item: Item
    sampled: Sampled
    reward: float
    trained: bool  # if not, it only fills the batch


@dataclass(frozen=True)
class Ranks:
    """The processes that train together."""

    index: int = 0
    count: int = 1
    gather: Callable[[list[Any]], list[Any]] = lambda own: own  # the lists of all ranks, joined
    first: Callable[[Any], Any] = lambda own: own  # the value on rank 0


class Rollouts:
    """TRL's rollout function: the batches of a run, with the curriculum's step after each."""

    def __init__(self, gym: Gym, ranks: Ranks = Ranks(), *, rounds: int = 3) -> None:  # noqa: B008
        self.gym = gym
        self.ranks = ranks
        self.rounds = rounds
        self.metrics: dict[str, float] = {}
        """The metrics of the latest batch."""
        self._masked = False  # whether the batch has rows, on any rank, not to train on

    def __call__(self, prompts: list[Any], trainer: Any) -> dict[str, Any]:
        """The batch TRL asks for; only the number of prompts matters."""
        if not trainer.model.training:
            raise UserError("this trainer does not evaluate: it draws problems to train on")
        count = len(prompts) * self.ranks.count // self.gym.group
        rows = self.collect(count, partial(_sample, self.gym, trainer))
        batch: dict[str, Any] = {
            "prompt_ids": [row.sampled.prompt for row in rows],
            "completion_ids": [row.sampled.output for row in rows],
            "logprobs": None,
            "rlve_row": rows,  # for the reward function
        }
        if rows[0].sampled.logprobs is not None:
            batch["logprobs"] = [row.sampled.logprobs for row in rows]
        if self._masked:
            # Tokens with a 0 are left out of the loss and of its denominator.
            batch["env_mask"] = [[int(row.trained)] * len(row.sampled.output) for row in rows]
        return batch

    def collect(
        self, count: int, sample: Callable[[list[Item]], tuple[list[Sampled], list[str]]]
    ) -> list[Row]:
        """Return this rank's rows of a batch of `count` groups, and step the curriculum.

        `sample` returns one rollout per item, as tokens and as text, and gets equally many items on
        every rank. If too few groups have signal, others fill the batch.
        """
        self._agree()
        groups: list[Group] = []
        own: dict[int, Sampled] = {}  # by row
        for _ in range(self.rounds):
            number = self._to_draw(count, groups)
            if number == 0:
                break
            first = len(groups) * self.gym.group
            items = self._draw(number)
            share = number * self.gym.group // self.ranks.count
            begin = self.ranks.index * share
            rows = [item for item in items for _ in range(self.gym.group)]
            share_items = rows[begin : begin + share]
            sampled, texts = sample(share_items)
            own |= dict(enumerate(sampled, first + begin))
            judged = self.gym.judge(zip((item.problem for item in share_items), texts, strict=True))
            groups += self.count(items, self.ranks.gather(judged), first)
            self._agree(kept=sum(group.signal for group in groups))  # before anything depends on it
        kept = [group for group in groups if group.signal][:count]
        dropped = [group for group in groups if not group.signal]
        self.metrics = {"rlve/trained": float(len(kept))} | self.gym.step().flat()
        self._agree(metrics=self.metrics)
        chosen = [*kept, *dropped[: count - len(kept)]]
        size = range(self.gym.group)
        self._masked = not all(group.trained(offset) for group in chosen for offset in size)
        return self._own_rows(chosen, own)

    def count(
        self, items: list[Item], judged: list[Verdict | Failure], first: int = 0
    ) -> list[Group]:
        """Count the verdicts on all rollouts for these problems, group by group."""
        groups: list[Group] = []
        size = self.gym.group
        for index, item in enumerate(items):
            verdicts = judged[index * size : (index + 1) * size]
            rewards, signal = self.gym.count(item.name, item.difficulty, verdicts)
            groups.append(Group(item, verdicts, rewards, signal, first + index * size))
        return groups

    def _to_draw(self, count: int, groups: list[Group]) -> int:
        """How many problems to draw next: enough to fill the batch, judging by those so far."""
        kept = sum(group.signal for group in groups)
        if kept >= count:
            return 0
        wanted = math.ceil((count - kept) * len(groups) / kept) if kept else count
        even = self.ranks.count // math.gcd(self.ranks.count, self.gym.group)  # for equal shares
        return min(count, math.ceil(wanted / even) * even)

    def _draw(self, number: int) -> list[Item]:
        """The next problems. Only rank 0 draws: if a problem missed the pool's deadline on just one
        rank, the ranks would drift apart."""
        stream = self.gym.stream
        drawn = self.gym.take(number) if self.ranks.index == 0 else []
        state = stream.state_dict()
        items, first = self.ranks.first((drawn, state))
        if self.ranks.index > 0:
            # Each rank keeps its own curriculum, so that a difference is noticed.
            stream.load_state_dict(first | {"curriculum": state["curriculum"]})
        return items

    def _agree(self, **found: Any) -> None:
        """Raise a UserError unless all ranks have the same state and the same `found`."""
        first, *others = self.ranks.gather([self.gym.state_dict() | found])
        for rank, other in enumerate(others, 1):
            if where := find_differences(first, other):
                raise UserError(
                    f"the ranks have different curricula: {where[0]} differs between rank 0 and "
                    f"rank {rank}. All ranks need the same environments, settings and seed, and "
                    "must count the verdicts of all ranks"
                )

    def _own_rows(self, chosen: list[Group], own: dict[int, Sampled]) -> list[Row]:
        """The rows of the batch that TRL expects from this rank; some may come from other ranks."""
        slots = [(group, offset) for group in chosen for offset in range(self.gym.group)]
        share = len(slots) // self.ranks.count
        leaving = [
            (slot, own[group.row + offset])
            for slot, (group, offset) in enumerate(slots)
            if group.row + offset in own and slot // share != self.ranks.index
        ]
        arrived: dict[int, Sampled] = dict(self.ranks.gather(leaving))
        rows: list[Row] = []
        for slot in range(self.ranks.index * share, (self.ranks.index + 1) * share):
            group, offset = slots[slot]
            sampled = own.get(group.row + offset) or arrived[slot]
            rows.append(Row(group.item, sampled, group.rewards[offset], group.trained(offset)))
        return rows


def _sample(gym: Gym, trainer: Any, items: list[Item]) -> tuple[list[Sampled], list[str]]:
    """One rollout per item, from whichever engine TRL was set up with."""
    prompts, _, _ = trainer._tokenize_prompts([gym.prompt(item) for item in items])
    outputs, logprobs = trainer._generate_single_turn(prompts, None, {}, gym.group)
    known = [None] * len(items) if logprobs is None else logprobs
    sampled = [Sampled(*parts) for parts in zip(prompts, outputs, known, strict=True)]
    return sampled, trainer.processing_class.batch_decode(outputs, skip_special_tokens=True)
