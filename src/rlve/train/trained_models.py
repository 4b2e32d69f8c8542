"""The model of a run as a folder of its own, for transformers, for vLLM and for a hub.

    trained = find_trained(Path("runs/nano"))             its latest checkpoint
    export_model(trained, Path("my-model"), card="# My model")

Adapters are merged into the weights, unless they are exported alone. The folder's default sampling
settings are those with which the run measured accuracy, and end outputs where the run did.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from rlve.errors import UserError, require
from rlve.foundation.files import write_whole
from rlve.foundation.run_folders import MODEL, checkpoints, run_kind, step_of
from rlve.models.config import PolicyConfig
from rlve.models.folders import MadeFolder, check_new, new_folder, parameters_of
from rlve.models.locations import require_torch
from rlve.train.config import read_config
from rlve.train.history import ValidationRecord, read_validations
from rlve.train.teaching.config import AnyConfig, read_teaching_config

if TYPE_CHECKING:
    from rlve.formats import Format
    from rlve.models.policy import Policy

CARD = "README.md"

WeightsType: TypeAlias = Literal["float32", "bfloat16"]
"""The type in which weights are stored."""


@dataclass(frozen=True)
class TrainedModel:
    """A checkpoint of a run of `rlve train` or `rlve teach`, and what the run knows about it."""

    run: Path
    checkpoint: Path
    config: AnyConfig
    step: int
    version: str  # of the rlve that wrote the checkpoint
    format: "Format"  # how problems were put to the model
    validations: tuple[ValidationRecord, ...]  # up to the checkpoint

    @property
    def max_tokens(self) -> int:
        """The response limit."""
        return self.config.limits[1]

    @property
    def temperature(self) -> float:
        """The last temperature of the latest measurement; without one, that of training."""
        if not self.validations:
            return self.config.temperature
        return self.validations[-1].measured[-1].temperature

    def top_p(self, temperature: float) -> float:
        """The top-p with which accuracy is measured at a temperature."""
        return 1.0 if temperature == self.config.temperature else self.config.validation.top_p


def find_trained(run: Path, *, step: int | None = None) -> TrainedModel:
    """The model of a run after a step; by default that of its latest checkpoint."""
    kind = run_kind(run).name
    if kind not in ("train", "teach"):
        raise UserError(f"{run} is a run of `rlve {kind}`, not of `rlve train` or `rlve teach`")
    require_torch("a trained model")
    from rlve.models.policy import load_reader
    from rlve.train.checkpoint import load_state

    config = read_config(run) if kind == "train" else read_teaching_config(run)
    if config.policy.lora_rank:
        require("peft", extra="lora", at_least="0.18", what="policy.lora-rank")
    place = _checkpoint(run, step)
    state = load_state(place)
    return TrainedModel(
        run=run,
        checkpoint=place,
        config=config,
        step=state.step,
        version=state.version,
        format=load_reader(_source(config, place)).format,
        validations=tuple(each for each in read_validations(run) if each.step <= state.step),
    )


def _checkpoint(run: Path, step: int | None) -> Path:
    """The checkpoint of a step; a UserError if it is missing or damaged."""
    from rlve.train.checkpoint import damage

    known = {step_of(place): place for place in checkpoints(run)}
    if not known:
        raise UserError(f"{run} has no checkpoint yet; a run that Ctrl-C ends writes one")
    if step is not None and step not in known:
        there = ", ".join(map(str, known))
        raise UserError(f"{run} has no checkpoint of step {step}; it has those of {there}")
    place = known[max(known) if step is None else step]
    if (trouble := damage(place)) is not None:
        raise UserError(
            f"the checkpoint {place} is damaged ({trouble}); choose another with --checkpoint"
        )
    return place


def _source(config: AnyConfig, checkpoint: Path) -> PolicyConfig:
    """The model to load: the checkpoint's own or, with adapters, the one they belong to."""
    policy = replace(config.policy, device="cpu", gradient_checkpointing=False, attention="auto")
    if policy.lora_rank:
        return policy
    return replace(policy, model=str(checkpoint / MODEL), revision=None)


def export_model(
    trained: TrainedModel,
    folder: Path,
    *,
    card: str,
    adapter: bool = False,
    dtype: WeightsType = "float32",
) -> MadeFolder:
    """Write the model into a new folder, which appears complete or not at all.

    card      the text of its README.md
    adapter   the low-rank adapters alone, to be loaded on top of the model they were trained on
    dtype     the type in which to store the weights; training keeps them in float32
    """
    check_new(folder)
    if adapter and not trained.config.policy.lora_rank:
        raise UserError(f"{trained.run} has no adapter: it trained all weights")
    import torch

    from rlve.models.policy import load_policy

    policy = load_policy(_source(trained.config, trained.checkpoint), context=0)
    model = policy.model
    if trained.config.policy.lora_rank:
        policy.load_weights(trained.checkpoint / MODEL)
        if not adapter:
            model = model.merge_and_unload()
    model = model.to(getattr(torch, dtype))
    if not adapter:
        model.generation_config = _generation(trained, policy)
    with new_folder(folder) as draft:
        model.save_pretrained(draft)
        policy.tokenizer.save_pretrained(draft)
        write_whole(draft / CARD, card.encode())
    return MadeFolder(folder, parameters_of(model), str(trained.checkpoint))


def _generation(trained: TrainedModel, policy: "Policy") -> Any:
    """The default sampling settings: those with which accuracy was measured.

    The original model's own, such as a repetition penalty, were not used in training.
    """
    from transformers import GenerationConfig

    before, ends = policy.model.generation_config, list(policy.stop_tokens)
    pad = before.pad_token_id
    temperature = trained.temperature
    sampling: dict[str, Any] = {"do_sample": False}
    if temperature > 0:
        top_p = trained.top_p(temperature)
        sampling = {"do_sample": True, "temperature": temperature, "top_p": top_p, "top_k": 0}
    return GenerationConfig(
        bos_token_id=before.bos_token_id,
        eos_token_id=ends[0] if len(ends) == 1 else ends,
        pad_token_id=policy.tokenizer.pad_token_id if pad is None else pad,
        **sampling,
    )
