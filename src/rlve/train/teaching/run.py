"""Teaching a model from references, as a run: a folder, checkpoints, accuracy on test problems.

    with TeachingRun(config) as run:
        for metrics in run:             one step at a time
            print(metrics.step, metrics.loss)

The folder is like that of any run (runs.py), with some of the examples in examples.jsonl. `rlve
train` and `rlve eval` continue with the model/ of a checkpoint.
"""

from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any, Final

import torch

from rlve.foundation.files import append_lines
from rlve.foundation.run_folders import EXAMPLES, METRICS, VALIDATION
from rlve.models.logprobs import Scorer
from rlve.models.pass_sizes import PassSize
from rlve.train.runs import BaseRun, RunOutcome, Timer, carry_out
from rlve.train.teaching.config import TeachingConfig, read_teaching_config
from rlve.train.teaching.examples import (
    Example,
    ExampleSource,
    answer_loss,
    taught_levels,
)
from rlve.train.teaching.file_source import FileSource
from rlve.train.teaching.history import TaughtSample, TeachingMetrics
from rlve.train.update import apply_gradient
from rlve.train.watchers import View, Watcher

PASS_TOKENS: Final = 32_768  # on a CPU


def teach(
    config: TeachingConfig,
    watchers: Sequence[Watcher[TeachingMetrics]] = (),
    *,
    resume: bool = False,
    show: View | None = None,
) -> RunOutcome:
    """Teach until the last step, or until the run is stopped, as rlve.train.trainer.train does."""
    return carry_out(TeachingRun, config, watchers, resume=resume, show=show)


class TeachingRun(BaseRun[TeachingConfig, TeachingMetrics]):
    """A run of teaching: its parts and its state. Iterating over it teaches."""

    KIND = "teach"
    WRITTEN_ON = (METRICS, EXAMPLES, VALIDATION)

    read_config = staticmethod(read_teaching_config)

    def _build(self, stack: ExitStack) -> None:
        config, data = self.config, self.config.data
        levels = taught_levels(data)  # before anything large is loaded
        self._open_policy(stack, deadline=data.deadline)
        self.source = (
            ExampleSource(data, levels, self.policy, self.pool, seed=config.run.seed)
            if data.file is None
            else FileSource(data.file, data, self.policy, self.pool, seed=config.run.seed)
        )
        stack.callback(self.source.close)
        self.score = Scorer(self.policy.model, computing=self.computing)
        given = config.update.micro_batch_tokens
        self.passes = PassSize(given, usual=PASS_TOKENS, device=self.device)
        self._open_engine(stack, data.names())

    def train_step(self) -> TeachingMetrics:
        timer = Timer()
        step = self.step + 1
        with timer("examples"):
            batch = self.source.take()
        rate = self.rate(self.config, step)
        with timer("update"), self._learning(rate, "data.max-prompt-tokens"):
            learnt = self.passes.fit(
                lambda: self._gradient(batch), lambda: self.optimizer.zero_grad(set_to_none=True)
            )
            most = self.config.update.max_grad_norm
            norm = apply_gradient(self.policy.model, self.optimizer, learnt["loss"], most)
            self.passes.grow()
        self.step = step
        self._mark_seen(example.problem for example in batch if example.problem is not None)
        if step % self.config.run.samples_every == 0 or step == 1:
            self._write_samples(batch)
        metrics = TeachingMetrics(
            step=step,
            examples=len(batch),
            prompt_tokens=sum(example.read for example in batch),
            answer_tokens=sum(example.learnt for example in batch),
            learning_rate=rate,
            left_out=self.source.left_out,
            worked=None
            if self.config.data.worked == "off"
            else sum(example.worked for example in batch),
            seconds=self._seconds(timer),
            grad_norm=norm,
            **learnt,
        )
        self._stepped(metrics)
        return metrics

    def _gradient(self, batch: Sequence[Example]) -> dict[str, float]:
        """Compute the gradient of a batch; every answer token in it counts equally."""
        model = self.policy.model
        model.train()
        self.optimizer.zero_grad(set_to_none=True)
        tokens = sum(example.learnt for example in batch)
        rows = [example.row for example in batch]
        parts = self.score.passes(rows, self.passes.tokens)
        micro = [[batch[i] for i in part] for part in parts]
        # Summed on the device, because reading a value would wait for it.
        sums = torch.zeros(2, dtype=torch.float64, device=model.device)
        for examples in micro:
            with self.passes.measuring(sum(len(example.row) for example in examples)):
                result = answer_loss(self.score, examples)
                with self.score.attention():
                    (result.loss / tokens).backward()
            sums += torch.stack([result.loss.detach().double(), result.entropy.double()])
        loss, entropy = (sums / tokens).tolist()
        needed = computed = sum(map(len, rows))
        if not self.score.flat:
            computed = sum(len(part) * len(rows[part[0]]) for part in parts)
        return {"loss": loss, "entropy": entropy, "padding": 1 - needed / computed}

    def _before_measuring(self) -> None:
        self.engine.update(self.policy.model)  # it samples at no other time

    def _write_samples(self, batch: Sequence[Example]) -> None:
        decode = self.policy.tokenizer.decode
        samples = [
            TaughtSample(
                step=self.step,
                environment=example.name,
                difficulty=example.difficulty,
                seed=example.seed,
                prompt=decode(example.prompt),
                answer=decode(example.answer),
            )
            for example in batch[: self.config.run.sampled_groups]
        ]
        append_lines(self.folder / EXAMPLES, samples)

    def state_dict(self) -> dict[str, Any]:
        return {"examples": self.source.state_dict(), "pass_tokens": self.passes.tokens}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.source.load_state_dict(state["examples"])
        self.passes.resume(state["pass_tokens"])
