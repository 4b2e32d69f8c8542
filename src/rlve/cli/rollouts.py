"""`rlve rollouts`."""

import re
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated

import msgspec
from tyro.conf import Positional, UseAppendAction, arg

from rlve.cli._examples import Wanted, write_examples
from rlve.cli._options import Flag, Load, metavar
from rlve.cli._problems import heading, open_worker
from rlve.contract import Environment, Explanation
from rlve.errors import UserError
from rlve.formats import FORMATS, PLAIN, Format
from rlve.foundation.files import line
from rlve.foundation.limits import AtLeastOne, AtLeastZero, check_limit
from rlve.levels import as_difficulties
from rlve.pool import Request
from rlve.registry import environment, environments
from rlve.reports.pages import VerdictWord, shorten, verdict_word
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
    step: Annotated[str | None, metavar("INT|RANGE")] = None,
    difficulty: Annotated[str | None, metavar("INT|RANGE", "-d")] = None,
    verdict: Annotated[VerdictWord | None, metavar("{correct,wrong,ill-formed}")] = None,
    count: Annotated[int, arg(aliases=["-n"])] = 3,
    characters: int = 2000,
    output: Annotated[Path | None, metavar("FILE", "-o")] = None,
    per_problem: int = 4,
    load: Load = (),
    json: Flag = False,
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
        step: Only problems of this step, or of a range of steps such as 10..20.
        difficulty: Only problems of this difficulty, or of a range such as 0..3.
        verdict: Only outputs with this verdict, and problems that have any.
        count: The number of problems to show, latest last; 0 shows all.
        characters: Longer texts are cut in the middle to this length; 0 shows everything.
        output: Write correct, finished outputs to this file, .jsonl or .parquet.
        per_problem: The most different outputs to write for one problem.
        load: Your own file or module that defines environments of the run; it says the reasons.
        json: Print JSON instead, one line per problem.
    """
    check_limit("count", count, AtLeastZero)
    check_limit("characters", characters, AtLeastZero)
    check_limit("per-problem", per_problem, AtLeastOne)
    load_code(*load)
    if output is not None:
        levels = None if difficulty is None else set(as_difficulties(difficulty))
        steps = None if step is None else _steps(step)
        write_examples(folder, output, per_problem, Wanted(environment, levels, steps))
        return
    history = read_history(folder)
    samples = history.samples
    if not samples:
        raise UserError(f"{folder} has no rollouts yet")
    wanted = deque(
        _choose(samples, environment, step, difficulty, verdict), maxlen=count or len(samples)
    )
    if not wanted:
        raise UserError(f"none of the rollouts in {folder} match; {_what_there_is(samples)}")
    if json:
        for sample in wanted:
            echo(line(sample).decode(), end="")
        return
    format = FORMATS.get(str(history.config.get("policy", {}).get("format")), PLAIN)
    for number, (sample, reasons) in enumerate(zip(wanted, _reasons(wanted, format), strict=True)):
        if number:
            echo()
        _show(sample, reasons, characters or sys.maxsize)


def _choose(
    samples: list[GroupSample],
    names: tuple[str, ...],
    step: str | None,
    difficulty: str | None,
    verdict: VerdictWord | None,
) -> Iterator[GroupSample]:
    steps = None if step is None else _steps(step)
    levels = None if difficulty is None else set(as_difficulties(difficulty))
    for sample in samples:
        narrowed = sample if verdict is None else _with_only(sample, verdict)
        if (
            narrowed is not None
            and (not names or sample.environment in names)
            and (steps is None or sample.step in steps)
            and (levels is None or sample.difficulty in levels)
        ):
            yield narrowed


def _steps(text: str) -> range:
    """A step (3), or a range including both ends (10..20)."""
    ends = re.fullmatch(r"([0-9]{1,9})(?:\.\.([0-9]{1,9}))?", text)
    if ends is None:
        raise UserError(f"a step must be an integer such as 10, or a range 10..20, not {text}")
    first, last = int(ends[1]), int(ends[2] or ends[1])
    if last < first:
        raise UserError(f"the range of steps {text} is empty")
    return range(first, last + 1)


def _with_only(sample: GroupSample, verdict: VerdictWord) -> GroupSample | None:
    """The problem with only those of its outputs that have this verdict; None if none has."""
    outputs = [output for output in sample.outputs if verdict_word(output.verdict) == verdict]
    if not outputs:
        return None
    by_reward = sorted(outputs, key=lambda output: -output.verdict.reward)
    return msgspec.structs.replace(
        sample, best=by_reward[0], worst=by_reward[-1], others=by_reward[1:-1]
    )


def _reasons(samples: Iterable[GroupSample], format: Format) -> list[dict[str, str]]:
    """For each problem, the reasons of its outputs' verdicts by their texts, where they are known.

    A problem is generated anew; a run does not store it, and may come from another version.
    """
    reasons: list[dict[str, str]] = []
    with open_worker() as pool:
        for sample in samples:
            problem = None
            if sample.environment in environments():
                wanted = Request(environment(sample.environment), sample.difficulty, sample.seed)
                (problem,) = pool.generate([wanted])
            if not isinstance(problem, Environment) or problem.prompt() not in sample.prompt:
                reasons.append({})
                continue
            wrong = [output for output in sample.outputs if not output.verdict.correct]
            told = pool.explain(((problem, o.text) for o in wrong), marker=format.marker)
            reasons.append(
                {
                    output.text: found.reason
                    for output, found in zip(wrong, told, strict=True)
                    if isinstance(found, Explanation) and found.reward == output.verdict.reward
                }
            )
    return reasons


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


def _what_there_is(samples: list[GroupSample]) -> str:
    names = sorted({sample.environment for sample in samples})
    levels = [sample.difficulty for sample in samples]
    listed = ", ".join(names) if len(names) <= 8 else f"{len(names)} environments"
    return (
        f"there are steps {samples[0].step:,} to {samples[-1].step:,} and difficulties "
        f"{min(levels)} to {max(levels)} of {listed}"
    )
