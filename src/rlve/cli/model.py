"""`rlve model`."""

from pathlib import Path
from typing import Annotated

from tyro.conf import Positional

from rlve.cli._options import metavar
from rlve.models.folders import Precision, make_folder
from rlve.models.threads import share_cores
from rlve.reports.terminal import echo


def run(
    source: Annotated[Positional[str], metavar("MODEL")],
    folder: Annotated[Positional[Path], metavar("FOLDER")],
    *,
    revision: Annotated[str | None, metavar("REVISION")] = None,
    dtype: Precision = "float32",
) -> None:
    """Turn a GGUF file, or a model on the hub, into an ordinary Hugging Face folder.

    Args:
        source: A GGUF file (.gguf), a folder, or a hub name.
        folder: The folder to write; it must be new.
        revision: The branch, tag or commit of a model on the hub.
        dtype: The precision of the weights in the folder; bfloat16 takes half of the space.
    """
    share_cores()
    made = make_folder(source, folder, revision=revision, dtype=dtype)
    echo(f"{made.parameters / 1e6:,.1f} million parameters, in {made.folder}")
    echo(f"Teach it with: rlve teach --policy.model {made.folder}")
