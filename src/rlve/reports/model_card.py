"""The card of a trained model: what it was trained from and how, what it learnt, how to use it.

    card = model_card(find_trained(Path("runs/nano")), "my-model")

Everything in it is taken from the run's files. The text is templates/model_card.md; the front
matter is for model hubs.
"""

import json
import re
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, Final

import msgspec
import yaml

from rlve import __version__
from rlve.catalogue import CATALOGUE
from rlve.collections import collection, is_collection
from rlve.foundation.files import find_differences
from rlve.foundation.run_folders import settings_in
from rlve.registry import environment
from rlve.reports import teaching, training
from rlve.reports.model_origin import Origin, origin_of
from rlve.reports.pages import duration, join_words, render, templates
from rlve.text import quantity
from rlve.train.config import Config
from rlve.train.config_files import as_text
from rlve.train.history import History, read_steps
from rlve.train.loss import LOSSES
from rlve.train.presets import PRESETS
from rlve.train.teaching.config import TeachingConfig, teaching_config
from rlve.train.teaching.history import TeachingHistory, read_teaching_steps
from rlve.train.trained_models import TrainedModel

NAMED_AT_MOST: Final = 16  # environments
PLACES: Final = {"environments", "without", "curriculum", "loss", "dataset"}  # which can be files
PROBLEM: Final = "{problem}"


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
    config, policy = trained.config, trained.config.policy
    origin = origin_of(policy.model)
    origin = replace(origin, hub=base_model or origin.hub, licence=licence or origin.licence)
    example = next(_examples(trained), None)
    start, changed = changed_settings(config, hub=origin.hub)
    problem = "What is 17 + 25?"
    if example is not None:
        problem = environment(example).generate(difficulty=0, seed=0).prompt()
    prompt: Any = trained.format.wrap(PROBLEM)
    if not isinstance(prompt, str) and policy.system_prompt:
        prompt = [{"role": "system", "content": policy.system_prompt}, *prompt]
    ticks = max(map(len, re.findall("`+", f"{problem}{prompt}")), default=0)
    templates().filters |= {"python": _literal, "around": _around, "cell": _cell, "yaml": as_text}
    return render(
        "model_card.md",
        front_matter=_front_matter(config, origin, adapter=adapter),
        name=name,
        origin=origin,
        trained=trained,
        config=config,
        policy=policy,
        adapter=adapter,
        **_training(trained),
        **_learnt(trained),
        fence="`" * max(3, ticks + 1),
        prompt=prompt,
        chat={"add_generation_prompt": True, "return_dict": True, "return_tensors": "pt"}
        | policy.template_options(),
        problem=problem,
        example=example,
        stop_strings=list(policy.stop_strings),
        evaluation=_evaluation(trained),
        update=config.update,
        start=start,
        changed=changed,
        version=__version__,
    )


def _front_matter(config: Config | TeachingConfig, origin: Origin, *, adapter: bool) -> str:
    learnt: list[str] = []
    if isinstance(config, Config):
        learnt = ["reinforcement-learning", config.update.loss.rpartition(":")[2].lower()]
    found: dict[str, Any] = {
        "base_model": origin.hub,
        "base_model_relation": ("adapter" if adapter else "finetune") if origin.hub else None,
        "library_name": "peft" if adapter else "transformers",
        "pipeline_tag": "text-generation",
        "license": origin.licence,
        "tags": ["rlve", *(learnt or ["sft"]), *(["lora"] if config.policy.lora_rank else [])],
    }
    known = {key: value for key, value in found.items() if value is not None}
    return yaml.safe_dump(known, sort_keys=False, allow_unicode=True)


