"""The card of a trained model: what it was trained from and how, what it learnt, how to use it.

    card = model_card(find_trained(Path("runs/nano")), "my-model")

Everything in it is taken from the run's files. The front matter is for model hubs.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import yaml

from rlve import __version__
from rlve.reports.model_origin import Origin, origin_of
from rlve.reports.model_training import Training, changed_settings, training_of
from rlve.reports.model_usage import usage
from rlve.reports.pages import count
from rlve.train.config import Config
from rlve.train.config_files import as_text
from rlve.train.export import TrainedModel
from rlve.train.history import Accuracy, ValidationRecord
from rlve.train.teaching_config import TeachingConfig

PAPER = "https://arxiv.org/abs/2511.07317"
SHOWN_AT_MOST = 16  # rows of a table; a longer one is folded


def model_card(
    trained: TrainedModel,
    name: str,
    *,
    adapter: bool = False,
    base_model: str | None = None,
    licence: str | None = None,
) -> str:
    """The card in Markdown.

    base_model   the original model's name on the hub; by default found from the run's files
    licence      by default the original model's, if known
    """
    origin, training = origin_of(trained.config.policy.model), training_of(trained)
    origin = replace(origin, hub=base_model or origin.hub, licence=licence or origin.licence)
    parts = [
        _front_matter(trained, origin, adapter=adapter),
        f"# {name}",
        f"Trained from {origin.told}, {training.how} ([RLVE]({PAPER})).",
        training.headline,
        "## What it has learnt",
        *_learnt(trained),
        *_curriculum(training),
        "## How to use it",
        *usage(trained, adapter=adapter),
        "## How it was trained",
        table(("", ""), training.facts.items()),
        *_changes(trained, origin),
        "## Limits",
        "\n".join(f"- {limit}" for limit in _limits(trained, origin)),
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


def _front_matter(trained: TrainedModel, origin: Origin, *, adapter: bool) -> str:
    config = trained.config
    learnt = ["reinforcement-learning", config.update.loss] if isinstance(config, Config) else []
    found: dict[str, Any] = {
        "base_model": origin.hub,
        "base_model_relation": ("adapter" if adapter else "finetune") if origin.hub else None,
        "library_name": "peft" if adapter else "transformers",
        "pipeline_tag": "text-generation",
        "license": origin.licence,
        "tags": ["rlve", *(learnt or ["sft"]), *(["lora"] if config.policy.lora_rank else [])],
    }
    known = {key: value for key, value in found.items() if value is not None}
    return f"---\n{yaml.safe_dump(known, sort_keys=False, allow_unicode=True)}---"


def _learnt(trained: TrainedModel) -> list[str]:
    """Accuracy before and after, overall and by environment and level."""
    records = trained.validations
    if not records:
        return ["Accuracy on test problems was not measured."]
    first, last = records[0], records[-1]
    shown = [first] if first.step == last.step else [first, last]
    headings = ("problems", "temperature", "top-p", *(_when(record) for record in shown))
    parts = [
        "Accuracy on test problems, with one output each:",
        table(headings, _accuracy_rows(trained, shown)),
    ]
    if last.step < trained.step:
        parts.append(
            f"This model is from step {trained.step:,}. Accuracy was last measured after step "
            f"{last.step:,}."
        )
    levels = sorted({d for levels in last.measured[0].by_level.values() for d in levels})
    rows = list(_level_rows(shown, levels))
    headings = ("environment", "temperature", *(f"d = {level}" for level in levels))
    arrow = ", before → after" if len(shown) > 1 else ""
    return [*parts, _folded(f"By environment and difficulty d{arrow}:", headings, rows)]


def _when(record: ValidationRecord) -> str:
    return "before (step 0)" if record.step == 0 else f"after step {record.step:,}"


def _accuracy_rows(
    trained: TrainedModel, shown: Sequence[ValidationRecord]
) -> Iterable[Sequence[str]]:
    last = shown[-1]
    others = last.problems - last.trained_problems
    groups = {
        f"{last.trained_problems:,} from {count(len(last.trained), 'environment')} trained on": (
            last.trained
        ),
        f"{others:,} from {count(len(last.held_out), 'environment')} not trained on": last.held_out,
    }
    for what, names in groups.items():
        for index, accuracy in enumerate(last.measured if names else ()):
            shares = (f"{record.measured[index].mean(names):.1%}" for record in shown)
            temperature = accuracy.temperature
            yield what, f"{temperature:g}", f"{trained.top_p(temperature):g}", *shares


def _level_rows(
    shown: Sequence[ValidationRecord], levels: Sequence[int]
) -> Iterable[Sequence[str]]:
    last = shown[-1]
    for index, accuracy in enumerate(last.measured):
        for name in accuracy.by_level:
            kind = f"{name} (not trained on)" if name in last.held_out else name
            at = [record.measured[index] for record in shown]
            yield kind, f"{accuracy.temperature:g}", *(_shares(at, name, d) for d in levels)


def _shares(measured: Sequence[Accuracy], name: str, level: int) -> str:
    found = (each.by_level[name] for each in measured)
    return " → ".join(f"{levels[level]:.0%}" for levels in found if level in levels)


def _curriculum(training: Training) -> list[str]:
    """The difficulties that each environment has reached."""
    if not training.ranges:
        return []
    rows = [
        (name, f"{low} to {high}" if low < high else str(low))
        for name, (low, high) in sorted(training.ranges.items(), key=lambda item: -item[1][1])
    ]
    told = (
        "The difficulties that problems were drawn from at the end of training; h is the highest. "
        + training.curriculum
    )
    return [
        "## Curriculum",
        _folded(told, ("environment", "difficulties"), rows),
    ]


def _changes(trained: TrainedModel, origin: Origin) -> list[str]:
    """All settings: the preset or defaults they come from, and the differences."""
    start, changed = changed_settings(trained.config, hub=origin.hub)
    told = f"Its settings are {start} in rlve {__version__}"
    if not changed:
        return [f"{told}."]
    lines: list[str] = []
    for section, values in changed.items():
        lines += [f"{section}:", *(f"  {key}: {as_text(each)}" for key, each in values.items())]
    return [f"{told}, with these changes:", "\n".join(["```yaml", *lines, "```"])]


def _limits(trained: TrainedModel, origin: Origin) -> Iterable[str]:
    config = trained.config
    yield (
        f"Prompts had at most {config.data.max_prompt_tokens:,} tokens. Problems with longer ones "
        "were not trained on; among the test problems they count as not solved."
    )
    yield f"Outputs were cut off at {trained.max_tokens:,} tokens. {_cut_off(config)}"
    if trained.validations:
        last = trained.validations[-1]
        for each in last.measured:
            yield (
                f"In the last measurement at temperature {each.temperature:g}, "
                f"{each.ill_formed:.1%} of outputs had no readable answer and "
                f"{each.truncated:.1%} reached the response limit."
            )
    yield (
        "Nothing else was measured: not safety, not other tasks, not other languages. Answers were "
        "checked by program, but the reasoning before them was not."
    )
    yield f"It probably shares the limits of the original model ({origin.told})."


def _cut_off(config: Config | TeachingConfig) -> str:
    """What happened to outputs that reached the response limit."""
    if not isinstance(config, Config):
        return "Problems with longer answers were not taught."
    return {
        "train": "Those that reached the limit were trained on like any other.",
        "mask": "Those that reached the limit were not trained on.",
        "penalise": "Those that came close to the limit were trained on with a lower reward.",
    }[config.rollout.overlong]


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def _cell(text: str) -> str:
    return text.replace("|", r"\|").replace("\n", " ")


def _folded(words: str, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table below a few words; if it is long, it is folded."""
    shown = table(headings, rows)
    if len(rows) > SHOWN_AT_MOST:
        summary = f"<summary>{count(len(rows), 'row')}</summary>"
        shown = f"<details>{summary}\n\n{shown}\n\n</details>"
    return f"{words}\n\n{shown}"
