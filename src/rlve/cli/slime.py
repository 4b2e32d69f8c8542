"""`rlve slime`."""

import sys
from pathlib import Path
from typing import Annotated

from tyro.conf import arg

from rlve.files import replacing
from rlve.integrations.slime.recipe import Recipe


def run(
    recipe: Recipe,
    *,
    output: Annotated[Path, arg(aliases=["-o"], metavar="FILE")] = Path("-"),
) -> int:
    """Print the script that trains with slime, with the paper's recipe.

    slime trains on any number of nodes with GPUs, on Megatron, SGLang and Ray. Run the script in
    slime's container, where rlve is installed, too; change it first as you like. The same script
    resumes a run that was stopped, from the last checkpoint in its folder.

    Args:
        recipe: The run.
        output: Where to write the script; - is stdout.
    """
    script = recipe.script()
    with replacing(output) as file:
        file.write(script.encode())
    if output != Path("-"):
        output.chmod(0o755)
        print(f"The script is {output}", file=sys.stderr)
    return 0
