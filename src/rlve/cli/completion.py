"""`rlve completion`."""

from typing import Annotated, Literal

from tyro.conf import Positional, arg

BASH = r"""
_rlve() {
    local IFS=$'\n'
    COMPREPLY=($(rlve __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f 1))
}
complete -o default -F _rlve rlve
"""

ZSH = r"""
#compdef rlve
_rlve() {
    local -a found described
    local line
    found=("${(@f)$(rlve __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
    for line in $found; do
        described+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
    done
    if (( $#described )); then
        _describe -t words 'rlve' described
    else
        _files
    fi
}
compdef _rlve rlve
"""

FISH = r"""
function __rlve_complete
    set -l words (commandline -opc)
    set -l found (rlve __complete $words[2..-1] "$(commandline -ct)" 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c rlve -f -a '(__rlve_complete)'
"""

SCRIPTS = {"bash": BASH, "zsh": ZSH, "fish": FISH}


def run(
    shell: Annotated[Positional[Literal["bash", "zsh", "fish"]], arg(help_behavior_hint="")], /
) -> None:
    """Print a script that lets a shell complete commands, flags, environments and collections.

    For bash, put `eval "$(rlve completion bash)"` in ~/.bashrc; for zsh, put the same with zsh in
    ~/.zshrc, below compinit; for fish, run `rlve completion fish >
    ~/.config/fish/completions/rlve.fish` once.

    Args:
        shell: bash, zsh or fish.
    """
    print(SCRIPTS[shell].strip())
