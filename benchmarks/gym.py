"""How fast the gym generates problems and judges answers.

    python benchmarks/gym.py                           all environments at d = 0, 4, 8, 12
    python benchmarks/gym.py Sorting SAT --levels 0..20
    python benchmarks/gym.py --family graphs --seconds 1 -o graphs.json
    python benchmarks/gym.py C16 --seed 9000           other problems

Every row is one environment at one level, measured in CPU time in this process and, batch by batch,
through pools. The package promises generation within 0.25 s (p99), every verdict within 50 ms, even
on long hostile answers, and correct references. Rows that break a promise are marked with an
asterisk and listed at the end, and the exit code is then 1.
"""

import json
import math
import os
import platform
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from random import Random
from statistics import harmonic_mean
from typing import Annotated, TypeVar

import tyro
from tyro.conf import Positional, UseAppendAction, arg

from rlve.collections import resolve
from rlve.contract import AnyEnvironment, Problem
from rlve.errors import UserError
from rlve.foundation.files import replacing
from rlve.levels import as_difficulties
from rlve.pool import Failure, Pool, Request
from rlve.registry import environment, environments
from rlve.reports.terminal import progress_bar
from rlve.rules.hostile_outputs import long_answers, long_outputs

sys.path.insert(0, str(Path(__file__).parents[1]))
from experiments.simulated_policy import corrupt

GENERATION_P99 = 0.25  # seconds
SLOWEST_VERDICT = 0.05
DEADLINE = 20.0  # for one call in this process or in a pool, and for a cell with slow problems
PROBLEMS_AT_LEAST = 20  # per cell; with fewer, a p99 says little
PROBLEMS_AT_MOST = 1000

T = TypeVar("T")


@dataclass(frozen=True)
class Times:
    """Seconds that single calls took; all 0 if there were none."""

    count: int
    mean: float
    p50: float
    p99: float
    max: float

    @classmethod
    def of(cls, seconds: Sequence[float]) -> "Times":
        if not seconds:
            return cls(0, 0.0, 0.0, 0.0, 0.0)
        ordered = sorted(seconds)
        last = len(ordered) - 1
        p50, p99 = ordered[round(0.5 * last)], ordered[round(0.99 * last)]
        return cls(len(ordered), sum(ordered) / len(ordered), p50, p99, ordered[-1])


@dataclass(frozen=True)
class Rates:
    """Problems and verdicts per second."""

    problems: float
    verdicts: float


@dataclass(frozen=True)
class Cell:
    """One environment at one level."""

    name: str
    difficulty: int
    generation: Times
    reference: Times  # to compute the reference answer
    right: Times  # verdicts on the reference
    wrong: Times  # verdicts on a corrupted reference
    slowest: float  # verdict, on these and on long hostile answers
    rates: dict[str, Rates]  # by where: "here", "pool 1", ...
    broken: list[str]


