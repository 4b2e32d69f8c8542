"""The metrics of runs: what each is, how it is written, and where it is shown.

A table for each record on disk. The live view, the report, the studio, loggers, adapters and the
pages of documentation read these tables, so a row that is added to one, here or by a user, is found
in all of them. Its value is the field of its name in the record, or is computed from the record.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, Literal, TypeAlias


@dataclass(frozen=True, kw_only=True)
class Metric:
    """A row of a table."""

    meaning: str
    """In a few words of Markdown."""
    format: str = ""
    """How the number is written, such as .0% or .3f; empty if it is no single number."""
    better: Literal["higher", "lower"] | None = None
    """Which values are better, if that can be said."""
    title: str = ""
    """Above its chart, in the report and the studio; empty if it is not drawn."""
    unit: str = ""
    """Beside its chart."""
    live: str = ""
    """Its name in the live view; empty if it is not shown there."""
    logged: str = ""
    """Its name where adapters log it, after rlve/; empty if they do not."""
    value: Callable[[Any], float | None] | None = None
    """How it is computed from a record; by default it is the field of its name."""

    @property
    def is_share(self) -> bool:
        """Whether it is written as a percentage."""
        return self.format.endswith("%")


Table: TypeAlias = Mapping[str, Metric]


def read_metric(table: Table, name: str, record: object) -> float | None:
    """The value of a metric in a record; None if it was not measured.

    Raises a ValueError for a row that is neither computed nor a field of the record.
    """
    row = table[name]
    if row.value is not None:
        return row.value(record)
    if not hasattr(record, name):
        raise ValueError(
            f"the metric {name} is no field of {type(record).__name__}, and its row has no `value` "
            "that computes it"
        )
    return getattr(record, name)


def read_metrics(table: Table, name: str, records: Iterable[object]) -> list[float | None]:
    """The value of a metric in each of several records."""
    return [read_metric(table, name, record) for record in records]


def write_mean(values: Sequence[float | None], spec: str) -> str:
    """The mean of the known values, or a dash."""
    known = [value for value in values if value is not None]
    return f"{fmean(known):{spec}}" if known else "-"


def _effective(step: Any) -> float | None:
    # A step whose batch was already in the cache has no prompts of its own.
    return step.effective_prompt_ratio if step.prompts else None


CURRICULUM: dict[str, Metric] = {
    "step": Metric(meaning="counted from 1"),
    "prompts": Metric(
        meaning="groups that finished, with or without signal", format=",.0f", logged="groups"
    ),
    "reward": Metric(
        meaning="the mean shaped reward, in [-1, 1]",
        format=".3f", better="higher", title="Reward", unit="mean over rollouts",
        live="reward", logged="reward",
    ),
    "accuracy": Metric(
        meaning="the share of correct outputs",
        format=".0%", better="higher", live="accuracy", logged="accuracy",
    ),
    "accuracy_at_high": Metric(
        meaning="the share of correct outputs at each environment's highest level h; it falls when "
        "h rises",
        format=".0%", title="Accuracy at h", unit="share of rollouts",
        live="accuracy at h", logged="accuracy_at_h",
    ),
    "accuracy_at_high_of": Metric(
        meaning="`accuracy_at_high` by environment, for those that had a problem at h"
    ),
    "effective_prompt_ratio": Metric(
        meaning="the share of groups with signal: the rewards trained on (`--rollout.signal`) "
        "differ",
        format=".0%", better="higher", title="Effective prompt ratio", unit="share of prompts",
        live="effective prompts", logged="effective_prompt_ratio", value=_effective,
    ),
    "ill_formed": Metric(
        meaning="the share of outputs without a readable answer",
        format=".1%", better="lower", logged="ill_formed",
    ),
    "bounds": Metric(
        meaning="the range (l, h) of each environment after the step",
        format=".2f", logged="h",
        value=lambda step: fmean(h for _, h in step.bounds.values()) if step.bounds else None,
    ),
    "raised": Metric(meaning="the new h of each environment whose h rose"),
    "lowered": Metric(
        meaning="the new h of each environment whose h fell; only a two-way curriculum lowers it"
    ),
    "drawn": Metric(meaning="finished groups by environment and difficulty"),
    "failures": Metric(
        meaning="outputs that could not be judged, by environment and kind: `deadline`, `crash`, "
        "`memory`, `error`",
        format=",.0f", better="lower", logged="failed",
        value=lambda step: sum(sum(kinds.values()) for kinds in step.failures.values()),
    ),
    "redrawn": Metric(
        meaning="draws that gave no problem since the run began, by environment and reason"
    ),
}  # fmt: skip
"""Of rlve.gym.GymMetrics, which every trainer logs, and the step."""

SAMPLING: dict[str, Metric] = {
    "tokens": Metric(
        meaning="tokens sampled in all groups that finished in the step", format=",.0f"
    ),
    "response_tokens": Metric(
        meaning="the mean length of an output; of a dialogue, that of all its messages",
        format=",.0f", title="Response length", unit="tokens, mean over rollouts",
    ),
    "response_quantiles": Metric(meaning="`p50`, `p90`, `p99` and `max` of the lengths"),
    "truncated": Metric(
        meaning="the share of outputs that reached the response limit",
        format=".1%", better="lower",
    ),
    "same_answers": Metric(
        meaning="short answers that nearly all outputs for a problem gave, by environment: to how "
        "many problems, and their mean shaped reward"
    ),
    "repeated": Metric(
        meaning="finished groups whose problem had come up before, by environment and difficulty; "
        "where 256 different ones have come up, none is counted any more"
    ),
    "turns": Metric(
        meaning="the mean number of messages in a dialogue",
        format=".1f", title="Turns", unit="messages, mean over dialogues",
    ),
    "wasted_turns": Metric(
        meaning="the share of those messages without a move that could be read",
        format=".1%", better="lower",
    ),
    "turn_tokens": Metric(
        meaning="the mean lengths of the first messages, the second ones, and so on"
    ),
    "trained_groups": Metric(meaning="groups in the batch", format=",.0f"),
    "cached_groups": Metric(
        meaning="groups kept for a later step: partial rollouts, and finished groups that the "
        "batch had no room for",
        format=",.0f",
    ),
    "staleness": Metric(
        meaning="the mean number of steps since the groups of the batch were started",
        format=".1f", better="lower",
    ),
}  # fmt: skip
"""Of rlve.train.history.StepMetrics."""

UPDATE: dict[str, Metric] = {
    "learning_rate": Metric(meaning="the learning rate of this step", format=".2g"),
    "loss": Metric(meaning="the loss of the batch", format=".3f"),
    "grad_norm": Metric(
        meaning="the norm of the gradient before it is clipped to `--update.max-grad-norm`",
        format=".2f", title="Norm of the gradient", unit="before it is clipped",
    ),
    "entropy": Metric(
        meaning="the entropy of the next token, in nats, averaged over the batch",
        format=".2f", title="Entropy", unit="nats per token",
    ),
    "clipped": Metric(
        meaning="the share of tokens whose policy ratio was clipped", format=".2%", better="lower"
    ),
    "truncated_weights": Metric(
        meaning="the share of tokens whose importance weight was cut to `--update.truncation`",
        format=".2%", better="lower",
    ),
    "sampler_gap": Metric(
        meaning="the mean difference between a token's log-probability in the update and when "
        "sampled, for tokens of this step",
        format=".2g", better="lower",
    ),
    "sampler_gap_resumed": Metric(
        meaning="`sampler_gap` for tokens sampled in earlier steps, with older weights",
        format=".2g", better="lower",
    ),
    "kl": Metric(
        meaning="the KL divergence from the start of the run; only with `--update.kl`",
        format=".3f", better="lower",
    ),
    "seconds": Metric(
        meaning="the time of each phase: `rollouts`, `update`, `validation`, `checkpoint`; "
        "`in all` counts from the start of the run"
    ),
}  # fmt: skip
"""Of rlve.train.history.StepMetrics."""

TEACHING: dict[str, Metric] = {
    "step": Metric(meaning="counted from 1"),
    "loss": Metric(
        meaning="negative log-likelihood of an answer token, in nats. Every problem is new, so "
        "there can be no overfitting",
        format=".3f", better="lower", title="Loss", unit="nats per answer token", live="loss",
    ),
    "entropy": Metric(
        meaning="the entropy of the next answer token, in nats",
        format=".2f", title="Entropy", unit="nats per answer token",
    ),
    "grad_norm": Metric(
        meaning="the norm of the gradient before it is clipped to `--update.max-grad-norm`",
        format=".2f", title="Norm of the gradient", unit="before it is clipped", live="gradient",
    ),
    "learning_rate": Metric(
        meaning="the learning rate of this step", format=".2g", title="Learning rate"
    ),
    "examples": Metric(meaning="problems, with their references, in the batch", format=",.0f"),
    "prompt_tokens": Metric(
        meaning="tokens in all prompts of the batch, and in the replies of dialogues; the model "
        "reads them, but they carry no loss",
        format=",.0f",
    ),
    "answer_tokens": Metric(
        meaning="tokens in all answers of the batch, including mark-up and end", format=",.0f"
    ),
    "answer_length": Metric(
        meaning="the mean length of an answer; computed, not stored",
        format=".1f", live="answer tokens",
        value=lambda step: step.answer_tokens / step.examples,
    ),
    "worked": Metric(
        meaning="how many of them are worked solutions, if `--data.worked` is set; the live view "
        "shows the share",
        format=".0%", live="worked",
        value=lambda step: None if step.worked is None else step.worked / step.examples,
    ),
    "padding": Metric(
        meaning="the share of computed tokens that were padding", format=".1%", better="lower"
    ),
    "left_out": Metric(
        meaning="problems that could not be taught so far, by environment and reason: "
        "`prompt too long`, `answer too long`, `no reference`, `no worked solution`, "
        "`cannot be marked` (an unmatched brace inside `\\boxed{}`), `deadline`, `error`"
    ),
    "seconds": Metric(
        meaning="the time of each phase; `examples` is the time spent waiting for examples"
    ),
}  # fmt: skip
"""Of rlve.train.teaching.history.TeachingMetrics."""

VALIDATION: dict[str, Metric] = {
    "step": Metric(meaning="the step after which it was measured; 0 is the start"),
    "problems": Metric(meaning="the number of problems, over all environments and levels"),
    "held_out": Metric(meaning="the environments among them that are not trained on"),
    "seen": Metric(
        meaning="the problems that had also come up in training by then: 1 if so, 0 if not, by "
        "environment and level; left out at the start"
    ),
    "measured": Metric(
        meaning="accuracy at the training temperature and at 0.6: the fields below"
    ),
    "too_long": Metric(
        meaning="problems whose prompt exceeds the limit; they count as not solved"
    ),
    "failures": Metric(meaning="outputs that could not be judged; they count as not solved"),
    "seconds": Metric(meaning="the time the measurement took"),
}  # fmt: skip
"""Of rlve.train.history.ValidationRecord."""

ACCURACY: dict[str, Metric] = {
    "temperature": Metric(meaning="the sampling temperature"),
    "by_level": Metric(meaning="the share solved, by environment and level"),
    "solved": Metric(
        meaning="`by_level` for each problem: 1 if solved, 0 if not; the problems never change, so "
        "measurements are compared in pairs"
    ),
    "ill_formed": Metric(meaning="the share of outputs without a readable answer"),
    "truncated": Metric(meaning="the share that reached the response limit"),
    "tokens": Metric(meaning="tokens sampled for the measurement"),
}
"""Of rlve.train.history.Accuracy."""

TABLES: Mapping[str, Table] = {
    "curriculum": CURRICULUM,
    "sampling": SAMPLING,
    "update": UPDATE,
    "teaching": TEACHING,
    "validation": VALIDATION,
    "accuracy": ACCURACY,
}
"""By the names that pages of documentation use."""


def step_table() -> Table:
    """The metrics of a training step."""
    return {**CURRICULUM, **SAMPLING, **UPDATE}