def _training(trained: TrainedModel) -> dict[str, Any]:
    """What the run did, up to the checkpoint."""
    run, config = trained.run, trained.config
    names = join_words(map(_without_folder, config.data.environments))
    if isinstance(config, TeachingConfig):
        steps = [step for step in read_teaching_steps(run) if step.step <= trained.step]
        history = TeachingHistory(run, settings_in(run, "teach"), steps, [], [*trained.validations])
        without = f" without {join_words(config.data.without)}" if config.data.without else ""
        own: dict[str, Any] = {
            "taught": True,
            "headline": teaching.headline(history) if steps else "",
            "problems": f"{names}{without}, difficulties {', '.join(map(str, config.data.levels))}",
            "ranges": [],
        }
    else:
        steps = [step for step in read_steps(run) if step.step <= trained.step]
        history = History(run, settings_in(run, "train"), steps, [], [*trained.validations])
        chosen = history.curriculum
        bounds = {name: steps[-1].bounds[name] for name in history.environments}
        if config.data.dataset is not None:
            names = f"the file `{config.data.dataset.name}`"
        elif len(bounds) > NAMED_AT_MOST or {*bounds} != {*config.data.environments}:
            names = f"{names} ({quantity(len(bounds), 'environment')})"
        loss = config.update.loss
        own = {
            "taught": False,
            "headline": training.headline(history) if steps else "",
            "problems": names,
            "loss": LOSSES[loss].title if loss in LOSSES else _without_folder(loss),
            "ranges": sorted(bounds.items(), key=lambda item: -item[1][1]),
            "curriculum": replace(
                chosen, curriculum=_without_folder(chosen.curriculum)
            ).explained(),
        }
    return own | {"steps": steps, "time": duration(history.seconds)}


def _learnt(trained: TrainedModel) -> dict[str, Any]:
    """Accuracy before and after, and on what."""
    records = trained.validations
    if not records:
        return {"measured": [], "last": None}
    last = records[-1]
    others = last.problems - last.trained_problems
    return {
        "measured": [last] if records[0].step == last.step else [records[0], last],
        "last": last,
        "asked": (
            (last.trained_problems, last.trained, "trained on"),
            (others, last.held_out, "not trained on"),
        ),
        "levels": sorted({d for levels in last.measured[0].by_level.values() for d in levels}),
    }


def _evaluation(trained: TrainedModel) -> str:
    """The command that asks the model as in training."""
    policy = trained.config.policy
    words = ["rlve", "eval", "--model", "FOLDER", "--format", trained.format.name]
    if policy.system_prompt:
        words += ["--system-prompt", policy.system_prompt]
    if policy.template_arguments:
        words += ["--template-arguments", *policy.template_arguments]
    if policy.stop_strings:
        words += ["--stop-strings", *policy.stop_strings]
    return shlex.join([*words, "--suite", "held-out"])


def _examples(trained: TrainedModel) -> Iterator[str]:
    """The environments of RLVE-Gym that it was trained on; no code is loaded that settings name."""
    data = trained.config.data
    if getattr(data, "dataset", None) is not None:
        return
    excluded = set(_in_catalogue(getattr(data, "without", ())))
    for name in _in_catalogue(data.environments):
        if name not in excluded and not environment(name).marked:
            yield name


def _in_catalogue(names: Iterable[str]) -> Iterator[str]:
    for name in names:
        if is_collection(name):
            yield from collection(name)
        elif name in CATALOGUE:
            yield name


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
        name = min(presets, key=lambda name: len(find_differences(presets[name], mine)))
        start, theirs = f"those of the preset `{name}`", presets[name]
    else:
        start, theirs = "the defaults of `rlve teach`", _plain(teaching_config(config.policy.model))
    if config.policy.model != hub:
        del mine["policy"]["model"]  # the card describes it
    changed: dict[str, dict[str, Any]] = {}
    for section, values in mine.items():
        for key, value in values.items():
            if value != theirs[section][key]:
                if key in PLACES:
                    one = isinstance(value, str)
                    value = _without_folder(value) if one else [*map(_without_folder, value)]
                changed.setdefault(section, {})[key] = value
    return start, changed


def _plain(config: Config | TeachingConfig) -> dict[str, dict[str, Any]]:
    found = msgspec.to_builtins(config, enc_hook=str)
    del found["run"]["folder"]
    return found


def _without_folder(text: str) -> str:
    """The name of a file, or of FILE.py:CLASS, without its folders; any other name as it is."""
    return text.rpartition("/")[2]


def _cell(text: str) -> str:
    return text.replace("|", r"\|").replace("\n", " ")


def _literal(value: object) -> str:
    """A value in Python, texts in double quotes."""
    match value:
        case str():
            return json.dumps(value, ensure_ascii=False)
        case list():
            return f"[{', '.join(map(_literal, value))}]"  # pyright: ignore[reportUnknownArgumentType]
        case _:
            return repr(value)


def _around(text: str) -> str:
    """An expression for a text that contains the problem."""
    before, mark, after = text.partition(PROBLEM)
    parts = (
        _literal(before) if before else "",
        mark and "problem",
        _literal(after) if after else "",
    )
    return " + ".join(filter(None, parts))
