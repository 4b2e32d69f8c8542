"""How a run put problems to its policy, which its checkpoints should be asked the same way."""

from dataclasses import dataclass, replace
from pathlib import Path

from rlve.files import read_record
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


def trained_policy(model: str) -> TrainedPolicy | None:
    """The run that a model is a checkpoint of: RUN/checkpoints/STEP, or the folder model in it."""
    place = Path(model).resolve()
    checkpoint = place.parent if place.name == "model" else place
    run = checkpoint.parent.parent
    config = run / "config.json"
    if checkpoint.parent.name != "checkpoints" or not (checkpoint.is_dir() and config.is_file()):
        return None
    policy = read_record(config, _Settings, missing=f"{config} has disappeared").policy
    if policy is None:
        return None
    if policy.format == "auto":
        has_template = (checkpoint / "model" / TEMPLATE).is_file()
        policy = replace(policy, format="chat" if has_template else "base")
    return TrainedPolicy(run, policy)
