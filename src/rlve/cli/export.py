"""`rlve export`."""

from pathlib import Path
from typing import Annotated, TypeAlias

from tyro.conf import Positional, arg

from rlve.cli._next_steps import after_export
from rlve.cli._options import Flag, metavar
from rlve.models.folders import check_new
from rlve.models.threads import share_cores
from rlve.reports.terminal import echo
from rlve.train.trained_models import CARD, WeightsType, export_model, find_trained

Step: TypeAlias = Annotated[int | None, metavar("STEP", hint="(default: the latest)")]
Name: TypeAlias = Annotated[str | None, metavar("NAME")]


def run(
    trained_by: Annotated[Positional[Path], metavar("RUN")],
    folder: Annotated[Positional[Path], metavar("FOLDER")],
    *,
    checkpoint: Step = None,
    adapter: Flag = False,
    dtype: WeightsType = "float32",
    base_model: Name = None,
    licence: Annotated[Name, arg(name="license")] = None,
) -> None:
    """Export a run's model, with a model card.

    The folder holds what transformers, vLLM and model hubs expect: the weights, with LoRA adapters
    merged in; the tokenizer with its chat template; the sampling settings that accuracy was
    measured with; and README.md, the model card. The card says what the model was trained from and
    with which settings, its accuracy before and after, and how to use it. Everything in it is taken
    from the run's files.

    Args:
        trained_by: The folder of a run of `rlve train` or `rlve teach`.
        folder: The folder to write; it must be new.
        checkpoint: The checkpoint to export, by its step.
        adapter: Export the LoRA adapters alone, to be loaded on top of the original model.
        dtype: How to store the weights. Training keeps them in float32; bfloat16 halves the size.
        base_model: The original model's name on the hub, if it was trained from a folder.
        licence: The original model's licence, to be named in the card; nano's is known.
    """
    check_new(folder)
    share_cores()
    trained = find_trained(trained_by, step=checkpoint)
    from rlve.reports.model_card import model_card

    card = model_card(
        trained,
        folder.resolve().name,
        adapter=adapter,
        base_model=base_model,
        licence=licence,
    )
    made = export_model(trained, folder, card=card, adapter=adapter, dtype=dtype)
    what = "adapter" if adapter else "model"
    echo(f"Exported the {what} of step {trained.step:,} of {trained_by} to {made.folder}")
    echo(f"Its card is {made.folder / CARD}; read it before you publish the model.")
    if not adapter:
        echo(f"Next: {after_export(trained.config, made.folder, trained.format.name)}")
