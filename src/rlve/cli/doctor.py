"""`rlve doctor`."""

from rlve.cli import FAULTY
from rlve.reports import machine
from rlve.reports.concerns import ADVICE
from rlve.reports.terminal import echo, print_table, print_text


def run() -> int:
    """Check this machine: versions, extras, GPU, memory, sandbox, and what will be slow.

    Extras are optional parts of the package: pip install 'rlve[NAME]'. The exit code is 1 if
    problems cannot be generated and judged here.
    """
    gpus, workers, extras = machine.gpus(), machine.workers(), machine.extras()
    for name, value in machine.facts(gpus, workers).items():
        print_text(f"{name:13} {value}")
    echo()
    rows = [(extra.name, extra.installed, extra.missing) for extra in extras]
    print_table(("extra", "installed", "missing"), rows)
    echo()
    for text in machine.advice(extras, gpus):
        print_text(text)
    echo(f"When something goes wrong: {ADVICE}")
    return 0 if workers == machine.WORKING else FAULTY
