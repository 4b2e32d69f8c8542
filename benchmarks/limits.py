"""How far up every environment keeps its promises: what its max_difficulty can be.

    python benchmarks/limits.py -o limits.jsonl             all; goes on where it stopped
    python benchmarks/limits.py Sorting SAT -o limits.jsonl

Difficulties double until a problem breaks a promise, and then the interval is halved a few times.
Each level is tried in a process of its own, within limits of processor time, which a busy machine
does not distort, and of memory. The last column is what a class may declare: below what was
measured, and a plain number, so that a slower machine keeps the promises too.
"""

import multiprocessing
import re
import resource
import signal
import sys
import time
from collections.abc import Iterable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Annotated

import msgspec
import tyro
from tyro.conf import Positional, arg

from rlve.collections import resolve
from rlve.contract import AnyEnvironment
from rlve.errors import UserError, raised
from rlve.files import append_line, read_lines
from rlve.registry import environment, environments

# What a problem of a level may take: seconds of processor time, bytes, characters, digits.
GENERATE, REFERENCE, VERIFY = 0.25, 0.5, 0.05
DEADLINE = 1.0  # for all of it, at which the process is killed
MEMORY = 512 * 2**20
PROMPT = 32_000
DIGITS = 4_000

SEEDS = 3
START, CAP = 20, 1_000  # the first difficulty tried, and the last
HALVINGS = 4
PLAIN = (
    1,
    1.2,
    1.5,
    2,
    2.5,
    3,
    3.5,
    4,
    4.5,
    5,
    6,
    7,
    8,
    9,
)  # times powers of ten: limits people can remember
MARGIN = 0.9  # of what was measured

_LONG_NUMBER = re.compile(rf"[0-9]{{{DIGITS + 1},}}")


class Limit(msgspec.Struct, frozen=True):
    """What was found about an environment."""

    name: str
    highest: int  # the highest difficulty tried at which all promises are kept; -1: none
    broken: str  # what happened at the lowest difficulty tried at which one is not; "": none was
    seconds: float  # that finding it took

    @property
    def suggested(self) -> int:
        """A plain number, with a margin."""
        if not self.broken:
            return self.highest
        steps = (int(step * 10**power) for power in range(4) for step in PLAIN)
        return max((d for d in steps if d <= MARGIN * self.highest), default=0)


def main(
    names: Annotated[Positional[tuple[str, ...]], arg(metavar="[NAME ...]")] = (),
    /,
    *,
    output: Annotated[Path, arg(aliases=["-o"], metavar="FILE")],
) -> int:
    """Measure how high the difficulty of environments can rise.

    Args:
        names: Environments and collections to measure; all if none is named.
        output: A file of JSON lines, to which every result is added; what it has is not repeated.
    """
    known = {found.name for found in read_lines(output, Limit)}
    for name in resolve(names or environments()):
        if name not in known:
            found = measure(environment(name))
            append_line(output, found)
            print(f"{name:50} {found.highest:6} {found.suggested:6}  {found.broken}", flush=True)
    return 0


def measure(env: AnyEnvironment) -> Limit:
    """The highest difficulty at which an environment keeps its promises."""
    start = time.perf_counter()
    cap = CAP if env.max_difficulty is None else min(CAP, env.max_difficulty)
    good, bad, why = -1, cap + 1, ""
    for d in _doubling(min(START, cap), cap):
        if found := trial(env, d):
            bad, why = d, found
            break
        good = d
    for _ in range(HALVINGS if why else 0):
        middle = (max(good, 0) + bad) // 2
        if middle in (good, bad):
            break
        if found := trial(env, middle):
            bad, why = middle, found
        else:
            good = middle
    broken = f"d = {bad}: {why}" if why else ""
    return Limit(env.__name__, good, broken, round(time.perf_counter() - start, 2))


def _doubling(first: int, cap: int) -> Iterator[int]:
    d = first
    while d < cap:
        yield d
        d = max(1, 2 * d)
    yield cap


def trial(env: AnyEnvironment, d: int) -> str:
    """Which promise problems of a level break, in a process of its own; empty: none."""
    fork = multiprocessing.get_context("fork")  # the class is loaded already
    ours, theirs = fork.Pipe(duplex=False)
    process = fork.Process(target=_child, args=(theirs, env, d))
    process.start()
    theirs.close()
    try:
        return ours.recv()
    except EOFError:
        process.join()
        if process.exitcode == -signal.SIGPROF:
            return f"takes more than {DEADLINE:g} s"
        return f"ends its process with {process.exitcode}"
    finally:
        ours.close()
        process.join()


def _child(answers: Connection, env: AnyEnvironment, d: int) -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    try:
        found = next(iter(_complaints(env, d, range(SEEDS))), "")
    except MemoryError:
        found = f"takes more than {MEMORY / 2**20:g} MiB"
    except Exception as error:  # noqa: BLE001  whatever an environment raises is its limit
        found = raised(error)
    answers.send(found)


def _complaints(env: AnyEnvironment, d: int, seeds: Iterable[int]) -> Iterator[str]:
    for seed in seeds:
        signal.setitimer(signal.ITIMER_PROF, DEADLINE)  # its signal ends the process
        start = time.process_time()
        problem = env.generate(difficulty=d, seed=seed)
        prompt = problem.prompt()
        made = time.process_time()
        answer = problem.reference()
        solved = time.process_time()
        verdict = problem.verify(f"<answer>{answer}</answer>")
        judged = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, 0)
        if made - start > GENERATE:
            yield f"generating takes {made - start:.2f} s"
        if solved - made > REFERENCE:
            yield f"the reference takes {solved - made:.2f} s"
        if judged - solved > VERIFY:
            yield f"a verdict takes {judged - solved:.2f} s"
        if len(prompt) > PROMPT:
            yield f"the prompt has {len(prompt):,} characters"
        if answer is not None and _LONG_NUMBER.search(answer):
            yield f"the reference has a number of more than {DIGITS:,} digits"
        if answer is not None and not verdict.correct:
            yield "the reference is not correct"


if __name__ == "__main__":
    try:
        sys.exit(tyro.cli(main, config=(tyro.conf.OmitArgPrefixes,)))
    except UserError as error:
        print(f"limits.py: {error}", file=sys.stderr)
        sys.exit(2)
