"""`rlve completion`."""

from collections.abc import Iterable
from importlib import import_module
from typing import Annotated, Any, Literal, Union

import tyro
from tyro.conf import Positional, arg

from rlve.cli import COMMANDS, markers
from rlve.cli._help_texts import help_registry
from rlve.collections import COLLECTIONS
from rlve.registry import dialogues, environments, families
from rlve.reports.terminal import echo

# tyro's scripts complete commands, flags and their choices. Where they know nothing that fits, the
# names of environments and the like are tried, and files.
BASH = r"""
_rlve() {
    local IFS=$'\n' begun="${COMP_WORDS[COMP_CWORD]}"
    _tyro_rlve
    if [[ -z "${COMPREPLY[*]}" ]]; then
        COMPREPLY=($(compgen -W "@NAMES@" -- "$begun"))
        # If there is nothing, the shell itself completes files, which it does better.
        [[ -z "${COMPREPLY[*]}" ]] || COMPREPLY+=($(compgen -f -- "$begun"))
    fi
}
complete -o default -F _rlve rlve
"""
FISH = r"""
function _rlve
    set -l begun (commandline -ct)
    set -l found (_tyro_rlve | string match -- $begun'*')
    test -n "$found"; or set found (printf '%s\n' '@NAMES@') (__fish_complete_path $begun)
    printf '%s\n' $found
end
complete --erase --command rlve
complete --no-files --command rlve --arguments '(_rlve)'
"""


def run(
    shell: Annotated[Positional[Literal["bash", "zsh", "fish"]], arg(help_behavior_hint="")], /
) -> None:
    """Print a script that lets a shell complete commands, flags and names.

    Write it to a file once, and again after an update: for bash,
    ~/.local/share/bash-completion/completions/rlve, or any file that ~/.bashrc sources; for zsh, a
    file that ~/.zshrc sources below compinit; for fish, ~/.config/fish/completions/rlve.fish.

    Args:
        shell: bash, zsh or fish.
    """
    if shell == "zsh":  # tyro's own script for zsh does not complete the values of flags
        echo("autoload -U +X bashcompinit && bashcompinit")
    commands: list[Any] = []
    for name in COMMANDS:
        module = import_module(f"rlve.cli.{name}")
        command = tyro.conf.subcommand(name, prefix_name=False)
        commands.append(Annotated[(module.run, command, *markers(module))])
    written = ["--tyro-write-completion", "fish" if shell == "fish" else "bash", "-"]
    try:
        every: Any = Union[tuple(commands)]  # noqa: UP007  there is a list of them
        tyro.cli(every, prog="rlve", args=written, registry=help_registry())
    except SystemExit:  # it has printed its script
        echo((FISH if shell == "fish" else BASH).replace("@NAMES@", "\n".join(_names())))


def _names() -> Iterable[str]:
    from rlve.evaluate.benchmarks import BENCHMARKS
    from rlve.train.presets import PRESETS

    return (
        *environments(),
        *dialogues(),
        *COLLECTIONS,
        *families(),
        *PRESETS,
        *BENCHMARKS,
    )
