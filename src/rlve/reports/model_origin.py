"""What a model was trained from, as far as is known: earlier runs, the hub, a licence."""

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, cast

from rlve.errors import UserError
from rlve.foundation.run_folders import CONFIG, checkpoint_at, run_kind, settings_in
from rlve.models.config import PolicyConfig
from rlve.models.locations import check_model, is_gguf
from rlve.text import quantity
from rlve.train.trained_models import CARD

HUB: Final = "https://huggingface.co/"
HUB_NAME: Final = re.compile(r"[\w.-]+(/[\w.-]+)?", re.ASCII)


@dataclass(frozen=True)
class Origin:
    """What a model was trained from."""

    told: str  # in Markdown
    hub: str | None = None  # its name there
    licence: str | None = None


def origin_of(model: str) -> Origin:
    """The origin of the model in `policy.model`; earlier runs are traced back to their start."""
    if model == "nano":
        return Origin("nano, the policy that ships with rlve", licence="mit")
    if found := checkpoint_at(Path(model)):
        return _of_run(found.run, found.step)
    if Path(model).is_dir():
        return _of_folder(Path(model))
    if _is_on_hub(model):
        return Origin(f"[{model}]({HUB}{model})", hub=model)
    return Origin(f"`{Path(model).name}`")


def _is_on_hub(model: str) -> bool:
    """Whether this is a name on the hub: already downloaded, or known to the hub.

    A folder that has been moved looks the same, and a card must not name a stranger's model.
    """
    if is_gguf(model) or not HUB_NAME.fullmatch(model):
        return False
    try:
        check_model(PolicyConfig(model=model))
    except UserError:
        return False
    return True


def _of_run(run: Path, step: int) -> Origin:
    """The checkpoint of an earlier run."""
    if not (run / CONFIG).exists():
        return Origin(f"step {step:,} of the run `{run.name}`")
    kind = run_kind(run).name
    before = origin_of(settings_in(run, kind)["policy"]["model"])
    return replace(before, told=f"{before.told}, after {quantity(step, 'step')} of `rlve {kind}`")


def _of_folder(folder: Path) -> Origin:
    """A folder of a model, which may have a card of its own."""
    found = _front_matter(folder / CARD)
    base, licence = found.get("base_model"), found.get("license")
    return Origin(
        f"`{folder.resolve().name}`",
        hub=base if isinstance(base, str) else None,
        licence=licence if isinstance(licence, str) else None,
    )


def _front_matter(card: Path) -> dict[str, Any]:
    from huggingface_hub import metadata_load
    from yaml import YAMLError

    if not card.is_file():
        return {}
    try:
        return cast(dict[str, Any] | None, metadata_load(card)) or {}
    except (ValueError, YAMLError):  # somebody else's card, which we do not depend on
        return {}
