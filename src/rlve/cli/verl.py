"""`rlve verl`."""

from dataclasses import replace
from typing import Annotated

from tyro.conf import UseAppendAction, arg

from rlve.cli._options import Flag, Selection
from rlve.integrations.verl.launch import command, launch, shown
from rlve.integrations.verl.recipe import Recipe


def run(
    recipe: Recipe,
    *,
    selection: Selection = Selection(),  # noqa: B008  frozen
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
        selection: Which environments to train on; C16 if nothing is chosen.
        setting: A setting of verl's own, such as trainer.logger=[console,wandb].
        dry_run: Print the command, and do not run it.
    """
    if selection:
        recipe = replace(recipe, environments=selection.words())
    words = command(recipe, setting)
    print(shown(words), flush=True)
    return 0 if dry_run else launch(words)
