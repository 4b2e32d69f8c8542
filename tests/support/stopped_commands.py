"""Commands that read a folder, and stop where work would begin."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import tyro

from rlve import UserError

PARSED = tyro.cli


class FarEnough(UserError):
    """The command has accepted the folder."""


def stop(*_, **__):
    raise FarEnough("the folder was accepted")


def directly(call, *, args, **options):
    """What tyro does with the flags used here; it needs a tenth of a second for many settings."""
    words = {word: Path(value) for word, value in pairwise(args)}
    if "--resume" in words:
        return call(resume=words["--resume"])
    if "--run.folder" in words:
        config = call.keywords["config"]
        run = replace(config.run, folder=words["--run.folder"])
        return call(*args[:-2], config=replace(config, run=run))
    return PARSED(call, args=args, **options)
