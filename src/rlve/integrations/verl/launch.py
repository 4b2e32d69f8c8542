"""Building and running the command that starts verl."""

import shlex
import subprocess
import sys
from collections.abc import Sequence

from rlve.errors import require
from rlve.integrations.verl.recipe import Recipe


def command(recipe: Recipe, others: Sequence[str] = ()) -> list[str]:
    """The words of the command; `others` are more settings for verl, and come last."""
    return [sys.executable, "-m", "verl.trainer.main_ppo", *recipe.overrides(), *others]


def write_command(words: Sequence[str]) -> str:
    """The command as one would type it, one setting per line."""
    first, rest = shlex.join(words[:3]), words[3:]
    return " \\\n".join((first, *(f"    {shlex.quote(word)}" for word in rest)))


def launch(words: Sequence[str]) -> int:
    """Run the command, and return its exit code."""
    require("verl", extra="verl", at_least="0.9.1", below="0.10")
    require("TransferQueue", extra="verl", at_least="0.1.11", below="0.2")
    return subprocess.run(words, check=False).returncode
