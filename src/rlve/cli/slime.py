"""`rlve slime`."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from tyro.conf import arg

from rlve.cli._options import Selection
from rlve.foundation.files import STDOUT, replacing
from rlve.integrations.slime.recipe import Recipe
from rlve.reports.terminal import echo


def run(
    recipe: Recipe,
    *,
    selection: Selection = Selection(),  # noqa: B008  frozen
    output: Annotated[Path, arg(aliases=["-o"], metavar="FILE")] = STDOUT,
) -> None:
    """Print a script that trains with slime, using the paper's recipe.

    slime trains on any number of GPU nodes, with Megatron, SGLang and Ray. Edit the script as you
    like, and run it in slime's container with rlve installed. The same script resumes a stopped run
    from the last checkpoint in its folder.

    Args:
        recipe: The run.
        selection: The environments to train on; C16 by default.
        output: Where to write the script; - is stdout.
    """
    if selection:
        recipe = replace(recipe, environments=selection.words())
    script = recipe.fitted().script()
    with replacing(output) as file:
        file.write(script.encode())
    if output != STDOUT:
        output.chmod(0o755)
        echo(f"The script is {output}", file=sys.stderr)
