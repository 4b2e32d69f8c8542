"""How a model was trained, from the files of its run: a description, and its settings."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

import msgspec

from rlve.files import differing
from rlve.reports import teaching, training
from rlve.reports.pages import count, duration, listed
from rlve.run_folders import settings_in
from rlve.train.config import Config, OptimiserConfig
from rlve.train.export import TrainedModel
from rlve.train.history import History, TimedStep, read_steps
from rlve.train.loss import LOSSES
from rlve.train.presets import PRESETS
from rlve.train.teaching_config import TeachingConfig, teaching_config
from rlve.train.teaching_history import TeachingHistory, read_teaching_steps

NAMED_AT_MOST: Final = 16  # environments
PLACES: Final = {"environments", "without", "curriculum", "dataset"}  # which can be files


class Training(NamedTuple):
    """What a card says about a run, up to the checkpoint."""

    how: str
    headline: str
    facts: dict[str, str]
    ranges: Mapping[str, tuple[int, int]]  # the difficulties of each environment, at the end
    curriculum: str  # how they were chosen


def training_of(trained: TrainedModel) -> Training:
    """Everything a card says about a run."""
    if isinstance(trained.config, Config):
        return _rewarded(trained, trained.config)
    return _taught(trained, trained.config)


def _rewarded(trained: TrainedModel, config: Config) -> Training:
    steps = [step for step in read_steps(trained.run) if step.step <= trained.step]
    history = History(
        trained.run, settings_in(trained.run, "train"), steps, [], [*trained.validations]
    )
    rollout, update, curriculum = config.rollout, config.update, history.curriculum
    outputs = sum(step.prompts for step in steps) * rollout.group
    tokens = sum(step.tokens for step in steps)
    kl = f", with a KL term of {update.kl:g}" if update.kl else ""
    own = {
        "algorithm": f"{LOSSES[update.loss].title}{kl}",
        "problems": _problems(config, history),
        "batch": f"{rollout.problems:,} problems x {rollout.group} outputs",
        "sampled": f"{outputs:,} outputs, {tokens:,} tokens",
        "sampling": f"temperature {rollout.temperature:g}, at most {rollout.max_tokens:,} tokens",
        "reward": "the shaped one" if rollout.signal == "reward" else "1 if correct, 0 if not",
    }
    return Training(
        "by reinforcement learning with adaptive verifiable environments",
        training.headline(history) if steps else "",
        own | _facts(trained, steps),
        {name: steps[-1].bounds[name] for name in history.environments},
        replace(curriculum, curriculum=_named(curriculum.curriculum)).explained(),
    )


def _taught(trained: TrainedModel, config: TeachingConfig) -> Training:
    steps = [step for step in read_teaching_steps(trained.run) if step.step <= trained.step]
    history = TeachingHistory(
        trained.run, settings_in(trained.run, "teach"), steps, [], [*trained.validations]
    )
    levels = ", ".join(map(str, config.data.levels))
    without = f" without {listed(config.data.without)}" if config.data.without else ""
    names = listed(map(_named, config.data.environments))
    examples, tokens = sum(step.examples for step in steps), sum(step.tokens for step in steps)
    own = {
        "algorithm": "supervised learning of right answers",
        "problems": f"{names}{without}, difficulties {levels}",
        "batch": f"{config.data.examples:,} problems",
        "read": f"{examples:,} problems with their answers, {tokens:,} tokens",
    }
    return Training(
        "on right answers to problems of verifiable environments",
        teaching.headline(history) if steps else "",
        own | _facts(trained, steps),
        {},
        "",
    )


def _facts(trained: TrainedModel, steps: Sequence[TimedStep]) -> dict[str, str]:
    """What both kinds of run have in common."""
    config = trained.config
    seconds = steps[-1].seconds.get("in all", 0.0) if steps else 0.0
    return {
        "steps": f"{trained.step:,} of {config.run.steps:,}",
        "time": duration(seconds),
        "optimiser": _optimiser(config.update),
        "weights": _weights(config),
        "seed": str(config.run.seed),
        "rlve": trained.version or "unknown (an early version)",
    }


def _problems(config: Config, history: History) -> str:
    if config.data.dataset is not None:
        return f"the file `{config.data.dataset.name}`"
    names, told = history.environments, listed(map(_named, config.data.environments))
    if len(names) <= NAMED_AT_MOST and {*names} == {*config.data.environments}:
        return told
    return f"{told} ({count(len(names), 'environment')})"


def _optimiser(update: OptimiserConfig) -> str:
    falls = "constant" if update.schedule == "constant" else f"{update.schedule}, to zero"
    warmup = f", {count(update.warmup_steps, 'warm-up step')}" if update.warmup_steps else ""
    return (
        f"AdamW ({update.beta1:g}, {update.beta2:g}), learning rate {update.learning_rate:g} "
        f"({falls}{warmup}), weight decay {update.weight_decay:g}"
    )


def _weights(config: Config | TeachingConfig) -> str:
    policy = config.policy
    if not policy.lora_rank:
        return "all trained"
    alpha = 2 * policy.lora_rank if policy.lora_alpha is None else policy.lora_alpha
    where = listed(policy.lora_targets) or "all linear layers"
    return f"LoRA on {where}: rank {policy.lora_rank}, alpha {alpha:g}"


def changed_settings(
    config: Config | TeachingConfig, *, hub: str | None
) -> tuple[str, dict[str, dict[str, Any]]]:
    """The closest named settings, and what was changed in them, by section.

    The folders of the training machine are private: files are given by name only, and the model
    only if it is `hub`, a name on the hub.
    """
    mine = _plain(config)
    if isinstance(config, Config):
        presets = {name: _plain(make()) for name, make in PRESETS.items()}
        name = min(presets, key=lambda name: len(differing(presets[name], mine)))
        start, theirs = f"those of the preset `{name}`", presets[name]
    else:
        start, theirs = "the defaults of `rlve teach`", _plain(teaching_config(config.policy.model))
    if config.policy.model != hub:
        del mine["policy"]["model"]  # the card describes it
    changed: dict[str, dict[str, Any]] = {}
    for section, values in mine.items():
        for key, value in values.items():
            if value != theirs[section][key]:
                told = _without_folders(value) if key in PLACES else value
                changed.setdefault(section, {})[key] = told
    return start, changed


def _plain(config: Config | TeachingConfig) -> dict[str, dict[str, Any]]:
    found = msgspec.to_builtins(config, enc_hook=str)
    del found["run"]["folder"]
    return found


def _without_folders(value: Any) -> Any:
    return _named(value) if isinstance(value, str) else list(map(_named, value))


def _named(text: str) -> str:
    """The name of a file, or of FILE.py:CLASS, without its folders; any other name as it is."""
    return text.rpartition("/")[2]
