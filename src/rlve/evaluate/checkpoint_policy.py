"""How a run put problems to its policy, which its checkpoints should be asked the same way."""

from dataclasses import dataclass, replace
from pathlib import Path

from rlve.foundation.files import read_record
from rlve.foundation.run_folders import CONFIG, MODEL, checkpoint_at
from rlve.models.config import PolicyConfig

TEMPLATE = "chat_template.jinja"  # in the folder of a model that has one


@dataclass(frozen=True)
class TrainedPolicy:
    """A checkpoint's run, and the settings of the policy; its format is never auto."""

    run: Path
    policy: PolicyConfig


@dataclass(frozen=True)
class _Settings:
    """What a run's config.json says about the policy; without one it is another program's."""

    policy: PolicyConfig | None = None


def find_trained_policy(model: str) -> TrainedPolicy | None:
    """The run that a model is a checkpoint of: RUN/checkpoints/STEP, or the folder model in it."""
    place = checkpoint_at(Path(model).resolve())
    if place is None or not place.folder.is_dir() or not (place.run / CONFIG).is_file():
        return None
    config = place.run / CONFIG
    policy = read_record(config, _Settings, missing=f"{config} has disappeared").policy
    if policy is None:
        return None
    if policy.format == "auto":
        has_template = (place.folder / MODEL / TEMPLATE).is_file()
        policy = replace(policy, format="chat" if has_template else "base")
    return TrainedPolicy(place.run, policy)
