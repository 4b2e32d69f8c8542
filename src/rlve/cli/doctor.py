"""`rlve doctor`."""

from pathlib import Path

from rlve.cli import FAULTY
from rlve.cli._options import Flag
from rlve.foundation.files import pretty
from rlve.reports.concerns import ADVICE
from rlve.reports.machine import examine
from rlve.reports.terminal import echo, print_table, print_text


def run(*, json: Flag = False) -> int:
    """Check this machine: versions, extras, GPU, memory, sandbox, and what will be slow.

    Extras are optional parts of the package: pip install 'rlve[NAME]'. The exit code is 1 if
    something that is installed does not work.

    Args:
        json: Print everything as JSON.
    """
    machine = examine(Path())
    if json:
        echo(pretty(machine).decode(), end="")
        return 0 if machine.sound else FAULTY
    width = max(map(len, machine.facts))
    for name, value in machine.facts.items():
        print_text(f"{name:{width}}  {value}")
    echo()
    print_table(("extra", "state"), ((extra.name, extra.state) for extra in machine.extras))
    if machine.advice:
        echo()
        for text in machine.advice:
            print_text(text)
    echo()
    echo(f"When something goes wrong: {ADVICE}")
    return 0 if machine.sound else FAULTY
