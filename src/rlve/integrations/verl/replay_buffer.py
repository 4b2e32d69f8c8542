"""verl's replay buffer, which shows the curriculum every finished group.

trainer.v1.sampler.custom_sampler.path=pkg://rlve.integrations.verl.replay_buffer
trainer.v1.sampler.custom_sampler.name=CountingReplayBuffer            trainer_mode=sync
trainer.v1.sampler.custom_sampler.name=CountingReplayBufferAsync       the others

verl polls: at each poll it reads the state of all groups, evicts what has no signal, and goes on
until enough are left. The groups that have finished are counted right after they were read, so
those that are trained on, evicted and discarded as surplus are counted alike, and once.
"""

# verl is absent from the environment in which types are checked.
# pyright: reportMissingImports=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false, reportUntypedBaseClass=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# pyright: reportMissingTypeArgument=false, reportUninitializedInstanceVariable=false

from collections import Counter
from collections.abc import Callable
from typing import Any

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
        # verl hands a replay buffer of one's own neither the data set nor the settings of dynamic
        # sampling; but the function that asks for more prompts is a method of the trainer.
        self._trainer: Any = getattr(refill_fn, "__self__", None)
        if self._trainer is None:
            raise UserError("the replay buffer is made by verl's trainer, not by hand")
        config = self._trainer.config
        mode = config.trainer.v1.trainer_mode
        if isinstance(self, ReplayBufferAsync) != (mode != "sync"):
            wanted = CountingReplayBuffer if mode == "sync" else CountingReplayBufferAsync
            raise UserError(
                f"with trainer.v1.trainer_mode={mode}, trainer.v1.sampler.custom_sampler.name is "
                f"{wanted.__name__}"
            )
        given: dict[str, Any] = dict(sampler_kwargs or {})
        if given.keys() - {"poll_interval"}:
            raise UserError(f"sampler_kwargs may hold poll_interval alone, not {sorted(given)}")
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
            **given,
            **others,
        )
        self._most_groups = filters.max_num_gen_batches * config.data.train_batch_size

    @property
    def ledger(self) -> Ledger:
        """The gym's ledger, which the data set of training problems holds."""
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
                f"data.rlve.group is {ledger.gym.group}, and actor_rollout_ref.rollout.n is "
                f"{rollouts}: they must be the same"
            )
        return ledger

    def sample(self, global_steps: int, partition_id: str, batch_size: int) -> tuple[Any, dict]:
        batch, metrics = super().sample(global_steps, partition_id, batch_size)
        if partition_id != TRAIN:
            return batch, metrics
        # verl notes the step in which a problem was drawn; its own buffer trains the oldest first.
        lags = [global_steps - tag["global_steps"] for tag in batch.tags]
        metrics = metrics | {"rlve/lag": sum(lags) / len(lags), "rlve/lag_max": float(max(lags))}
        if self._trainer.local_trigger_step == self._trainer.parameter_sync_step - 1:
            metrics |= self.ledger.step()  # the last of the updates that make up a step of verl's
        return batch, metrics

    def _sync_metadata_from_transfer_queue(self) -> None:
        super()._sync_metadata_from_transfer_queue()
        ledger = self.ledger
        finished = self.finished_keys[TRAIN] | self.failure_keys[TRAIN]
        ledger.keep(finished)
        new = {group for group in finished if not ledger.knows(group)}
        reports = self._reports(new)
        for group in new:
            name, its = reports.get(group, ("", []))
            ledger.count(group, name, its)

    def _reports(self, groups: set[str]) -> dict[str, tuple[str, list[dict[str, float]]]]:
        """Of each group, the environment and what its rollouts were given.

        A rollout has a key for each of its turns, uid_rollout_turn, with the same report in all.
        """
        keys: dict[str, str] = {}  # of a rollout -> one of its turns
        for key in self.partitions[TRAIN]:
            if key.split("_")[0] in groups:
                keys[key.rsplit("_", 1)[0]] = key
        found: dict[str, tuple[str, list[dict[str, float]]]] = {}
        if not keys:
            return found
        fields = transfer_queue.kv_batch_get(
            keys=list(keys.values()),
            partition_id=TRAIN,
            select_fields=["data_source", "extra_fields"],
        )
        rows = zip(keys, fields["data_source"], fields["extra_fields"], strict=True)
        for rollout, source, extra in rows:
            name = _plain(source).removeprefix(SOURCE)
            _, its = found.setdefault(rollout.split("_")[0], (name, []))
            its.append(_plain(extra)["reward_extra_info"])
        return found

    def _dapo_filtered_keys(self, partition_id: str) -> tuple[set[str], Counter[float]]:
        """The finished groups without signal, and the scores they share.

        The gym compares rewards exactly. verl would ask whether their standard deviation is zero;
        for equal numbers it is not always, and such groups would stay.

        After algorithm.filter_groups.max_num_gen_batches batches of groups (verl's own buffer
        ignores it) the step makes do with what there is: groups without signal fill the batch, and
        train nothing, because their advantages are zero.
        """
        if partition_id != TRAIN or self.filter_groups_metric is None:
            return set(), Counter()
        if 0 < self._most_groups <= self.ledger.groups_of_step:
            # Where all is solved, or nothing, no batch would ever be full, and the curriculum,
            # which moves when a step ends, would never make the problems harder or other ones.
            return set(), Counter()
        scores = {group: self.ledger.shared(group) for group in self.finished_keys[TRAIN]}
        flat = {group: score for group, score in scores.items() if score is not None}
        return set(flat), Counter(flat.values())


class CountingReplayBufferAsync(CountingReplayBuffer, ReplayBufferAsync):
    """For trainer_mode=colocate_async and separate_async."""


def _plain(value: Any) -> Any:
    """What tensordict may have wrapped."""
    return getattr(value, "data", value)