def main(
    names: Annotated[Positional[tuple[str, ...]], arg(metavar="[NAME ...]")] = (),
    /,
    *,
    family: Annotated[UseAppendAction[tuple[str, ...]], arg(aliases=["-f"])] = (),
    levels: Annotated[str, arg(aliases=["-d"], metavar="LIST")] = "0,4,8,12",
    seconds: float = 0.25,
    seed: Annotated[int, arg(aliases=["-s"])] = 0,
    workers: Annotated[tuple[int, ...], arg(metavar="INT ...")] = (1, 2),
    output: Annotated[
        Path | None, arg(aliases=["-o"], metavar="FILE", help_behavior_hint="")
    ] = None,
) -> int:
    """Measure problems and verdicts per second, per environment and level and in total.

    Args:
        names: Environments and collections to measure; all by default.
        family: Only the environments of this family; can be repeated.
        levels: Difficulties: 3, or 0,4,8, or 0..20 for 0 to 20. An environment that does not go
            that far is measured at its highest difficulty instead.
        seconds: Time for generating in this process, per environment and level; the verdicts and
            every pool take about as long again. A slow environment takes the time of 20 problems.
        seed: The first seed; problems have this one and the next ones.
        workers: Sizes of the pools to measure; give the flag without a value for no pool.
        output: Write all measurements to this JSON file.
    """
    wanted = [environment(name) for name in resolve(names or environments(), families=family)]
    difficulties = as_difficulties(levels)
    if seconds <= 0 or any(count < 1 for count in workers):
        raise UserError("--seconds and --workers must be above 0")
    if output is not None and not output.parent.is_dir():
        raise UserError(f"{output.parent} is not a folder")

    pools = {f"pool {count}": Pool(count, deadline=DEADLINE) for count in workers}
    try:
        warm_up(pools, wanted)
        todo = [(env, d) for env in wanted for d in reachable(env, difficulties)]
        cells = [measure(env, d, seconds, pools, seed) for env, d in with_progress(todo)]
    finally:
        for pool in pools.values():
            pool.close()

    totals = totals_of(cells, difficulties)
    show(cells, totals, ["here", *pools])
    if output is not None:
        write(output, cells, totals)
    return 1 if any(cell.broken for cell in cells) else 0


def reachable(env: AnyEnvironment, levels: Sequence[int]) -> list[int]:
    """The levels that the environment has, with its highest in place of those beyond."""
    return sorted({min(d, highest(env.__name__)) for d in levels})


def highest(name: str) -> int:
    """The highest difficulty of an environment; if there is no limit, more than any level."""
    limit = environment(name).max_difficulty
    return sys.maxsize if limit is None else limit


def measure(
    env: AnyEnvironment, d: int, seconds: float, pools: dict[str, Pool], first: int = 0
) -> Cell:
    """Measure one environment at one level."""
    broken: list[str] = []

    def generators() -> Iterator[Callable[[], Problem]]:
        start = time.perf_counter()
        for count in range(PROBLEMS_AT_MOST):
            spent = time.perf_counter() - start
            # A slow cell continues until its p99 means something, but not forever.
            if spent > seconds and (count >= PROBLEMS_AT_LEAST or spent > DEADLINE):
                return
            yield partial(env.generate, difficulty=d, seed=first + count)

    generated, generation = timed(generators(), broken)
    problems = [problem for problem in generated if problem is not None]
    texts, reference = timed((problem.reference for problem in problems), broken)
    answered = [(p, text) for p, text in zip(problems, texts, strict=True) if text is not None]
    if len(answered) < len(problems):
        broken.append(f"{len(problems) - len(answered)} of {len(problems)} without a reference")
    rng = Random(0)
    rights = [(problem, f"<answer>{text}</answer>") for problem, text in answered]
    wrongs = [(problem, f"<answer>{corrupt(text, rng)}</answer>") for problem, text in answered]
    verdicts, right = timed((partial(p.verify, output) for p, output in rights), broken)
    _, wrong = timed((partial(p.verify, output) for p, output in wrongs), broken)
    missed = len(rights) - sum(verdict is not None and verdict.correct for verdict in verdicts)
    if missed:
        broken.append(f"{missed} of {len(rights)} references not correct")
    if generation.p99 > GENERATION_P99:
        broken.append(f"generation p99 {generation.p99:.2f} s")
    slowest = slowest_verdict(problems[:1], rights + wrongs)
    if slowest > SLOWEST_VERDICT:
        broken.append(f"slowest verdict {1000 * slowest:.0f} ms")

    rates = {"here": Rates(per_second(generation.mean), per_second((right.mean + wrong.mean) / 2))}
    for where, pool in pools.items():
        rates[where] = through(pool, env, d, len(problems), rights + wrongs, broken)
    return Cell(env.__name__, d, generation, reference, right, wrong, slowest, rates, broken)


