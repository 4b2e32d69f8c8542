"""A replay buffer for verl that shows the curriculum every finished group.

trainer.v1.sampler.custom_sampler.path=pkg://rlve.integrations.verl.replay_buffer
trainer.v1.sampler.custom_sampler.name=CountingReplayBuffer            trainer_mode=sync
trainer.v1.sampler.custom_sampler.name=CountingReplayBufferAsync       other modes

verl polls: each time it reads the state of all groups and evicts those without signal, until enough
are left. Finished groups are counted as soon as they are read, so that groups that are trained on,
evicted or discarded as surplus are all counted, once.
"""

from collections import Counter
from collections.abc import Callable
from typing import Any, cast

from rlve.errors import UserError, require
from rlve.integrations.verl.ledger import SOURCE, Ledger

require("verl", extra="verl", at_least="0.9.1", below="0.10")
require("TransferQueue", extra="verl", at_least="0.1.11", below="0.2")

import transfer_queue  # noqa: E402
from verl.trainer.ppo.v1.replay_buffer import ReplayBuffer, ReplayBufferAsync  # noqa: E402

TRAIN = "train"  # the partition of verl's queue; the other is "val"


class CountingReplayBuffer(ReplayBuffer):
    """For trainer_mode=sync."""

    def __init__(
        self, *, refill_fn: Callable[[int], int], sampler_kwargs: Any, **others: Any
    ) -> None:
        # verl gives a custom replay buffer neither the data set nor the settings of dynamic
        # sampling; but the function that asks for more prompts is a method of the trainer.
        self._trainer: Any = cast(Any, refill_fn).__self__
        config = self._trainer.config
        mode = config.trainer.v1.trainer_mode
        if isinstance(self, ReplayBufferAsync) != (mode != "sync"):
            wanted = CountingReplayBuffer if mode == "sync" else CountingReplayBufferAsync
            raise UserError(
                f"with trainer.v1.trainer_mode={mode}, trainer.v1.sampler.custom_sampler.name must "
                f"be {wanted.__name__}"
            )
        filters = config.algorithm.filter_groups
        exact = filters.enable or config.trainer.v1.sampler.sync_refill_failed_groups
        super().__init__(
            refill_fn=refill_fn,
            sampler_kwargs=sampler_kwargs,
            filter_groups_metric="score" if filters.enable else None,
            train_batch_size=config.data.train_batch_size,
            gen_batch_size=1
            if exact
            else config.data.get("gen_batch_size") or config.data.train_batch_size,
            max_inflight_gen_batches=filters.max_inflight_gen_batches,
            sync_refill_failed_groups=config.trainer.v1.sampler.sync_refill_failed_groups,
            **(sampler_kwargs or {}),
            **others,
        )
        self._most_groups = filters.max_num_gen_batches * config.data.train_batch_size

    @property
    def ledger(self) -> Ledger:
        """The gym's ledger, from the data set of training problems."""
        dataset = self._trainer.train_dataset
        ledger = getattr(dataset, "ledger", None)
        if ledger is None:
            raise UserError(
                "data.train_files names no environments, or data.custom_cls is not "
                "rlve.integrations.verl.dataset.ProblemDataset"
            )
        rollouts = self._trainer.config.actor_rollout_ref.rollout.n
        if ledger.gym.group != rollouts:
            raise UserError(
                f"data.rlve.group is {ledger.gym.group}, but actor_rollout_ref.rollout.n is "
                f"{rollouts}: they must be the same"
            )
        return ledger

    def sample(self, global_steps: int, partition_id: str, batch_size: int) -> tuple[Any, dict]:
        batch, metrics = super().sample(global_steps, partition_id, batch_size)
        if partition_id != TRAIN:
            return batch, metrics
        # verl notes the step in which a problem was drawn; its buffer trains on the oldest first.
        lags = [global_steps - tag["global_steps"] for tag in batch.tags]
        metrics = metrics | {"rlve/lag": sum(lags) / len(lags), "rlve/lag_max": float(max(lags))}
        if self._trainer.local_trigger_step == self._trainer.parameter_sync_step - 1:
            metrics |= self.ledger.step()  # the last update of a verl step
        return batch, metrics

    def _sync_metadata_from_transfer_queue(self) -> None:
        super()._sync_metadata_from_transfer_queue()
        ledger = self.ledger
        finished = self.finished_keys[TRAIN] | self.failure_keys[TRAIN]
        ledger.keep(finished)
        new = {group for group in finished if not ledger.knows(group)}
        reports = self._reports(new)
        for group in new:
            name, of_group = reports.get(group, ("", []))
            ledger.count(group, name, of_group)

    def _reports(self, groups: set[str]) -> dict[str, tuple[str, list[dict[str, float]]]]:
        """For each group, the environment and the reports on its rollouts.

        A rollout has a key per turn, uid_rollout_turn, all with the same report.
        """
        keys: dict[str, str] = {}  # rollout -> one of its turns
        for key in self.partitions[TRAIN]:
            if key.split("_")[0] in groups:
                keys[key.rsplit("_", 1)[0]] = key
        reports: dict[str, tuple[str, list[dict[str, float]]]] = {}
        if not keys:
            return reports
        fields = transfer_queue.kv_batch_get(
            keys=list(keys.values()),
            partition_id=TRAIN,
            select_fields=["data_source", "extra_fields"],
        )
        rows = zip(keys, fields["data_source"], fields["extra_fields"], strict=True)
        for rollout, source, extra in rows:
            name = _plain(source).removeprefix(SOURCE)
            _, of_group = reports.setdefault(rollout.split("_")[0], (name, []))
            of_group.append(_plain(extra)["reward_extra_info"])
        return reports

    def _dapo_filtered_keys(self, partition_id: str) -> tuple[set[str], Counter[float]]:
        """The finished groups without signal, and the scores they share.

        The gym compares rewards exactly. verl would check whether their standard deviation is zero,
        which is not always so for equal numbers: such groups would stay.

        After algorithm.filter_groups.max_num_gen_batches batches of groups (a limit that verl's own
        buffer ignores), groups without signal fill the rest of the batch. They train nothing,
        because their advantages are zero.
        """
        if partition_id != TRAIN or self.filter_groups_metric is None:
            return set(), Counter()
        if 0 < self._most_groups <= self.ledger.groups_of_step:
            # If everything is solved, or nothing is, no batch would ever be full, and the
            # curriculum, which moves at the end of a step, could never change the problems.
            return set(), Counter()
        scores = {group: self.ledger.shared(group) for group in self.finished_keys[TRAIN]}
        flat = {group: score for group, score in scores.items() if score is not None}
        return set(flat), Counter(flat.values())


class CountingReplayBufferAsync(CountingReplayBuffer, ReplayBufferAsync):
    """For trainer_mode=colocate_async and separate_async."""


def _plain(value: Any) -> Any:
    """A value without tensordict's wrapper, if it has one."""
    return getattr(value, "data", value)
