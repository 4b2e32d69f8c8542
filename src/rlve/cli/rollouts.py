"""`rlve rollouts`."""

from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

from tyro.conf import Positional, UseAppendAction, arg

from rlve.cli._options import Flag
from rlve.cli.show import heading
from rlve.contract import Verdict
from rlve.errors import UserError
from rlve.files import line
from rlve.levels import as_difficulties
from rlve.reports.terminal import harmless, print_text
from rlve.train.history import GroupSample, SampledOutput, read_history

Found = Literal["correct", "wrong", "ill-formed"]


def run(
    folder: Annotated[Positional[Path], arg(metavar="RUN", help_behavior_hint="")],
    /,
    *,
    environment: Annotated[
        UseAppendAction[tuple[str, ...]],
        arg(aliases=["-e"], metavar="NAME", help_behavior_hint="(can be repeated)"),
    ] = (),
    step: Annotated[str | None, arg(metavar="INT|RANGE", help_behavior_hint="")] = None,
    difficulty: Annotated[
        str | None, arg(aliases=["-d"], metavar="INT|RANGE", help_behavior_hint="")
    ] = None,
    verdict: Annotated[
        Found | None, arg(metavar="{correct,wrong,ill-formed}", help_behavior_hint="")
    ] = None,
    count: Annotated[int, arg(aliases=["-n"])] = 3,
    characters: int = 2000,
    json: Flag = False,
) -> None:
    """Show what the policy of a training run has answered, with the verdicts.

    A run writes down some of its problems, and some of the outputs to each, the best and the worst
    among them (--run.samples-every and --run.sampled-outputs of `rlve train`). The latest are
    shown, also while the run goes on. Control characters in outputs are shown as codes.

    Args:
        folder: The folder of a training run.
        environment: Only problems of this environment.
        step: Only those of this step, or of steps such as 10..20.
        difficulty: Only problems of this difficulty, or of several such as 0..3.
        verdict: Only outputs that were found to be that.
        count: How many problems, the latest of them; 0 is all.
        characters: Show only the beginning and the end of longer texts; 0 shows all.
        json: Print JSON instead: a line for each problem.
    """
    samples = read_history(folder).samples
    if not samples:
        raise UserError(f"{folder} has no rollouts yet")
    wanted = deque(
        _chosen(samples, environment, step, difficulty, verdict), maxlen=count or len(samples)
    )
    if not wanted:
        raise UserError(
            f"none of the rollouts in {folder} is of that kind; {_what_there_is(samples)}"
        )
    for number, (sample, outputs) in enumerate(wanted):
        if json:
            print(line(sample).decode(), end="")
            continue
        if number:
            print()
        _show(sample, outputs, characters or None)


def _chosen(
    samples: list[GroupSample],
    names: tuple[str, ...],
    step: str | None,
    difficulty: str | None,
    verdict: Found | None,
) -> Iterator[tuple[GroupSample, list[SampledOutput]]]:
    steps = None if step is None else set(as_difficulties(step))
    levels = None if difficulty is None else set(as_difficulties(difficulty))
    for sample in samples:
        outputs = [each for each in sample.outputs if verdict in (None, found(each.verdict))]
        if (
            outputs
            and (not names or sample.environment in names)
            and (steps is None or sample.step in steps)
            and (levels is None or sample.difficulty in levels)
        ):
            yield sample, outputs


def found(verdict: Verdict) -> Found:
    """A verdict in a word."""
    return "correct" if verdict.correct else "wrong" if verdict.well_formed else "ill-formed"


def _show(sample: GroupSample, outputs: list[SampledOutput], most: int | None) -> None:
    print(heading(f"step {sample.step:,}: {sample.environment}, difficulty {sample.difficulty}"))
    print_text(harmless(_cut(sample.prompt, most)))
    reference = "(none)" if sample.reference is None else _cut(sample.reference, most)
    print(f"\n{heading('reference')}\n{harmless(reference)}")
    for output in outputs:
        verdict = output.verdict
        place = (
            "" if output.place is None else f"output {output.place + 1} of {len(sample.rewards)}, "
        )
        print(f"\n{heading(f'{place}{found(verdict)}, reward {verdict.reward:.4g}')}")
        print_text(harmless(_cut(output.text, most)))


def _cut(text: str, most: int | None) -> str:
    if most is None or len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]}\n[... {len(text) - 2 * half:,} characters ...]\n{text[-half:]}"


def _what_there_is(samples: list[GroupSample]) -> str:
    names = sorted({sample.environment for sample in samples})
    levels = [sample.difficulty for sample in samples]
    some = ", ".join(names) if len(names) <= 8 else f"{len(names)} environments"
    return (
        f"there are steps {samples[0].step:,} to {samples[-1].step:,}, difficulties {min(levels)} "
        f"to {max(levels)}, of {some}"
    )
