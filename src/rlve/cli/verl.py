"""`rlve verl`."""

from typing import Annotated

from tyro.conf import UseAppendAction, arg

from rlve.cli._options import Flag
from rlve.integrations.verl.launch import command, launch, shown
from rlve.integrations.verl.recipe import Recipe


def run(
    recipe: Recipe,
    *,
    setting: Annotated[
        UseAppendAction[tuple[str, ...]],
        arg(name="set", metavar="KEY=VALUE", help_behavior_hint="(can be repeated)"),
    ] = (),
    dry_run: Flag = False,
) -> int:
    """Train with verl: print its command, with the paper's recipe, and run it.

    verl trains on any number of nodes with GPUs, on Ray. The command that is printed can be
    changed and run without rlve verl; every setting of verl's can be given here, too.

    The same command resumes a run that was stopped, from the last checkpoint in its folder. On
    more than one node, start Ray on all of them first and run this on one.

    Args:
        recipe: The run.
        setting: A setting of verl's own, such as trainer.logger=[console,wandb].
        dry_run: Print the command, and do not run it.
    """
    words = command(recipe, setting)
    print(shown(words), flush=True)
    return 0 if dry_run else launch(words)
