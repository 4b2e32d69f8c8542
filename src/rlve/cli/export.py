"""`rlve export`."""

from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, arg

from rlve.cli._options import Flag
from rlve.models.folders import check_new
from rlve.models.threads import share_cores
from rlve.train.export import WeightsType, export_model, find_trained


def run(
    trained_by: Annotated[Positional[Path], arg(metavar="RUN", help_behavior_hint="")],
    folder: Annotated[Positional[Path], arg(metavar="FOLDER", help_behavior_hint="")],
    *,
    checkpoint: Annotated[int | None, arg(metavar="STEP", help_behavior_hint="(the latest)")] = (
        None
    ),
    adapter: Flag = False,
    dtype: WeightsType = "float32",
    base_model: Annotated[str | None, arg(metavar="NAME", help_behavior_hint="")] = None,
    licence: Annotated[str | None, arg(name="license", metavar="NAME", help_behavior_hint="")] = (
        None
    ),
) -> int:
    """Export the model of a run, with a model card, to be loaded elsewhere or published.

    The folder holds what transformers, vLLM and a model hub ask for: the weights, low-rank adapters
    merged into them; the tokenizer with its chat template; the settings of sampling that accuracy
    was measured with; and README.md, the card. It says what the model was trained from and how,
    accuracy before and after, the difficulties reached, and how to use it, all taken from the
    files of the run.

    Args:
        trained_by: The folder of a run of `rlve train` or `rlve teach`.
        folder: Where to write the model; a new folder.
        checkpoint: The checkpoint to export.
        adapter: The low-rank adapters alone, to be loaded on top of the original model.
        dtype: What the weights are stored in. Training keeps them in float32; bfloat16 takes half.
        base_model: The name on the hub of the model it was trained from, if that was a folder.
        licence: The licence that the card names; by default the original model's, if it is known.
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
    print(f"The {what} after step {trained.step:,} of {trained_by} is in {made.folder}")
    print(f"Its card is {made.folder / 'README.md'}; read it before you publish it.")
    return 0
