"""The training loop: collect a batch, update the weights, move the curriculum, and repeat.

    with Run(config) as run:
        for metrics in run:             one training step at a time
            print(metrics.step, metrics.accuracy)

The folder is like that of any run (runs.py), with groups.jsonl (all verdicts), rollouts.jsonl (some
texts) and curriculum.json (its state at the latest checkpoint). A resumed run has the same weights,
random numbers, problems and partial rollouts as if it had never stopped.
"""

import copy
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from rlve.contract import Problem
from rlve.errors import UserError
from rlve.foundation.files import append_lines, pretty, write_whole
from rlve.foundation.run_folders import CURRICULUM, GROUPS, METRICS, ROLLOUTS, VALIDATION
from rlve.gym import Gym, mean
from rlve.models.policy import Policy
from rlve.pool import Pool
from rlve.train.collect import Batch, Collector
from rlve.train.config import Config, read_config
from rlve.train.groups import Group
from rlve.train.history import StepMetrics
from rlve.train.loss import find_loss
from rlve.train.repeats import Repeats
from rlve.train.rlvr import generates, open_dataset
from rlve.train.runs import BaseRun, RunOutcome, Timer, carry_out
from rlve.train.samples import group_record, group_sample, same_answers, turn_metrics
from rlve.train.update import TrainingRow, Updater
from rlve.train.watchers import View, Watcher

# How far the log-probabilities of freshly sampled tokens may be from the trained model's, on
# average. Rounding accounts for about 1e-6 in float32 and 0.01 in bfloat16, in which engines sample
# on a GPU; an engine that is further off samples from another distribution.
WIDEST_GAP: Final = {"float32": 0.01, "bfloat16": 0.1}
SAMPLER: Final = "rollout.memory, rollout.slots or rollout.max-tokens"  # on which it depends
QUANTILES: Final = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "max": 1.0}


def train(
    config: Config,
    watchers: Sequence[Watcher[StepMetrics]] = (),
    *,
    resume: bool = False,
    show: View | None = None,
) -> RunOutcome:
    """Train until the last step, or until Ctrl-C, SIGTERM, SIGHUP or run.hours stops the run.

    A run that is stopped finishes its step and saves a checkpoint. A second Ctrl-C stops at once,
    and loses everything since the latest checkpoint.

    Nothing is shown unless `show` does: rlve.reports.live.show prints progress, live on a terminal
    and in lines elsewhere, as the command does. Without a run.folder, the run goes into a new
    folder in runs/.
    """
    return carry_out(Run, config, watchers, resume=resume, show=show)


