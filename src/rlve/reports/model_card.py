"""The card of a trained model: what it was trained from and how, what it learnt, how to use it.

    card = model_card(find_trained(Path("runs/nano")), "my-model")

Everything in it is taken from the run's files. The text is templates/model_card.md; the front
matter is for model hubs.
"""

import re
from pathlib import Path
from typing import Any, Final

import msgspec
import yaml

from rlve.errors import UserError
from rlve.foundation.run_folders import CONFIG, checkpoint_at, run_kind, settings_in
from rlve.models.config import PolicyConfig
from rlve.models.locations import check_model, is_gguf
from rlve.registry import environment
from rlve.reports import accuracy, teaching, training
from rlve.reports.pages import duration, render
from rlve.train.config import Config
from rlve.train.history import History, read_steps
from rlve.train.loss import LOSSES
from rlve.train.teaching.config import AnyConfig, TeachingConfig
from rlve.train.teaching.history import TeachingHistory, read_teaching_steps
from rlve.train.trained_models import TrainedModel

HUB_NAME: Final = re.compile(r"[\w.-]+(/[\w.-]+)?", re.ASCII)
FILE_NAMED: Final = re.compile(r".+/[^/]+\.py:\w+")


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
    licence      the original model's; only nano's is known by itself
    """
    config, policy = trained.config, trained.config.policy
    first = _first_model(policy.model)
    hub = base_model or _on_hub(first)
    told = hub or training.model_name({"policy": {"model": first}})
    example = environment("Sorting").generate(difficulty=0, seed=0).prompt()
    prompt: Any = trained.format.wrap(example)
    if not isinstance(prompt, str) and policy.system_prompt:
        prompt = [{"role": "system", "content": policy.system_prompt}, *prompt]
    headline, seconds = _told(trained)
    return render(
        "model_card.md",
        front_matter=_front_matter(
            config, hub, licence or ("mit" if first == "nano" else None), adapter=adapter
        ),
        name=name,
        origin=told,
        trained=trained,
        loss=_loss(config.update.loss) if isinstance(config, Config) else None,
        adapter=adapter,
        headline=headline,
        learnt=accuracy.by_level(trained.validations) if trained.validations else None,
        measured=trained.validations[-1].step if trained.validations else None,
        prompt=prompt,
        chat={"add_generation_prompt": True, "return_dict": True, "return_tensors": "pt"}
        | policy.template_options(),
        stop_strings=list(policy.stop_strings),
        time=duration(seconds),
        settings=_settings(config, told),
    )


def _first_model(model: str) -> str:
    """The model that the earliest of a chain of runs began with."""
    followed: set[Path] = set()  # a file may say anything, such as that a run began with itself
    while (found := checkpoint_at(Path(model))) and (found.run / CONFIG).exists():
        if found.run in followed:
            break
        followed.add(found.run)
        model = settings_in(found.run, run_kind(found.run).name)["policy"]["model"]
    return model


def _on_hub(model: str) -> str | None:
    """Its name on the hub, if it is there; a folder that has been moved looks the same."""
    if Path(model).exists() or is_gguf(model) or not HUB_NAME.fullmatch(model):
        return None
    try:
        check_model(PolicyConfig(model=model))
    except UserError:
        return None
    return None if model == "nano" else model


def _front_matter(config: AnyConfig, hub: str | None, licence: str | None, *, adapter: bool) -> str:
    learnt = ["sft"]
    if isinstance(config, Config):
        learnt = ["reinforcement-learning", config.update.loss.rpartition(":")[2].lower()]
    found: dict[str, Any] = {
        "base_model": hub,
        "base_model_relation": ("adapter" if adapter else "finetune") if hub else None,
        "library_name": "peft" if adapter else "transformers",
        "pipeline_tag": "text-generation",
        "license": licence,
        "tags": ["rlve", *learnt, *(["lora"] if config.policy.lora_rank else [])],
    }
    known = {key: value for key, value in found.items() if value is not None}
    return yaml.safe_dump(known, sort_keys=False, allow_unicode=True)


def _loss(name: str) -> str:
    return LOSSES[name].title if name in LOSSES else _without_folders(name)


def _told(trained: TrainedModel) -> tuple[str, float]:
    """What the run did up to the checkpoint, in a few sentences, and how long it took."""
    run, measured = trained.run, [*trained.validations]
    if isinstance(trained.config, TeachingConfig):
        taught = [step for step in read_teaching_steps(run) if step.step <= trained.step]
        lesson = TeachingHistory(run, settings_in(run, "teach"), taught, [], measured)
        return teaching.headline(lesson) if taught else "", lesson.seconds
    steps = [step for step in read_steps(run) if step.step <= trained.step]
    history = History(run, settings_in(run, "train"), steps, [], measured)
    return training.headline(history) if steps else "", history.seconds


def _settings(config: AnyConfig, model: str) -> str:
    """All settings; the folders of the training machine are private, and left out."""
    plain = _without_folders(msgspec.to_builtins(config, enc_hook=lambda path: path.name))
    del plain["run"]["folder"]
    plain["policy"]["model"] = model
    return yaml.safe_dump(plain, sort_keys=False, allow_unicode=True).rstrip()


def _without_folders(value: Any) -> Any:
    """Settings with FILE.py:NAME in place of FOLDER/FILE.py:NAME."""
    match value:
        case dict():
            return {key: _without_folders(each) for key, each in value.items()}
        case list() | tuple():
            return [*map(_without_folders, value)]
        case str() if FILE_NAMED.fullmatch(value):
            return value.rpartition("/")[2]
        case _:
            return value
