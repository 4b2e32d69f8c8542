"""`rlve verl`."""

from dataclasses import replace
from typing import Annotated

from tyro.conf import UseAppendAction

from rlve.cli._options import Flag, Selection, metavar
from rlve.integrations.verl.launch import command, launch, write_command
from rlve.integrations.verl.recipe import Recipe
from rlve.reports.terminal import echo


def run(
    recipe: Recipe,
    *,
    selection: Selection = Selection(),  # noqa: B008  frozen
    setting: Annotated[
        UseAppendAction[tuple[str, ...]], metavar("KEY=VALUE", name="set", hint="(can be repeated)")
    ] = (),
    dry_run: Flag = False,
) -> int:
    """Train with verl: print its command for the paper's recipe, and run it.

    verl trains on any number of GPU nodes, with Ray. You can edit the printed command and run it
    without rlve verl; you can also give any verl setting here.

    The printed command, or --folder, resumes a stopped run from the last checkpoint in its folder.
    For several nodes, start Ray on all of them first, and run this on one.

    Args:
        recipe: The run.
        selection: The environments to train on; C16 by default.
        setting: One of verl's own settings, such as trainer.logger=[console,wandb].
        dry_run: Print the command without running it.
    """
    if selection:
        recipe = replace(recipe, environments=selection.words())
    words = command(recipe.fitted(), setting)
    echo(write_command(words))
    return 0 if dry_run else launch(words)
