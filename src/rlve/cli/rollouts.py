"""`rlve rollouts`."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, UseAppendAction, arg

from rlve.cli._examples import Wanted, write_examples
from rlve.cli._options import Load, metavar
from rlve.cli._problems import heading, open_worker
from rlve.contract import Environment, Explanation
from rlve.errors import UserError
from rlve.formats import FORMATS, PLAIN, Format
from rlve.foundation.limits import AtLeastOne, AtLeastZero, check_limit
from rlve.levels import as_difficulties
from rlve.pool import Pool, Request
from rlve.registry import environment, environments
from rlve.reports.pages import shorten, verdict_word
from rlve.reports.terminal import echo, print_text
from rlve.targets import load_code
from rlve.train.history import GroupSample, read_history


def run(
    folder: Annotated[Positional[Path], metavar("RUN")],
    /,
    *,
    environment: Annotated[
        UseAppendAction[tuple[str, ...]], metavar("NAME", "-e", hint="(can be repeated)")
    ] = (),
    difficulty: Annotated[str | None, metavar("INT|RANGE", "-d")] = None,
    count: Annotated[int, arg(aliases=["-n"])] = 3,
    characters: int = 2000,
    output: Annotated[Path | None, metavar("FILE", "-o")] = None,
    per_problem: int = 4,
    load: Load = (),
) -> None:
    """Show what a training run's policy answered, with the verdicts.

    A run stores some of its problems, each with some of its outputs, including the best and the
    worst (--run.samples-every and --run.sampled-outputs of `rlve train`). This shows the latest,
    even during the run. The reason follows an output that is not correct. Control characters in
    outputs are shown as codes.

    With -o, the correct outputs that were not cut off are written to a file instead, as "messages"
    or as "prompt" and "completion", for `rlve teach --data.file` and other supervised trainers. The
    folder may then also be that of an evaluation, which stores all its outputs. Dialogues are left
    out.

    Args:
        folder: The folder of a training run; with -o, of an evaluation as well.
        environment: Only problems of this environment.
        difficulty: Only problems of this difficulty, or of a range such as 0..3.
        count: The number of problems to show, latest last; 0 shows all.
        characters: Longer texts are cut in the middle to this length; 0 shows everything.
        output: Write correct, finished outputs to this file, .jsonl or .parquet.
        per_problem: The most different outputs to write for one problem.
        load: Your own file or module that defines environments of the run; it says the reasons.
    """
    check_limit("count", count, AtLeastZero)
    check_limit("characters", characters, AtLeastZero)
    check_limit("per-problem", per_problem, AtLeastOne)
    load_code(*load)
    wanted = Wanted(environment, None if difficulty is None else {*as_difficulties(difficulty)})
    if output is not None:
        write_examples(folder, output, per_problem, wanted)
        return
    history = read_history(folder)
    if not history.samples:
        raise UserError(f"{folder} has no rollouts yet")
    samples = [sample for sample in history.samples if wanted.takes(sample)][-count:]
    if not samples:
        raise UserError(f"none of the rollouts in {folder} match")
    format = FORMATS.get(str(history.config.get("policy", {}).get("format")), PLAIN)
    with open_worker() as pool:
        for number, sample in enumerate(samples):
            if number:
                echo()
            _show(sample, _reasons(pool, sample, format), characters or sys.maxsize)


def _reasons(pool: Pool, sample: GroupSample, format: Format) -> dict[str, str]:
    """The reasons of verdicts by the outputs' texts, where they are known.

    The problem is generated anew; a run does not store it, and may come from another version.
    """
    if sample.environment not in environments():
        return {}
    wanted = Request(environment(sample.environment), sample.difficulty, sample.seed)
    (problem,) = pool.generate([wanted])
    if not isinstance(problem, Environment) or problem.prompt() not in sample.prompt:
        return {}
    wrong = [output for output in sample.outputs if not output.verdict.correct]
    told = pool.explain(((problem, output.text) for output in wrong), marker=format.marker)
    return {
        output.text: found.reason
        for output, found in zip(wrong, told, strict=True)
        if isinstance(found, Explanation) and found.reward == output.verdict.reward
    }


def _show(sample: GroupSample, reasons: Mapping[str, str], most: int) -> None:
    echo(heading(f"step {sample.step:,}: {sample.environment}, difficulty {sample.difficulty}"))
    print_text(shorten(sample.prompt, most))
    reference = "(none)" if sample.reference is None else shorten(sample.reference, most)
    echo(f"\n{heading('reference')}\n{reference}")
    for output in sample.outputs:
        verdict = output.verdict
        number = f"output {output.place + 1} of {len(sample.rewards)}"
        echo(f"\n{heading(f'{number}, {verdict_word(verdict)}, reward {output.reward:.4g}')}")
        print_text(shorten(output.text, most))
        if output.text in reasons:
            print_text(f"\n[{reasons[output.text]}]")