class Run(BaseRun[Config, StepMetrics]):
    """A training run: its parts and its state. Iterating over it trains."""

    KIND = "train"
    WRITTEN_ON = (METRICS, GROUPS, ROLLOUTS, VALIDATION)

    read_config = staticmethod(read_config)

    def _build(self, stack: ExitStack) -> None:
        config, rollout = self.config, self.config.rollout
        # Without its adapters, a model with adapters is the initial policy.
        anchored = config.update.kl > 0 and not config.policy.lora_rank
        loss = find_loss(config.update.loss)  # before anything large is loaded
        self._open_policy(stack, deadline=rollout.deadline, anchored=anchored)
        # A prompt is measured when it is drawn and sampled from later, but tokenised only once.
        tokens_of = lru_cache(4 * rollout.oversample)(self.policy.tokens_of)

        def encode(problem: Problem) -> list[int]:
            # A text that says itself how to mark an answer is put to the model in another way.
            marked = problem.marked
            return self.policy.encode(problem) if marked else tokens_of(problem.prompt())

        self.gym = make_gym(config, self.policy, self.pool, lambda text: len(tokens_of(text)))
        self.updater = Updater(
            self.policy.model,
            self.optimizer,
            config.update,
            temperature=rollout.temperature,
            max_tokens=rollout.max_tokens,
            computing=self.computing,
            start=copy.deepcopy(self.policy.model) if anchored else None,
        )
        self._open_engine(stack, generates(self.gym.curriculum.names))
        self.repeats = Repeats()
        self.collector = Collector(
            self.gym,
            self.engine,
            rollout,
            encode=encode,
            decode=self.policy.decode,
            reply=self.policy.reply,
            normalisation=config.update.normalisation or loss.normalisation,
        )

    def train_step(self) -> StepMetrics:
        timer = Timer()
        config, step = self.config, self.step + 1

        def progress(kept: int, finished: int) -> None:
            for watcher in self.watchers:
                watcher.collecting(step, kept, finished)

        with timer("rollouts"):
            batch = self.collector.collect(step, progress)
        with timer("update"), self._learning(self.rate(config, step), SAMPLER):
            learnt = self._update(batch.groups)
            self.engine.update(self.policy.model)
        seen = self.gym.step()
        self.step = step
        self._mark_seen(group.item.problem for group in batch.finished)
        fixed = config.data.dataset is not None  # each of whose questions comes up in every epoch
        repeated = {} if fixed else self.repeats.count(group.item for group in batch.finished)
        self._keep(batch)
        seconds = self._seconds(timer)
        rollouts = [rollout for group in batch.finished for rollout in group.rollouts]
        lengths = sorted(rollout.length for rollout in rollouts)
        metrics = StepMetrics(
            **{name: getattr(seen, name) for name in seen.__struct_fields__},
            step=step,
            tokens=sum(lengths),
            response_tokens=mean(lengths),
            response_quantiles=_quantiles(lengths),
            truncated=mean(rollout.ending == "length" for rollout in rollouts),
            same_answers=same_answers(batch.finished, self.policy.format.marker),
            repeated=repeated,
            **turn_metrics(batch.finished),
            trained_groups=len(batch.groups),
            cached_groups=len(self.collector.cache),
            staleness=mean(step - group.step for group in batch.groups),
            learning_rate=self.rate(config, step),
            **learnt,
            seconds=seconds,
        )
        self._stepped(metrics)
        return metrics

    def _update(self, groups: Sequence[Group]) -> dict[str, Any]:
        rows = [outputs for group in groups if (outputs := self._rows(group))]
        if not rows:  # no group had signal; the curriculum may still move
            return {}
        learnt = self.updater.update(rows)
        self._check_gap(learnt.get("sampler_gap"))
        return learnt

    def _check_gap(self, gap: float | None) -> None:
        """Stop a run that trains on outputs that are not its policy's."""
        half = self.device.type == "cuda" or self.config.policy.dtype == "bfloat16"
        widest = WIDEST_GAP["bfloat16" if half else "float32"]
        if gap is not None and gap > widest:
            raise UserError(
                f"step {self.step + 1}: the engine does not sample from the policy that is "
                f"trained: the log-probabilities of fresh tokens differ by {gap:.3g} on average, "
                f"and rounding explains at most {widest:g}; choose another rollout.engine"
            )

    def _rows(self, group: Group) -> list[TrainingRow]:
        """The outputs of a group with signal to learn from."""
        outputs = zip(group.learnable, group.outcome.advantages, strict=True)
        return [
            TrainingRow(
                rollout.prompt,
                rollout.tokens,
                rollout.logprobs,
                advantage,
                rollout.stale,
                rollout.given,
            )
            for (rollout, _), advantage in outputs
            if not group.rule.masks(rollout)
        ]

    def _keep(self, batch: Batch) -> None:
        """Store all verdicts of the step and, at some steps, a few of the texts."""
        run, step = self.config.run, self.step
        append_lines(self.folder / GROUPS, [group_record(g, step) for g in batch.finished])
        if step % run.samples_every == 0 or step == 1:
            chosen = [group for group in batch.finished if group.learnable][: run.sampled_groups]
            samples = [group_sample(group, step, run.sampled_outputs) for group in chosen]
            append_lines(self.folder / ROLLOUTS, samples)

    def checkpoint(self) -> Path:
        place = super().checkpoint()
        write_whole(self.folder / CURRICULUM, pretty(self.gym.curriculum.state_dict()))
        return place

    def state_dict(self) -> dict[str, Any]:
        return {
            "gym": self.gym.state_dict(),
            "collector": self.collector.state_dict(),
            "repeats": self.repeats.state_dict(),
            "pass_tokens": self.updater.passes.tokens,
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.gym.load_state_dict(state["gym"])
        self.collector.load_state_dict(state["collector"])
        self.repeats.load_state_dict(state["repeats"])
        self.updater.passes.resume(state["pass_tokens"])


def make_gym(config: Config, policy: Policy, pool: Pool, length: Callable[[str], int]) -> Gym:
    """The problems and the curriculum that the settings describe."""
    data, rollout = config.data, config.rollout
    source = None
    if data.dataset is not None:
        source = open_dataset(
            data.dataset,
            pool,
            seed=config.run.seed,
            length=lambda problem: len(policy.encode(problem)),
            max_prompt_length=data.max_prompt_tokens,
        )
    return Gym(
        data.environments if source is None else (),
        group=rollout.group,
        seed=config.run.seed,
        format=policy.format,
        signal=rollout.signal,
        reading=rollout.reading,
        curriculum=data,
        max_prompt_length=data.max_prompt_tokens,
        length=length,
        ahead=rollout.oversample,
        pool=pool,
        source=source,
        dialogues=True,
    )


def _quantiles(lengths: Sequence[int]) -> dict[str, int]:
    if not lengths:
        return {}
    last = len(lengths) - 1
    return {name: lengths[round(share * last)] for name, share in QUANTILES.items()}