def slowest_verdict(
    problems: Iterable[Problem | None], outputs: Iterable[tuple[Problem, str]]
) -> float:
    """The longest time that a verdict takes, in seconds of CPU time, whatever the output."""
    hostile = [f"<answer>{text}</answer>" for _, text in long_answers()]
    hostile += [text for _, text in long_outputs()]
    tried = [(problem, text) for problem in problems if problem is not None for text in hostile]
    return max((_verdict_time(problem, text) for problem, text in [*outputs, *tried]), default=0.0)


def _verdict_time(problem: Problem, output: str) -> float:
    """The time of a verdict; one that seems slow is timed twice, as the first may import."""
    fastest = math.inf
    for _ in range(2):
        start = time.process_time()
        with suppress(Exception):  # reported where verdicts are timed
            problem.verify(output)
        fastest = min(fastest, time.process_time() - start)
        if fastest < SLOWEST_VERDICT:
            break
    return fastest


def timed(calls: Iterable[Callable[[], T]], broken: list[str]) -> tuple[list[T | None], Times]:
    """What each call returns (None if it failed), and how long they took; adds to `broken`.

    In seconds of processor time, which a busy machine does not distort.
    """
    results: list[T | None] = []
    seconds: list[float] = []
    faults: Counter[str] = Counter()
    for call in calls:
        result = None
        try:
            with deadline(DEADLINE):
                start = time.process_time()
                result = call()
                seconds.append(time.process_time() - start)
        except Exception as error:  # noqa: BLE001  one faulty environment must not stop the others
            faults[f"{type(error).__name__}: {error}"] += 1
        results.append(result)
    broken += [f"{count} x {fault}" for fault, count in faults.items()]
    return results, Times.of(seconds)


@contextmanager
def deadline(seconds: float) -> Generator[None]:
    """Raise TimeoutError in the block once it has taken that long."""

    def interrupt(signum: int, frame: object) -> None:
        raise TimeoutError(f"took longer than {seconds:g} s")

    previous = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


def through(
    pool: Pool,
    env: AnyEnvironment,
    d: int,
    count: int,
    outputs: list[tuple[Problem, str]],
    broken: list[str],
) -> Rates:
    """Generate as many problems and judge the same outputs through a pool."""
    start = time.perf_counter()
    generated = pool.generate([Request(env, d, seed) for seed in range(count)])
    between = time.perf_counter()
    judged = pool.judge(outputs)
    end = time.perf_counter()
    failures = Counter(item.kind for item in [*generated, *judged] if isinstance(item, Failure))
    broken += [f"{n} x {kind} in a pool" for kind, n in failures.items()]
    return Rates(
        per_second((between - start) / max(count, 1)),
        per_second((end - between) / max(len(outputs), 1)),
    )


def per_second(seconds: float) -> float:
    return 1 / seconds if seconds > 0 else 0.0


def warm_up(pools: dict[str, Pool], wanted: Sequence[AnyEnvironment]) -> None:
    """Have this process and the workers import what they need before measuring."""
    for env in wanted:
        timed([partial(env.generate, difficulty=0, seed=0)], [])
    for pool in pools.values():
        for _ in range(pool.workers + 1):
            pool.generate([Request(env, 0, 0) for env in wanted])


def with_progress(
    todo: Sequence[tuple[AnyEnvironment, int]],
) -> Iterator[tuple[AnyEnvironment, int]]:
    """The items, with a progress bar on the terminal."""
    with progress_bar("{task.description}") as bar:
        task = bar.add_task("", total=len(todo))
        for env, d in todo:
            bar.update(task, description=f"{env.__name__} d={d}")
            yield env, d
            bar.advance(task)


def totals_of(cells: Sequence[Cell], levels: Sequence[int]) -> dict[str, dict[str, Rates]]:
    """The rates of a stream that draws environments uniformly, per level and over all levels."""
    names = list(dict.fromkeys(cell.name for cell in cells))
    cell_at = {(cell.name, cell.difficulty): cell for cell in cells}
    groups = {f"d = {d}": [cell_at[name, min(d, highest(name))] for name in names] for d in levels}
    if len(levels) > 1:
        groups["all levels"] = [cell for group in groups.values() for cell in group]
    totals: dict[str, dict[str, Rates]] = {}
    for label, group in groups.items():
        measured = [cell for cell in group if cell.generation.count and cell.right.count]
        if measured:
            totals[label] = {
                where: Rates(
                    harmonic_mean([cell.rates[where].problems for cell in measured]),
                    harmonic_mean([cell.rates[where].verdicts for cell in measured]),
                )
                for where in measured[0].rates
            }
    return totals


