"""Teaching a model from references, as a run: a folder, checkpoints, accuracy on test problems.

    with TeachingRun(config) as run:
        for metrics in run:             one step at a time
            print(metrics.step, metrics.loss)

The folder is like that of any run (runs.py), with some of the examples in examples.jsonl. `rlve
train` and `rlve eval` continue with the model/ of a checkpoint.
"""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import torch

from rlve.files import append_lines
from rlve.models.engines.choice import make_engine
from rlve.models.logprobs import Scorer
from rlve.models.memory import Sampler, check_memory
from rlve.models.policy import computing_in, load_policy
from rlve.models.teaching import (
    Example,
    ExampleSource,
    answer_loss,
    cut,
    pass_overhead,
    plan_lesson,
)
from rlve.pool import Pool
from rlve.run_folders import EXAMPLES, METRICS
from rlve.train.preflight import preflight
from rlve.train.runs import BaseRun, RunOutcome, Timer, repeatable, watch
from rlve.train.teaching_config import TeachingConfig, read_teaching_config
from rlve.train.teaching_history import (
    TaughtSample,
    TeachingMetrics,
)
from rlve.train.update import apply_gradient, learning_rate, make_optimizer
from rlve.train.validation import Validation, plan_validation
from rlve.train.watchers import Watcher


def teach(
    config: TeachingConfig,
    watchers: Sequence[Watcher[TeachingMetrics]] = (),
    *,
    resume: bool = False,
    show: bool = True,
    on_interrupt: Callable[[], None] | None = None,
) -> RunOutcome:
    """Teach until the last step, or until Ctrl-C, SIGTERM, SIGHUP or run.hours stops the run.

    A run that is stopped finishes its step and saves a checkpoint. `on_interrupt` is called when a
    signal arrives. A second Ctrl-C stops at once, and loses everything since the latest checkpoint.

    Progress is shown on stdout, live on a terminal and in lines elsewhere, unless `show` is False.
    Without a run.folder, the run goes into a new folder in runs/.
    """
    config = config.with_folder()
    preflight(config, resume=resume)
    with (
        TeachingRun(config, watchers, resume=resume, on_interrupt=on_interrupt) as run,
        watch(run, show=show),
    ):
        return run.finish()


class TeachingRun(BaseRun[TeachingConfig, TeachingMetrics]):
    """A run of teaching: its parts and its state. Iterating over it teaches."""

    KIND = "teach"
    WRITTEN_ON = (METRICS, EXAMPLES)

    @staticmethod
    def read_config(folder: Path) -> TeachingConfig:
        return read_teaching_config(folder)

    def _build(self, stack: ExitStack) -> None:
        config, data, validation = self.config, self.config.data, self.config.validation
        torch.manual_seed(config.run.seed)
        names = data.names()
        plan = plan_validation(config, names)
        engine = validation.engine if plan else "in-process"  # which costs nothing if unused
        check_memory(
            config.policy,
            Sampler(engine, validation.memory),
            tokens=config.update.micro_batch_tokens,
        )
        lesson = plan_lesson(
            names,
            data.levels,
            max_prompt_tokens=data.max_prompt_tokens,
            max_answer_tokens=data.max_answer_tokens,
            worked=data.worked,
        )
        context = data.max_prompt_tokens + data.max_answer_tokens
        self.policy = load_policy(config.policy, context=context)
        device = next(self.policy.model.parameters()).device
        if device.type == "cpu":
            stack.enter_context(repeatable())
        computing = computing_in(config.policy, device)
        pool = stack.enter_context(Pool(config.run.workers, deadline=data.deadline))
        self.source = ExampleSource(
            lesson, self.policy, pool, batch=data.examples, seed=config.run.seed
        )
        stack.callback(self.source.close)
        self.score = Scorer(self.policy.model, computing=computing)
        self.optimizer = make_optimizer(self.policy.model, config.update)
        self.engine = make_engine(
            self.policy,
            name=engine,
            max_tokens=data.max_answer_tokens,
            slots=validation.slots,
            seed=config.run.seed,
            context=context,
            memory=validation.memory,
            computing=computing,
        )
        stack.callback(self.engine.close)
        self.validation = plan and Validation(
            config,
            plan,
            self.policy,
            self.engine,
            pool,
            max_prompt_tokens=data.max_prompt_tokens,
        )

    def train_step(self) -> TeachingMetrics:
        timer = Timer()
        step = self.step + 1
        with timer("examples"):
            batch = self.source.take()
        rate = self.rate(self.config, step)
        with timer("update"):
            learnt = self._update(batch, rate)
        self.step = step
        self._came_up(example.problem for example in batch)
        if step % self.config.run.samples_every == 0 or step == 1:
            self._write_samples(batch)
        metrics = TeachingMetrics(
            step=step,
            examples=len(batch),
            prompt_tokens=sum(len(example.prompt) for example in batch),
            answer_tokens=sum(len(example.answer) for example in batch),
            learning_rate=rate,
            left_out=self.source.left_out,
            worked=None
            if self.config.data.worked == "off"
            else sum(example.worked for example in batch),
            seconds=self._seconds(timer),
            **learnt,
        )
        self._stepped(metrics)
        return metrics

    def _update(self, batch: Sequence[Example], rate: float) -> dict[str, float]:
        """Learn from a batch; every answer token in it counts equally."""
        for parameters in self.optimizer.param_groups:
            parameters["lr"] = rate
        try:
            return self._learn(batch)
        except torch.OutOfMemoryError as error:
            raise self._out_of_memory("data.max-prompt-tokens") from error

    def _learn(self, batch: Sequence[Example]) -> dict[str, float]:
        model, update = self.policy.model, self.config.update
        model.train()
        self.optimizer.zero_grad(set_to_none=True)
        tokens = sum(len(example.answer) for example in batch)
        micro = cut(batch, update.micro_batch_tokens, pass_overhead(model))
        # Summed on the device, because reading a value would wait for it.
        sums = torch.zeros(2, dtype=torch.float64, device=model.device)
        for examples in micro:
            result = answer_loss(self.score, examples)
            (result.loss / tokens).backward()
            sums += torch.stack([result.loss.detach().double(), result.entropy.double()])
        loss, entropy = (sums / tokens).tolist()
        norm = apply_gradient(model, self.optimizer, loss, update.max_grad_norm)
        computed = sum(len(part) * max(len(example.row) for example in part) for part in micro)
        needed = sum(len(example.row) for example in batch)
        return {
            "loss": loss,
            "entropy": entropy,
            "grad_norm": norm,
            "padding": 1 - needed / computed,
        }

    @staticmethod
    def rate(config: TeachingConfig, step: int) -> float:
        last = config.update.schedule_steps or config.run.steps
        return learning_rate(config.update, min(step, last), last)

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
        return {"examples": self.source.state_dict()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.source.load_state_dict(state["examples"])
