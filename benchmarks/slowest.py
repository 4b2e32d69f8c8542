"""Where generating a problem or judging an answer takes longest.

    OMP_NUM_THREADS=1 python benchmarks/slowest.py                  all at d = 0 to 20
    OMP_NUM_THREADS=1 python benchmarks/slowest.py SAT --levels 8..12 --problems 60

First a few problems of every cell, an environment at one level, are timed. Then cells with a slow
one are timed with more problems, the first ones included; they are printed with the slowest first.
Times are of the processor, in milliseconds. What seems slow is timed three times, and the fastest
counts, because a busy machine is slower. The exit code is 1 if a cell breaks a promise of the
package: generation within 0.25 s (p99), and every verdict within 50 ms.
"""

import sys
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import Annotated, TypeVar

import msgspec
import tyro
from tyro.conf import Positional, arg

from rlve.collections import resolve
from rlve.contract import AnyEnvironment
from rlve.errors import UserError
from rlve.foundation.files import append_line
from rlve.levels import as_difficulties
from rlve.registry import environment, environments

sys.path.insert(0, str(Path(__file__).parents[1]))
from experiments.simulated_policy import corrupt

GENERATION_P99 = 250.0  # milliseconds
SLOWEST_VERDICT = 50.0
LOOK_CLOSER = 60.0  # at a cell in which a problem takes longer to generate,
LOOK_CLOSER_AT_VERDICTS = 20.0  # or a verdict longer to reach

T = TypeVar("T")


class Cell(msgspec.Struct, frozen=True):
    """The times of an environment at one level, one for each problem, in milliseconds."""

    name: str
    difficulty: int
    generation: list[float]
    reference: list[float]
    verdict: list[float]  # of the reference and of a corrupted one, whichever took longer

    @property
    def is_slow(self) -> bool:
        return (
            max(self.generation) > LOOK_CLOSER
            or max(self.verdict, default=0.0) > LOOK_CLOSER_AT_VERDICTS
        )

    @property
    def breaks_a_promise(self) -> bool:
        return (
            quantile(self.generation, 0.99) > GENERATION_P99
            or max(self.verdict, default=0.0) > SLOWEST_VERDICT
        )


def main(
    names: Annotated[Positional[tuple[str, ...]], arg(metavar="[NAME ...]")] = (),
    /,
    *,
    levels: Annotated[str, arg(aliases=["-d"], metavar="LIST")] = "0..20",
    problems: int = 4,
    closer: int = 60,
    seed: Annotated[int, arg(aliases=["-s"])] = 900_000,
    output: Annotated[
        Path | None, arg(aliases=["-o"], metavar="FILE", help_behavior_hint="")
    ] = None,
) -> int:
    """Find the environments and levels at which the gym is slowest.

    Args:
        names: Environments and collections to measure; all by default.
        levels: Difficulties: 3, or 0,4,8, or 0..20 for 0 to 20. Those beyond an environment's
            highest are left out.
        problems: How many problems of every cell to time.
        closer: How many problems of a slow cell to time.
        seed: The first seed; problems have this one and the next ones.
        output: Add the times of every cell to this JSON-lines file.
    """
    if problems < 1:
        raise UserError("--problems must be above 0")
    slow: list[Cell] = []
    for env in map(environment, resolve(names or environments())):
        time_problem(env, 0, seed)  # imports what it needs
        for d in as_difficulties(levels):
            if env.max_difficulty is None or d <= env.max_difficulty:
                cell = measure(env, d, range(seed, seed + problems))
                if cell.is_slow and closer > problems:
                    cell = measure(env, d, range(seed, seed + closer))
                if cell.is_slow:
                    slow.append(cell)
                    print(line_of(cell), file=sys.stderr, flush=True)
                if output is not None:
                    append_line(output, cell)
    show(slow)
    return 1 if any(cell.breaks_a_promise for cell in slow) else 0


def measure(env: AnyEnvironment, d: int, seeds: Iterable[int]) -> Cell:
    """Time some problems of a cell."""
    times = [time_problem(env, d, seed) for seed in seeds]
    generation, reference, verdict = (list(column) for column in zip(*times, strict=True))
    return Cell(env.__name__, d, generation, reference, verdict)


def time_problem(env: AnyEnvironment, d: int, seed: int) -> tuple[float, float, float]:
    """How long it takes to generate a problem, to find its reference, and to reach a verdict."""
    problem, generation = timed(partial(env.generate, difficulty=d, seed=seed), LOOK_CLOSER)
    text, reference = timed(problem.reference, LOOK_CLOSER)
    verdicts = [0.0]
    if text is not None:
        for answer in (text, corrupt(text, Random(seed))):
            judge = partial(problem.verify, f"<answer>{answer}</answer>")
            verdicts.append(timed(judge, LOOK_CLOSER_AT_VERDICTS)[1])
    return generation, reference, max(verdicts)


def timed(call: Callable[[], T], slow: float) -> tuple[T, float]:
    """What the call returns, and how long it takes: if that is slow, the fastest of three times."""
    result, fastest = _timed_once(call)
    for _ in range(2):
        if fastest > slow:
            fastest = min(fastest, _timed_once(call)[1])
    return result, round(fastest, 2)


def _timed_once(call: Callable[[], T]) -> tuple[T, float]:
    start = time.process_time()
    result = call()
    return result, 1000 * (time.process_time() - start)


def quantile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[round(share * (len(ordered) - 1))]


def line_of(cell: Cell) -> str:
    return (
        f"{'* ' if cell.breaks_a_promise else '  '}{cell.name:45}{cell.difficulty:4}"
        f"{len(cell.generation):5}{quantile(cell.generation, 0.5):9.1f}"
        f"{quantile(cell.generation, 0.99):9.1f}{max(cell.generation):9.1f}"
        f"{max(cell.reference):11.1f}{max(cell.verdict):9.1f}"
    )


def show(slow: Sequence[Cell]) -> None:
    """Print the slow cells, the slowest first."""
    print(f"{'':51}{'generation, ms':>32}{'slowest':>11}{'slowest':>9}")
    print(
        f"  {'environment':45}{'d':>4}{'n':>5}{'p50':>9}{'p99':>9}{'max':>9}"
        f"{'reference':>11}{'verdict':>9}"
    )
    for cell in sorted(slow, key=lambda cell: max(cell.generation), reverse=True):
        print(line_of(cell))


if __name__ == "__main__":
    try:
        sys.exit(tyro.cli(main, config=(tyro.conf.OmitArgPrefixes,)))
    except UserError as error:
        print(f"slowest.py: {error}", file=sys.stderr)
        sys.exit(2)