def show(cells: Sequence[Cell], totals: dict[str, dict[str, Rates]], sources: list[str]) -> None:
    """Print a row per environment and level, and the totals."""
    name_width = max(len("environment"), *(len(cell.name) for cell in cells))
    count = len(sources)
    print(
        f"{'':2}{'':{name_width}}{'':9}{'generation, ms':>27}{'verdict, ms':>26}"
        f"{'problems/s':>{11 * count}}{'verdicts/s':>{11 * count}}"
    )
    print(
        f"{'':2}{'environment':{name_width}}{'d':>4}{'n':>5}{'p50':>9}{'p99':>9}{'max':>9}"
        f"{'right':>8}{'wrong':>9}{'slowest':>9}"
        + "".join(f"{source:>11}" for source in sources)
        * 2
    )
    for cell in cells:
        times = cell.generation
        print(
            f"{'* ' if cell.broken else '  '}{cell.name:{name_width}}{cell.difficulty:4}"
            f"{times.count:5}{1000 * times.p50:9.2f}{1000 * times.p99:9.2f}{1000 * times.max:9.2f}"
            f"{1000 * cell.right.p50:8.3f}{1000 * cell.wrong.p50:9.3f}{1000 * cell.slowest:9.1f}"
            + rates_text(cell.rates, sources)
            + (f"  {'; '.join(cell.broken)}" if cell.broken else "")
        )
    print("\nIn total, drawing environments uniformly")
    for label, rates in totals.items():
        print(f"  {label:{name_width + 62}}" + rates_text(rates, sources))
    slowest = max(cells, key=lambda cell: cell.generation.p99)
    print(
        f"\nSlowest generation: {slowest.name} at d = {slowest.difficulty}, "
        f"p99 {1000 * slowest.generation.p99:.1f} ms."
    )
    slowest = max(cells, key=lambda cell: cell.slowest)
    print(
        f"Slowest verdict: {slowest.name} at d = {slowest.difficulty}, "
        f"{1000 * slowest.slowest:.1f} ms."
    )
    broken: dict[str, list[str]] = {}
    for cell in cells:
        if cell.broken:
            broken.setdefault(cell.name, []).append(str(cell.difficulty))
    missed = (f"{name} at d = {', '.join(levels)}" for name, levels in sorted(broken.items()))
    print(
        f"Promises (generation p99 under {GENERATION_P99:g} s, every verdict under "
        f"{1000 * SLOWEST_VERDICT:g} ms, references correct): "
        + (f"broken by {'; '.join(missed)}." if broken else "kept by all.")
    )


def rates_text(rates: dict[str, Rates], sources: list[str]) -> str:
    return "".join(f"{rates[source].problems:11,.0f}" for source in sources) + "".join(
        f"{rates[source].verdicts:11,.0f}" for source in sources
    )


def write(output: Path, cells: Sequence[Cell], totals: dict[str, dict[str, Rates]]) -> None:
    """Write all measurements as JSON, in seconds."""
    document = {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "cells": [asdict(cell) for cell in cells],
        "totals": {
            label: {where: asdict(rate) for where, rate in rates.items()}
            for label, rates in totals.items()
        },
    }
    with replacing(output) as file:
        file.write(json.dumps(document, indent=1).encode() + b"\n")


if __name__ == "__main__":
    try:
        sys.exit(tyro.cli(main, config=(tyro.conf.OmitArgPrefixes,)))
    except UserError as error:
        print(f"gym.py: {error}", file=sys.stderr)
        sys.exit(2)
