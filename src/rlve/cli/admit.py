"""`rlve admit`."""

import shutil
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional

from rlve.cli import FAULTY
from rlve.cli._options import OutputFile, metavar
from rlve.cli._replies import Replies, asking
from rlve.cli.eval import EngineOptions, ServerOptions
from rlve.drafts.admission import Certificate, admit
from rlve.drafts.gates import GATES, SHOWN
from rlve.errors import UserError
from rlve.formats import Prompt
from rlve.foundation.files import pretty, write_whole
from rlve.reports.terminal import echo, print_table, progress_bar


def run(
    target: Annotated[Positional[str], metavar("FILE.py:CLASS")],
    /,
    *,
    solver: Annotated[Path, metavar("SOLVER.py")],
    model: Annotated[str | None, metavar("MODEL", "-m", hint="(default: none)")] = None,
    server: ServerOptions = ServerOptions(),  # noqa: B008  frozen
    sampling: EngineOptions = EngineOptions(),  # noqa: B008  frozen
    output: OutputFile = None,
) -> int:
    """Decide by program whether an environment that somebody else wrote is admitted.

    The solver is a second program, written from prompts by somebody who has not seen the
    environment: solve(prompt) returns an answer or None, and accepts(prompt, answer), needed where
    several answers are right, says whether one is. Both run in the sandbox only, which needs Linux.
    A table says which gates held, and what is wrong where one did not. The exit code is 1 unless
    the environment is admitted.

    Args:
        target: The environment to admit.
        solver: A program that solves its problems from prompts alone.
        model: Also ask this model, on a server or here: it must solve some problems at difficulty
            0, and fewer at higher ones.
        server: The server that runs the model, if one does.
        sampling: How its outputs are drawn.
        output: Write the certificate, JSON with hashes, figures and faults, to this file.
    """
    where, _, name = target.rpartition(":")
    if not where.endswith(".py") or not name.isidentifier():
        raise UserError(f"name a class in a file, FILE.py:CLASS, not {target!r}")
    ask = asking(model, server, sampling)
    with progress_bar("gates") as bar:
        task = bar.add_task("", total=len(GATES) + (ask is not None))
        certificate = admit(
            Path(where),
            name,
            solver,
            model=None if ask is None else lambda prompts: _outputs(ask, prompts),
            progress=lambda gate: bar.update(task, advance=1, description=gate),
        )
    if output is not None:
        write_whole(output, pretty(certificate))
    _print(certificate)
    return 0 if certificate.admitted else FAULTY


def _outputs(ask: Replies, prompts: Sequence[Prompt]) -> list[str]:
    numbered = {str(number): prompt for number, prompt in enumerate(prompts)}
    texts = {name: output.text for name, output in ask(numbered)}
    return [texts[name] for name in numbered]


def _print(certificate: Certificate) -> None:
    rows = [
        (
            finding.gate,
            "held" if finding.held else "did not",
            ", ".join(f"{name} {value}" for name, value in finding.figures.items()),
        )
        for finding in certificate.findings
    ]
    print_table(("gate", "", "figures"), rows)
    width = min(shutil.get_terminal_size().columns, 100)
    for finding in certificate.findings:
        if not finding.held:
            echo(f"\n{finding.gate}")
            for fault in finding.faults[:SHOWN]:
                echo(textwrap.fill(fault, width, initial_indent="  ", subsequent_indent="    "))
            if len(finding.faults) > SHOWN:
                echo(f"  and {len(finding.faults) - SHOWN:,} more; --output writes all")
    echo(f"\n{certificate.environment} is {'' if certificate.admitted else 'not '}admitted.")
